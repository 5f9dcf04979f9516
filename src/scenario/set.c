/* set.c - KEY=VALUE as it is typed: parameters by their names, and words that are no parameters. */
#include "scenario/scenario.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/utf8.h"
#include "model/npy.h"

enum { N_NEAR = 3 };

static bool unknown_name(const struct param_ref *refs, size_t n, const char *key, struct err *err)
{
    char near[200] = "";
    for (int limit = 1, found = 0; limit <= 4 && found < N_NEAR; limit++) {
        for (size_t i = 0; i < n && found < N_NEAR; i++) {
            const char *name = refs[i].param->name;
            size_t far = edit_distance(key, name, false);
            bool part = limit == 4 && strlen(key) >= 3 && strstr(name, key) && far > 3;
            bool near_it = far == (size_t)limit && far < strlen(key) && far < strlen(name);      /* not another word of its length */
            if (!part && !near_it)
                continue;
            size_t at = strlen(near);
            snprintf(near + at, sizeof near - at, "%s%s", found++ ? ", " : "", name);
        }
    }
    return *near ? err_set(err, N_("there is no parameter '%s' here; near it are %s"), key, near)
                 : err_set(err, N_("there is no parameter '%s' here"), key);
}

/* n numbers with commas between them; one left out is NAN. */
static bool read_numbers(const char *text, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        char *end;
        x[i] = NAN;
        if (*text && *text != ',') {
            x[i] = strtod(text, &end);
            if (end == text || !isfinite(x[i]))
                return false;
            text = end;
        }
        if (*text != (i < n - 1 ? ',' : '\0'))
            return false;
        text++;
    }
    return true;
}

/* "x0,x1,y0,y1" in the axes' own units; an empty one is not cut. */
static bool set_zoom(struct scenario *s, const char *value, struct err *err)
{
    double x[4];
    if (!read_numbers(value, x, 4))
        return err_set(err, N_("zoom = %s: must be x0,x1,y0,y1 (numbers, or nothing for all)"), value);
    s->zoom = (struct zoom){x[0], x[1], x[2], x[3]};
    return true;
}

/* A panel and its place; of the panel that the cursor is in, then of others where it has been. */
static bool set_cursor(struct scenario *s, const char *value, struct err *err)
{
    double x[3 * (CURSOR_PANELS + 1)];
    int n = 1;
    for (const char *at = value; (at = strchr(at, ',')); at++)
        n++;
    bool good = n % 3 == 0 && n <= (int)(sizeof x / sizeof *x) && read_numbers(value, x, n);
    for (int i = 0; i < n && good; i += 3)
        good = x[i] >= 0 && x[i] < CURSOR_PANELS;
    if (!good)
        return err_set(err, N_("cursor = %s: must be PANEL,X,Y (the panel from 0; X and Y numbers, or nothing for the middle), and more of them"), value);
    scenario_reset_cursor(s);
    s->focus = (int)x[0];
    for (int i = 0; i < n; i += 3)
        s->cursor[(int)x[i]] = (struct spot){x[i + 1], x[i + 2]};
    return true;
}

/* Words that are no parameters: text and files. */
static bool set_word(struct scenario *s, const char *key, const char *value, bool *done, struct err *err)
{
    *done = true;
    if (!strcmp(key, "text")) {
        utf8_sanitise(s->text, sizeof s->text, value);
        s->content = CONTENT_TOKENS;
        return true;
    }
    if (!strcmp(key, "walk")) {
        scenario_set_walk(s, value);
        return true;
    }
    if (!strcmp(key, "zoom"))
        return set_zoom(s, value, err);
    if (!strcmp(key, "cursor"))
        return set_cursor(s, value, err);
    if (!strcmp(key, "large")) {
        s->large = !strcmp(value, "true");
        return s->large || !strcmp(value, "false") || err_set(err, N_("large = %s: allowed are true, false"), value);
    }
    if (!strcmp(key, "q") || !strcmp(key, "k")) {
        bool q = *key == 'q';
        const char *other = q ? s->k_path : s->q_path;
        other = *other ? other : value;
        return scenario_load_content(s, q ? value : other, q ? other : value, err);
    }
    if (!strcmp(key, "layer")) {
        char *end;
        long layer = !strcmp(value, "main") ? -1 : strtol(value, &end, 10);
        if (strcmp(value, "main") && (*end || end == value || layer < 0))
            return err_set(err, N_("layer = %s: must be a layer's number, or main"), value);
        return scenario_set_model_layer(s, layer > INT_MAX ? INT_MAX : (int)layer, err);
    }
    *done = false;
    return true;
}

bool scenario_read_value(const struct param *p, const char *text, struct value *out, struct err *err)
{
    if (p->type != PARAM_TABLE || !*text || !strcmp(text, "none"))
        return param_parse(p, text, out, err);
    *out = (struct value){NAN, npy_load(text, err)};
    return out->t || err_prefix(err, "%s", p->name);
}

bool scenario_set(struct scenario *s, const char *key, const char *value, struct err *err)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(s, refs, SCENARIO_MAX_PARAMS), dot = strcspn(key, ".");
    for (size_t i = 0; i < n; i++) {
        const char *name = key;
        if (key[dot] && refs[i].owner == OWNER_ENCODING && strlen(s->item[refs[i].item].kind->id) == dot &&
            !strncmp(s->item[refs[i].item].kind->id, key, dot))
            name = key + dot + 1;
        if (strcmp(refs[i].param->name, name))
            continue;
        struct value v;
        if (!scenario_read_value(refs[i].param, value, &v, err))
            return false;
        bool good = scenario_put(s, &refs[i], v, err);
        table_unref(v.t);
        return good;
    }
    bool done;
    bool good = set_word(s, key, value, &done, err);
    return done ? good : unknown_name(refs, n, key, err);
}
