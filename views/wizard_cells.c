/* wizard_cells.c - the three cells of a row of the wizard, one function a kind of row. */
#include "wizard_here.h"

#include <stdio.h>
#include <string.h>

#include "claims.h"

struct cells { struct panel *p; size_t at; };

static void put(struct cells c, const char *mark, enum role role, const char *text, const char *note)
{
    panel_cell(c.p, c.at, 0, role, false, "%s", mark);
    panel_cell(c.p, c.at, 1, role == ROLE_DIM || role == ROLE_TITLE ? role : ROLE_TEXT, false, "%s", text);
    panel_cell(c.p, c.at, 2, ROLE_DIM, false, "%s", note);
}

static void heading_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "", ROLE_TITLE, lang_text(h->lang, r->text), "");
}

static void choice_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct choice *a = &h->book->question[r->a].answer[r->b];
    char number[16], note[120] = "";
    snprintf(number, sizeof number, "%d", r->b + 1);
    if (row_has_room(c.p))
        row_weights(h, a, note, sizeof note);
    put(c, number, ROLE_ACCENT, say(h, a->label), note);
    if (h->given[r->a] == r->b)
        panel_cell(c.p, c.at, 1, ROLE_GOOD, false, "%s", say(h, a->label));
}

static void lengths_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char trained[32], target[32], note[96];
    snprintf(note, sizeof note, "%s / %s = %.4g", format_number(target, sizeof target, h->s->target, 9),
             format_number(trained, sizeof trained, h->s->trained, 9), h->s->target / h->s->trained);
    put(c, "=", ROLE_ACCENT, lang_text(h->lang, N_("from the lengths `target` and `trained`")), note);
}

static void answered_cells(const struct here *h, const struct row *r, struct cells c)
{
    char number[16];
    snprintf(number, sizeof number, "%d", here_number(h, r->a));
    const char *taken = say(h, h->book->question[r->a].answer[h->given[r->a]].label);
    put(c, number, ROLE_DIM, row_has_room(c.p) ? say(h, h->book->question[r->a].title) : taken, row_has_room(c.p) ? taken : "");
}

static void scheme_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct ranked *row = &h->ranking.row[r->a];
    char note[96];
    snprintf(note, sizeof note, "%.1f %%", row->percent);
    put(c, r->a ? "2" : "1", r->a ? ROLE_DIM : ROLE_GOOD, say(h, h->book->scheme[row->scheme].name), note);
}

static void situation_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char note[64];
    snprintf(note, sizeof note, lang_text(h->lang, N_("the guide, %s")), h->situation->section);
    put(c, "→", ROLE_GOOD, say(h, h->situation->label), note);
}

static void note_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, h->situation->agrees ? "=" : "≠", h->situation->agrees ? ROLE_GOOD : ROLE_WARNING, say(h, h->situation->note), "");
}

static void preset_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char note[80];
    snprintf(note, sizeof note, "%.1f %%", h->ranking.row[0].percent);
    put(c, "→", ROLE_ACCENT, lang_text(h->lang, N_("the same case in the evidence branch (Enter opens it)")), note);
}

static void table_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct guide_row *g = &h->book->guide_row[r->a];
    char note[200];
    snprintf(note, sizeof note, "%s · %s · %s · %s", say(h, g->value[0]), say(h, g->value[1]), say(h, g->value[2]),
             say(h, g->value[3]));
    put(c, "", ROLE_DIM, say(h, g->name), note);
}

static void rule_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct rule *rule = &h->book->rule[r->a];
    put(c, rule->id, ROLE_GOOD, say(h, rule->name), "");
}

static void method_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "", ROLE_DIM, lang_text(h->lang, N_("formula and what was measured")), say(h, h->book->rule[r->a].method->params));
}

static void short_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, "!", ROLE_WARNING, lang_text(h->lang, N_("short inputs must not suffer")), "");
}

static void factor_cells(const struct here *h, const struct row *r, struct cells c)
{
    struct factors f;
    char value[48];
    if (!wizard_factors(h->book, &h->w, &f, NULL) || (size_t)r->a >= f.n)
        return;
    format_number(value, sizeof value, f.factor[r->a].value, 8);
    put(c, "", ROLE_DIM, lang_text(h->lang, f.factor[r->a].name), value);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", lang_text(h->lang, f.factor[r->a].name));
    panel_cell(c.p, c.at, 2, ROLE_TITLE, false, "%s", value);
}

static void reason_cells(const struct here *h, const struct row *r, struct cells c)
{
    char mark[32];
    bool changed = (h->ranking.overridden[r->a] >> r->b) & 1;
    snprintf(mark, sizeof mark, "%g×%g%s", h->ranking.weight[r->b], h->ranking.score[r->a][r->b],
             book_cell(h->book, r->a, r->b)->evidence.unverified ? "?" : changed ? "!" : "");
    put(c, mark, ROLE_ACCENT, say(h, h->book->criterion[r->b].name), row_has_room(c.p)
        ? say(h, book_cell(h->book, r->a, r->b)->reason) : "");
}

static void override_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, h->book->override[r->a].id, ROLE_WARNING, say(h, h->book->override[r->a].reason), "");
}

static void claim_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct claim *claim = &h->book->claim[r->a];
    put(c, claim->id, verdict_role(claim->verdict), say(h, claim->says), lang_text(h->lang, verdict_titles[claim->verdict]));
    panel_cell(c.p, c.at, 2, verdict_role(claim->verdict), false, "%s", lang_text(h->lang, verdict_titles[claim->verdict]));
}

static void excluded_cells(const struct here *h, const struct row *r, struct cells c)
{
    char names[300];
    const struct constraint *x = &h->book->constraint[r->a];
    put(c, x->id, ROLE_ERROR, row_excluded(h, x, names, sizeof names), row_has_room(c.p) ? say(h, x->reason) : "");
}

static void change_cells(const struct here *h, const struct row *r, struct cells c)
{
    bool more;
    char number[16], note[160];
    const char *winner = row_outcome(h, r, &more);
    if (!*winner)
        snprintf(note, sizeof note, "%s", lang_text(h->lang, N_("→ more questions")));
    else if (more)
        snprintf(note, sizeof note, lang_text(h->lang, N_("→ %s so far")), winner);
    else
        snprintf(note, sizeof note, "→ %s", winner);
    snprintf(number, sizeof number, "%d", here_number(h, r->a));
    put(c, number, ROLE_DIM, say(h, h->book->question[r->a].answer[r->b].label), note);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", say(h, h->book->question[r->a].answer[r->b].label));
}

static void uncounted_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "0", ROLE_DIM, say(h, h->book->question[r->a].title), lang_text(h->lang, N_("did not count")));
}

static void extend_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, "→", ROLE_ACCENT, lang_text(h->lang, N_("compute the factors in the checkpoint branch (Enter opens it)")), "");
}

static void source_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct source *s = &h->book->source[r->a];
    put(c, say(h, s->via->brief), strcmp(s->via->id, "unverified") ? ROLE_DIM : ROLE_WARNING, s->name, s->locator);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", s->name);
}

static void (*const cells_of[ROW_KIND_COUNT])(const struct here *h, const struct row *r, struct cells c) = {
    [ROW_HEADING] = heading_cells,
    [ROW_CHOICE] = choice_cells,
    [ROW_LENGTHS] = lengths_cells,
    [ROW_ANSWERED] = answered_cells,
    [ROW_SCHEME] = scheme_cells,
    [ROW_SITUATION] = situation_cells,
    [ROW_NOTE] = note_cells,
    [ROW_PRESET] = preset_cells,
    [ROW_TABLE] = table_cells,
    [ROW_RULE] = rule_cells,
    [ROW_METHOD] = method_cells,
    [ROW_SHORT] = short_cells,
    [ROW_FACTOR] = factor_cells,
    [ROW_REASON] = reason_cells,
    [ROW_OVERRIDE] = override_cells,
    [ROW_CLAIM] = claim_cells,
    [ROW_EXCLUDED] = excluded_cells,
    [ROW_CHANGE] = change_cells,
    [ROW_UNCOUNTED] = uncounted_cells,
    [ROW_EXTEND] = extend_cells,
    [ROW_SOURCE] = source_cells,
};

bool row_cells(const struct here *h, const struct row *r, struct panel *p, size_t at)
{
    if (cells_of[r->kind])
        cells_of[r->kind](h, r, (struct cells){p, at});
    return cells_of[r->kind] != NULL;
}
