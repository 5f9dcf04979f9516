/* dialogue_ask.c - what a line lacks is asked for, with numbered answers: `set`, `view`, `find` and their like. The answers are what Tab would
 * complete on the screen. */
#include "app/dialogue.h"

#include <stdlib.h>
#include <string.h>

#include "app/panel.h"
#include "app/words.h"
#include "base/near.h"
#include "figure/describe.h"

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Says the completions of a line by number and asks for one; false: none was chosen. by_name: what is asked for is never a number itself. */
static bool choose(struct dialogue *d, const char *line, const char *question, bool by_name, char *out, size_t size)
{
    struct completions c;
    words_complete(d->app, line, &c);
    for (size_t i = 0; i < c.n; i++) {
        size_t n = strcspn(c.at[i].text, "=");
        dialogue_say(d, "%zu %.*s%s%s", i + 1, (int)n, c.at[i].text, c.at[i].help ? ": " : "", c.at[i].help ? dialogue_text(d, c.at[i].help) : "");
    }
    const char *typed = dialogue_ask(d, question);
    int number = typed ? dialogue_number(typed) : 0;
    if (!typed || !*typed)
        return false;
    if (number >= 1 && (size_t)number <= c.n)
        snprintf(out, size, "%s", c.at[number - 1].text);
    else if (by_name && strspn(typed, "0123456789") == strlen(typed))
        dialogue_say(d, N_("which = %s: allowed is 1 to %zu"), typed, c.n);
    else
        snprintf(out, size, "%s", typed);
    return *out;
}

/* The parameter that a word "KEY=" names; NULL: none. */
static const struct param_ref *find_param(const struct dialogue *d, const char *word, struct param_ref refs[SCENARIO_MAX_PARAMS])
{
    size_t n = scenario_params(&d->app->s, refs, SCENARIO_MAX_PARAMS), length = strcspn(word, "=");
    for (size_t i = 0; i < n; i++)
        if (strlen(refs[i].param->name) == length && !strncmp(refs[i].param->name, word, length))
            return &refs[i];
    return NULL;
}

/* What is asked for a value: its present one and what is allowed. */
static void say_range(const struct dialogue *d, const struct param_ref *ref)
{
    struct param bounds = scenario_bounds(&d->app->s, ref), *p = &bounds;
    struct buf now = {0};
    char low[40], high[40];
    dialogue_append_param(d, ref, "", &now);
    char *text = buf_string(&now);
    if (p->type == PARAM_INT || p->type == PARAM_REAL)
        dialogue_say(d, N_("Now %s. Allowed is %s to %s."), text, describe_number(low, sizeof low, p->min, d->app->s.lang),
                     describe_number(high, sizeof high, p->max, d->app->s.lang));
    else
        dialogue_say(d, p->type == PARAM_BOOL ? N_("Now %s. Allowed is yes or no.") : N_("Now %s."), text);
    free(text);
}

/* A parameter's name without its value, "KEY" or "KEY=": asks for that. */
static bool lacks_value(const char *chosen)
{
    size_t n = strcspn(chosen, " =");
    return n && (!chosen[n] || (chosen[n] == '=' && !chosen[n + 1]));
}

static bool ask_value(struct dialogue *d, const struct param_ref *ref, char *out, size_t size)
{
    char value[LINE_TYPED_MAX / 2] = "", line[256];
    say_range(d, ref);
    snprintf(line, sizeof line, "set %.200s=", ref->param->name);
    bool good = choose(d, line, dialogue_text(d, N_("value")), false, value, sizeof value);
    snprintf(out, size, "%s%s", line, value);
    return good;
}

/* "set", "view", ... without what they need: asks for it and gives the whole line. */
static bool complete_by_asking(struct dialogue *d, const char *word, char *out, size_t size)
{
    char chosen[LINE_TYPED_MAX / 2] = "", line[256];
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    snprintf(line, sizeof line, "%.100s ", word);
    if (!choose(d, line, dialogue_text(d, N_("which")), true, chosen, sizeof chosen))
        return false;
    const struct param_ref *ref = !strcmp(word, "set") && lacks_value(chosen) ? find_param(d, chosen, refs) : NULL;
    if (ref)
        return ask_value(d, ref, out, size);
    snprintf(out, size, "%s %s", word, chosen);
    return true;
}

static bool asks(const char *line)
{
    static const char *const askers[] = {"set", "view", "encoding", "preset", "compare", "copy", "lang", NULL};
    return name_among(line, askers);
}

/* The line that a match stands for; a parameter is found to be changed. */
static void line_of_find(const struct find *e, char *out, size_t size)
{
    bool param = !strncmp(e->command, "param ", 6);
    snprintf(out, size, "%s%s%s", param ? "set " : "", param ? e->command + 6 : e->command, param ? "=" : "");
}

/* The best matches of a text, to choose from: gives the line that the choice stands for, or what was typed instead of a number. */
static bool find(struct dialogue *d, const char *text, char *out, size_t size)
{
    enum { MOST = 12 };
    struct app *app = d->app;
    finder_open(app);
    app->overlay = NULL;
    finder_narrow(app, text);
    const struct finder *f = &app->finder;
    size_t n = f->n_match < MOST ? f->n_match : MOST;
    for (size_t i = 0; i < n; i++) {
        const struct find *e = &f->entry[f->match[i].entry];
        dialogue_say(d, "%zu %s %s%s%s", i + 1, dialogue_text(d, e->kind), e->name, *e->help ? ": " : "", e->help);
    }
    if (!n)
        dialogue_say(d, N_("nothing matches; fewer letters find more"));
    const char *typed = n ? dialogue_ask(d, dialogue_text(d, N_("which"))) : NULL;
    int number = typed ? dialogue_number(typed) : 0;
    if (!typed)
        return false;
    if (number >= 1 && (size_t)number <= n)
        line_of_find(&f->entry[f->match[number - 1].entry], out, size);
    else if (*typed && strspn(typed, "0123456789") == strlen(typed))
        dialogue_say(d, N_("which = %s: allowed is 1 to %zu"), typed, n);
    else if (!*typed)
        dialogue_say(d, N_("Nothing was chosen."));
    else
        snprintf(out, size, "%s", typed);
    return *out;
}

bool dialogue_complete(struct dialogue *d, char *line, size_t size)
{
    const char *text = dialogue_rest(line, "find"), *key = dialogue_rest(line, "set");
    char whole[LINE_TYPED_MAX] = "";
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    const struct param_ref *ref = key && lacks_value(key) ? find_param(d, key, refs) : NULL;
    bool good = true;
    if (text)
        good = find(d, text, whole, sizeof whole);
    else if (ref)
        good = ask_value(d, ref, whole, sizeof whole);
    else if (asks(line))
        good = complete_by_asking(d, line, whole, sizeof whole);
    else
        return true;
    if (good)
        snprintf(line, size, "%s", whole);
    return good;
}
