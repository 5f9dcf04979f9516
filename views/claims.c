/* claims.c - verdicts as marks and colours, claims and sources as text. */
#include "claims.h"

static const struct { const char *mark; enum role role; } looks[VERDICT_COUNT] = {
    [VERDICT_SUPPORTED] = {"+", ROLE_GOOD}, [VERDICT_CONTESTED] = {"!", ROLE_WARNING}, [VERDICT_WRONG] = {"x", ROLE_ERROR},
    [VERDICT_IMPRECISE] = {"~", ROLE_WARNING}, [VERDICT_UNVERIFIED] = {"?", ROLE_DIM},
};

const char *verdict_mark(enum verdict verdict)
{
    return looks[verdict].mark;
}

enum role verdict_role(enum verdict verdict)
{
    return looks[verdict].role;
}

void cite(struct panel *p, const struct evidence *e, enum lang lang)
{
    char text[400];
    panel_text(p, "- %s\n", evidence_text(text, sizeof text, e, lang));
}

void claim_head(struct panel *p, const struct claim *claim, enum lang lang)
{
    panel_text(p, "# %s %s: %s\n", claim->id, claim->section, lang_text(lang, verdict_titles[claim->verdict]));
    panel_text(p, "%s: %s\n", lang_text(lang, N_("the guide says")), words_in(claim->says, lang));
}

void claim_found(struct panel *p, const struct claim *claim, enum lang lang)
{
    panel_text(p, "%s: %s\n", lang_text(lang, N_("measured or read")), words_in(claim->found, lang));
    cite(p, &claim->evidence, lang);
}
