/* The numbers of the wizard and the guide, against presets/wizard.json read here once more: the sums behind a ranking, scores, weights and percents by
 * the rules that the data states, methods of a checkpoint by tests/support/twin.h, charts as they are printed, and what the guide's claims are
 * tested with. If this fails, a recommendation stands on the screen with numbers that the evidence does not give. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/values.h"
#include "base/rng.h"
#include "json/json.h"

static struct json *book;

static int open_book(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    book = json_load("presets/wizard.json", 1 << 24, &err);
    return book ? 0 : -1;
}

static int close_book(void **state)
{
    (void)state;
    json_free(book);
    return 0;
}

static const char *text_of(const struct json *j, const char *key)
{
    const char *text = json_string(json_get(j, key));
    return text ? text : "";
}

static const struct json *by_id(const char *list, const char *id)
{
    for (const struct json *j = json_first(json_get(book, list)); j; j = json_next(j))
        if (!strcmp(text_of(j, "id"), id))
            return j;
    return NULL;
}

static struct scenario open_view(const char *view, const char *walk)
{
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&s);
    assert_true(scenario_set_view(&s, view, &err));
    if (walk)
        scenario_set_walk(&s, walk);
    return s;
}

static void set_own(struct scenario *s, const char *name, double x)
{
    s->view_param[s->view][own_param((int)s->view, name)].x = x;
}

/* A picture with room for all columns. */
static struct figure *draw_wide(const struct scenario *s)
{
    struct err err = {.lang = LANG_EN};
    struct figure *f = view_figure(s, 60, 400, 2, 1, &err);
    if (!f)
        fail_msg("%s", err.text);
    return f;
}

static const char *cell(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

/* ---- the rules, as scoring.condition_syntax and scoring.order state them ------------------------------------------ */

/* The answer to a question in "start=new arch=decoder ..."; false: not answered. */
static bool answered(const char *walk, const char *question, char *out)
{
    size_t n = strlen(question);
    for (const char *at = walk; (at = strstr(at, question)) != NULL; at += n)
        if ((at == walk || at[-1] == ' ') && at[n] == '=')
            return sscanf(at + n + 1, "%39s", out) == 1;
    return false;
}

static bool term_holds(const char *term, const char *walk)
{
    char question[40], given[40], rest[200], *save = NULL;
    if (sscanf(term, "%39s in {%199[^}]}", question, rest) == 2) {
        bool any = false;
        for (char *one = answered(walk, question, given) ? strtok_r(rest, ",", &save) : NULL; one; one = strtok_r(NULL, ",", &save))
            any = any || !strcmp(one, given);
        return any;
    }
    size_t n = strcspn(term, "!=");
    snprintf(question, sizeof question, "%.*s", (int)n, term);
    bool not = term[n] == '!';
    return answered(walk, question, given) && !strcmp(term + n + (not ? 2 : 1), given) == !not;
}

static bool holds(const char *when, const char *walk)
{
    char copy[300], *at = copy;
    snprintf(copy, sizeof copy, "%s", when);
    for (char *end; (end = strstr(at, " & ")) != NULL; at = end + 3) {
        *end = '\0';
        if (!term_holds(at, walk))
            return false;
    }
    return term_holds(at, walk);
}

static real weight_of(const char *criterion, const char *walk)
{
    char own[60], given[40];
    real w = json_number(json_get(json_get(json_get(book, "scoring"), "base_weights"), criterion), 0);
    for (const struct json *q = json_first(json_get(book, "questions")); q; q = json_next(q))
        for (const struct json *a = json_first(json_get(q, "answers")); a; a = json_next(a))
            if (answered(walk, text_of(q, "id"), given) && !strcmp(given, text_of(a, "id")))
                w += json_number(json_get(json_get(a, "weights"), criterion), 0);
    snprintf(own, sizeof own, "weight.%s", criterion);
    return answered(walk, own, given) ? (real)strtod(given, NULL) : fmaxl(w, json_number(json_get(json_get(book, "scoring"), "weights_floor"), NAN));
}

static real score_of(const char *scheme, const char *criterion, const char *walk)
{
    real score = NAN;
    for (const struct json *c = json_first(json_get(book, "matrix")); c; c = json_next(c))
        if (!strcmp(text_of(c, "scheme"), scheme) && !strcmp(text_of(c, "criterion"), criterion))
            score = json_number(json_get(c, "score"), NAN);
    for (const struct json *o = json_first(json_get(book, "score_overrides")); o; o = json_next(o))
        for (const struct json *x = json_first(json_get(o, "set")); x; x = json_next(x))
            if (holds(text_of(o, "when"), walk) && !strcmp(text_of(x, "scheme"), scheme) && !strcmp(text_of(x, "criterion"), criterion))
                score = json_number(json_get(x, "score"), NAN);
    return score;
}

static real sum_of_weights(const char *walk)
{
    real sum = 0;
    for (const struct json *c = json_first(json_get(book, "criteria")); c; c = json_next(c))
        sum += weight_of(text_of(c, "id"), walk);
    return sum;
}

static real points_of(const char *scheme, const char *walk)
{
    real sum = 0;
    for (const struct json *c = json_first(json_get(book, "criteria")); c; c = json_next(c))
        sum += weight_of(text_of(c, "id"), walk) * score_of(scheme, text_of(c, "id"), walk);
    return sum;
}

static real percent_of(const char *scheme, const char *walk)
{
    return 100 * points_of(scheme, walk) / (4 * sum_of_weights(walk));
}

/* The first constraint that takes a scheme out, NULL: none. */
static const char *removed_by(const char *scheme, const char *walk)
{
    for (const struct json *c = json_first(json_get(book, "hard_constraints")); c; c = json_next(c))
        for (const struct json *x = json_first(json_get(c, "exclude")); x; x = json_next(x))
            if (!strcmp(json_string(x), scheme) && holds(text_of(c, "when"), walk))
                return text_of(c, "id");
    return NULL;
}

static const struct json *find(const char *list, const char *key, const char *value)
{
    for (const struct json *j = json_first(json_get(book, list)); j; j = json_next(j))
        if (!strcmp(text_of(j, key), value))
            return j;
    fail_msg("no %s of %s in the data", value, list);
    return NULL;
}

/* ---- wizard: what is ranked ------------------------------------------------------------------------------------ */

static const char *const walks[] = {
    "start=new", "start=new arch=decoder", "start=new arch=decoder task=general length=never compute=fused taste=balanced lang=one",
    "start=new arch=decoder task=general length=more beyond=far budget=none compute=open taste=balanced lang=one",
    "start=new arch=encoder task=general length=never compute=open taste=newer lang=many",
    "start=new arch=vision vtask=imagetext length=never compute=fused taste=balanced lang=one",
    "start=new arch=decoder task=general length=stream beyond=fluent budget=none compute=fused taste=proven lang=one weight.far=7 weight.simple=0",
};
enum { WALKS = sizeof walks / sizeof *walks };

static void check_bars(const struct scenario *s, const struct panel *p, int panel, const char *walk)
{
    real before = INFINITY;
    assert_int_equal(p->n_bars, json_size(json_get(book, "schemes")));
    for (size_t i = 0; i < p->n_bars; i++) {
        const char *id = text_of(find("schemes", "short_en", p->bar[i].label), "id"), *out = removed_by(id, walk);
        real percent = percent_of(id, walk);
        struct readout r = probe(s, panel, 0, (double)i + 0.5);
        EXPECT(s, "percent", r.value_text, 0, percent);
        EXPECT(s, "sum", r.formula, 0, 100, points_of(id, walk), 4, sum_of_weights(walk));
        assert_string_equal(r.name, text_of(by_id("schemes", id), "name_en"));
        assert_string_equal(p->bar[i].note, out ? out : "");
        assert_true(isnan(p->bar[i].value) == (out != NULL));
        if (out)
            continue;
        assert_true(fabsl(p->bar[i].value - percent) < 1e-12L && percent <= before);
        before = percent;
    }
}

static void rankings(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < WALKS; i++) {
        struct scenario s = open_view("wizard", walks[i]);
        struct figure *f = draw_wide(&s);
        assert_int_equal(f->panel[1].kind, PANEL_BARS);
        check_bars(&s, &f->panel[1], 1, walks[i]);
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
}

/* "4?", "3!", "2?!": what stands behind a number is no part of it. */
static void check_scores(const struct scenario *s, const struct panel *p, const char *walk)
{
    size_t n = json_size(json_get(book, "criteria"));
    assert_int_equal(p->table_cols, 2 + json_size(json_get(book, "schemes")));
    for (size_t c = 0; c < n; c++) {
        const char *criterion = text_of(find("criteria", "name_en", cell(p, c + 1, 0)), "id");
        EXPECT(s, "weight", cell(p, c + 1, 1), 0, weight_of(criterion, walk));
        struct readout r = probe(s, 0, 0, (double)c + 1.5);
        EXPECT(s, "weight read out", r.value_text, 0, weight_of(criterion, walk));
        for (size_t i = 2; i < p->table_cols; i++)
            EXPECT(s, "score", cell(p, c + 1, i), 0, score_of(cell(p, 0, i), criterion, walk));
    }
    for (size_t i = 2; i < p->table_cols; i++) {
        const char *id = cell(p, 0, i), *out = removed_by(id, walk);
        EXPECT(s, "points", cell(p, n + 1, i), 0, points_of(id, walk));
        if (out)
            assert_string_equal(cell(p, n + 2, i), out);
        else
            EXPECT(s, "percent", cell(p, n + 2, i), 0, percent_of(id, walk));
    }
}

static void score_tables(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < WALKS; i++) {
        struct scenario s = open_view("wizard", walks[i]);
        set_own(&s, "page", 2);
        struct figure *f = draw_wide(&s);
        check_scores(&s, &f->panel[0], walks[i]);
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_wizard] > 900);
}

/* The first and second scheme with their percents, and "3×4": weight times score of the winner, as many points as that. */
static void check_result_row(const struct scenario *s, const struct panel *p, size_t r, const char *walk, const char **winner)
{
    const char *mark = cell(p, r, 0), *times = strstr(mark, "×");
    if ((!strcmp(mark, "1") || !strcmp(mark, "2")) && strstr(cell(p, r, 2), "%")) {
        const char *id = text_of(find("schemes", "name_en", cell(p, r, 1)), "id");
        *winner = *mark == '1' ? id : *winner;
        EXPECT(s, "percent of a row", cell(p, r, 2), 0, percent_of(id, walk));
    } else if (times) {
        const char *criterion = text_of(find("criteria", "name_en", cell(p, r, 1)), "id");
        struct written got[2];
        assert_true(read_numbers(mark, got, 2) >= 1);
        expect_number(s, "weight of a reason", mark, got[0], weight_of(criterion, walk), 0);
        assert_true(strtod(times + strlen("×"), NULL) == (double)score_of(*winner, criterion, walk));
    }
}

/* What stands below a row that is looked at. */
static void check_row_text(const struct scenario *s, const char *text, const char *walk, const char *winner)
{
    const char *possible = strstr(text, " possible."), *would;
    if (possible) {
        const char *line = possible;
        while (line > text && line[-1] != '\n')
            line--;
        char one[120];
        const char *name = strstr(text, "# ") + 2;
        snprintf(one, sizeof one, "%.*s", (int)strcspn(name, "\n"), name);
        const char *id = text_of(find("schemes", "name_en", one), "id");
        snprintf(one, sizeof one, "%.*s", (int)(possible - line), line);
        EXPECT(s, "points of a row", one, 0, points_of(id, walk), 4 * sum_of_weights(walk));
    }
    for (would = text; (would = strstr(would, " would have ")) != NULL; would++) {
        char one[160];
        const char *from = would;
        while (strncmp(from, "- ", 2))
            from--;
        snprintf(one, sizeof one, "%.*s", (int)(would - from - 2), from + 2);
        struct written got[1];
        read_numbers(would, got, 1);
        expect_number(s, "points of an excluded scheme", would, got[0], points_of(text_of(find("schemes", "name_en", one), "id"), walk), 0);
    }
    const char *score = !strncmp(text, "# ", 2) ? strstr(text, ": score ") : NULL;
    if (score && score < strchr(text, '\n')) {
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)(score - text - 2), text + 2);
        struct written got[1];
        read_numbers(score, got, 1);
        expect_number(s, "score of a reason", score, got[0], score_of(winner, text_of(find("criteria", "name_en", name), "id"), walk), 0);
    }
}

static void results(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 2; i < WALKS; i++) {
        struct scenario s = open_view("wizard", walks[i]);
        set_own(&s, "page", 1);
        struct figure *f = draw_wide(&s);
        size_t rows = f->panel[0].table_rows;
        const char *winner = NULL;
        int before = compared[VIEW_wizard];
        for (size_t r = 1; r < rows; r++)
            check_result_row(&s, &f->panel[0], r, walks[i], &winner);
        assert_true(compared[VIEW_wizard] - before >= 5);           /* two schemes, three reasons */
        figure_free(f);
        for (size_t r = 1; r < rows; r++) {
            s.cursor[0].y = (double)r + 0.5;
            f = draw_wide(&s);
            check_row_text(&s, f->panel[f->n - 1].text, walks[i], winner);
            figure_free(f);
        }
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
}

/* What an answer adds is said beside it: "far +3, fluent +1". */
static void answers_say_what_they_add(void **state)
{
    (void)state;
    static const struct { const char *walk, *question; } asked[] = {
        {"start=new", "arch"}, {"start=new arch=decoder", "task"}, {"start=new arch=decoder task=general", "length"}, {"start=new arch=vision", "vtask"},
        {"start=new arch=decoder task=general length=more", "beyond"}, {"start=new arch=decoder task=general length=never", "compute"},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct scenario s = open_view("wizard", asked[i].walk);
        struct figure *f = draw_wide(&s);
        size_t row = 1;
        for (const struct json *a = json_first(json_get(by_id("questions", asked[i].question), "answers")); a; a = json_next(a), row++) {
            struct written number[1];
            assert_true(read_numbers(cell(&f->panel[0], row, 0), number, 1) == 1 && number[0].value == (real)row);
            assert_string_equal(cell(&f->panel[0], row, 1), text_of(a, "label_en"));
            char want[200] = "";
            for (const struct json *c = json_first(json_get(book, "criteria")); c; c = json_next(c))
                if (json_number(json_get(json_get(a, "weights"), text_of(c, "id")), 0) != 0)
                    snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s %+d", *want ? ", " : "", text_of(c, "short_en"),
                             (int)json_number(json_get(json_get(a, "weights"), text_of(c, "id")), 0));
            assert_string_equal(cell(&f->panel[0], row, 2), want);
        }
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
}

/* How many questions a walk has, counted by walking all of them: each is asked if one of its conditions holds. */
static bool is_asked(const struct json *q, const char *walk)
{
    const struct json *when = json_get(q, "ask_if");
    if (json_type(when) == JSON_ARRAY) {
        for (const struct json *w = json_first(when); w; w = json_next(w))
            if (holds(json_string(w), walk))
                return true;
        return false;
    }
    return !strcmp(json_string(when), "always") ? !strcmp(text_of(q, "id"), "start") || holds("start=new", walk) : holds(json_string(when), walk);
}

static void count_questions(const char *walk, int depth, int *least, int *most)
{
    char given[40];
    const struct json *next = NULL;
    for (const struct json *q = json_first(json_get(book, "questions")); q; q = json_next(q))
        if (is_asked(q, walk) && !answered(walk, text_of(q, "id"), given) &&
            (!next || json_number(json_get(q, "order"), NAN) < json_number(json_get(next, "order"), NAN)))
            next = q;
    for (const struct json *a = next ? json_first(json_get(next, "answers")) : NULL; a; a = json_next(a)) {
        char more[400];
        snprintf(more, sizeof more, "%s %s=%s", walk, text_of(next, "id"), text_of(a, "id"));
        count_questions(more, depth + 1, least, most);
    }
    if (!next) {
        *least = depth < *least ? depth : *least;
        *most = depth > *most ? depth : *most;
    }
}

static void questions_are_counted(void **state)
{
    (void)state;
    static const struct { const char *walk; int at; } places[] = {
        {"start=new arch=vision vtask=image", 4}, {"start=new arch=decoder task=general length=never", 5}, {"start=new arch=decoder task=general length=more beyond=far", 6},
        {"start=checkpoint", 2}, {"start=checkpoint ck_scheme=rope ck_ratio=s8", 4}, {"start=guide", 2}, {"start=guide doc_kind=scenario", 3},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct scenario s = open_view("wizard", places[i].walk);
        struct figure *f = draw_wide(&s);
        int least = 99, most = 0;
        count_questions(places[i].walk, places[i].at - 1, &least, &most);
        if (least == most)
            EXPECT(&s, "caption", f->caption, 0, places[i].at, least);
        else
            EXPECT(&s, "caption", f->caption, 0, places[i].at, least, most);
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ---- wizard: a checkpoint's methods ------------------------------------------------------------------------------- */

static int bands(const struct twin *t, int band)
{
    const struct twin_pair *p;
    int count = 0;
    for (int k = 0, n = twin_pairs(t, &p); k < n; k++)
        count += p[k].band == band;
    return count;
}

static int unfinished(double base, double d, double trained)
{
    int count = 0;
    for (int k = 0; k < (int)d / 2; k++)
        count += 2 * twin_pi * powl(base, 2 * k / (real)d) > trained;
    return count;
}

/* The row of this name holds the number, and so does the text below it. */
static void factor_is(struct scenario *s, const char *name, real want)
{
    struct figure *f = draw_wide(s);
    const struct panel *p = &f->panel[0];
    size_t r = 1;
    while (r < p->table_rows && strcmp(cell(p, r, 1), name))
        r++;
    if (r == p->table_rows)
        fail_msg("there is no row %s", name);
    EXPECT(s, name, cell(p, r, 2), 0, want);
    figure_free(f);
    s->cursor[0].y = (double)r + 0.5;
    f = draw_wide(s);
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(f->panel[f->n - 1].text, "\n"), f->panel[f->n - 1].text);
    struct written got[2];
    assert_true(!strncmp(line, name, strlen(name)) && read_numbers(line + strlen(name), got, 2) == 1);
    expect_number(s, name, line, got[0], want, 0);
    figure_free(f);
}

static void methods_are_computed(void **state)
{
    (void)state;
    static const struct { double trained, target, base, d; } cases[] = {{4096, 65536, 500000, 64}, {2048, 5000, 10000, 128}, {8192, 131072, 1000000, 96}, {4096, 8192, 10000, 128}};
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double T = cases[i].trained, L = cases[i].target, B = cases[i].base, d = cases[i].d, s = L / T, up = ceil(s);
        char walk[300], yarn[200];
        const char *ratio = s <= 2 ? "s2" : s <= 8 ? "s8" : "s32";
        snprintf(walk, sizeof walk, "start=checkpoint ck_scheme=rope ck_ratio=%s ck_family=other ck_budget=short ck_short=no trained=%.0f target=%.0f base=%.0f rotary_dim=%.0f", ratio, T,
                 L, B, d);
        snprintf(yarn, sizeof yarn, "head_dim=%.0f;rope_theta=%.0f;factor=%.0f;original_max_position_embeddings=%.0f;rope_type=yarn", d, B, up, T);
        struct twin t = {"rope", yarn};
        struct scenario v = open_view("wizard", walk);
        set_own(&v, "page", 1);
        factor_is(&v, "target / trained length", s);
        factor_is(&v, "factor to set", up);
        factor_is(&v, "YaRN attention factor (q and k)", 0.1L * logl(up) + 1);
        factor_is(&v, "YaRN factor on the logits", powl(0.1L * logl(up) + 1, 2));
        factor_is(&v, "YaRN: pairs kept", bands(&t, TWIN_KEPT));
        factor_is(&v, "YaRN: pairs blended", bands(&t, TWIN_BLENDED));
        factor_is(&v, "YaRN: pairs divided", bands(&t, TWIN_DIVIDED));
        factor_is(&v, "NTK-aware base", B * powl(s, d / (d - 2)));
        factor_is(&v, "dynamic NTK base at the target length", B * powl(up * s - (up - 1), d / (d - 2)));
        factor_is(&v, "LongRoPE attention factor", sqrtl(1 + logl(s) / logl(T)));
        factor_is(&v, "pairs that never finish a turn in training", unfinished(B, d, T));
        factor_is(&v, "pairs that meet new angles at the target length", unfinished(B, d, T));
        scenario_done(&v);
    }
    struct scenario v = open_view("wizard", "start=checkpoint ck_scheme=rope ck_ratio=s32 ck_family=llama31 ck_short=no trained=8192 target=131072");
    struct twin t = {"rope", "head_dim=128;rope_theta=500000;factor=8;original_max_position_embeddings=8192;rope_type=llama3"};
    set_own(&v, "page", 1);
    factor_is(&v, "llama3: pairs kept", bands(&t, TWIN_KEPT));
    factor_is(&v, "llama3: pairs blended", bands(&t, TWIN_BLENDED));
    factor_is(&v, "llama3: pairs divided", bands(&t, TWIN_DIVIDED));
    factor_is(&v, "factor to set", 8);
    scenario_done(&v);
    assert_int_equal(wrong, 0);
}

/* ---- guide -------------------------------------------------------------------------------------------------------- */

enum { PAGE_CLAIMS = 1, PAGE_SITUATIONS, PAGE_TRENDS, PAGE_MEASURED, PAGE_MODELS };

static struct scenario open_guide(int page)
{
    struct scenario s = open_view("guide", NULL);
    set_own(&s, "page", page);
    return s;
}

static void guide_lists(void **state)
{
    (void)state;
    wrong = 0;
    struct scenario s = open_guide(PAGE_CLAIMS);
    struct figure *f = draw_wide(&s);
    size_t r = 1;
    for (const struct json *c = json_first(json_get(book, "guide_claims")); c; c = json_next(c), r++) {
        assert_string_equal(cell(&f->panel[0], r, 0), text_of(c, "id"));
        assert_string_equal(cell(&f->panel[0], r, 1), text_of(c, "claim_en"));
        assert_string_equal(cell(&f->panel[0], r, 2), text_of(c, "verdict"));
        assert_string_equal(cell(&f->panel[0], r, 3), text_of(c, "section"));
    }
    assert_int_equal(r, f->panel[0].table_rows);
    figure_free(f);
    scenario_done(&s);
    s = open_guide(PAGE_SITUATIONS);
    f = draw_wide(&s);
    r = 1;
    for (const struct json *x = json_first(json_get(book, "scenarios")); x; x = json_next(x), r++) {
        const struct json *first = json_first(json_get(x, "evidence_ranking"));
        const char *name = text_of(by_id("schemes", text_of(first, "scheme")), "name_en");
        assert_string_equal(cell(&f->panel[0], r, 0), text_of(x, "id"));
        assert_string_equal(cell(&f->panel[0], r, 1), text_of(x, "section"));
        assert_non_null(strstr(cell(&f->panel[0], r, 4), name));
        assert_int_equal(!strncmp(cell(&f->panel[0], r, 4), "≠", 3), !json_bool(json_get(x, "agrees"), true));
        EXPECT(&s, "percent", cell(&f->panel[0], r, 5), 0, json_number(json_get(first, "percent"), NAN));
        assert_int_equal(strchr(cell(&f->panel[0], r, 5), '~') != NULL, json_bool(json_get(x, "close_call"), false));
    }
    assert_int_equal(r, f->panel[0].table_rows);
    figure_free(f);
    scenario_done(&s);
    s = open_guide(PAGE_MODELS);
    f = draw_wide(&s);
    r = 1;
    for (const struct json *m = json_first(json_get(book, "models")); m; m = json_next(m), r++) {
        assert_string_equal(cell(&f->panel[0], r, 0), text_of(m, "name"));
        assert_string_equal(cell(&f->panel[0], r, 1), text_of(by_id("schemes", text_of(m, "scheme")), "name_en"));
        assert_string_equal(cell(&f->panel[0], r, 2), text_of(m, "detail"));
        EXPECT(&s, "year", cell(&f->panel[0], r, 3), 0, json_number(json_get(m, "year"), NAN));
    }
    assert_int_equal(r, f->panel[0].table_rows);
    figure_free(f);
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

/* "(3/5)": which column of how many. */
static void check_bar_chart(struct scenario *s, const struct json *m, size_t n_columns)
{
    for (size_t c = 0; c < n_columns; c++) {
        set_own(s, "column", (double)c + 1);
        struct figure *f = draw_wide(s);
        const struct panel *p = &f->panel[1];
        size_t r = 0;
        const char *counted = strrchr(p->title, '(');
        assert_non_null(counted);
        EXPECT(s, "which column", counted, 0, (real)c + 1, n_columns);
        for (const struct json *row = json_first(json_get(m, "rows")); row; row = json_next(row), r++) {
            const struct json *v = json_first(row);
            for (size_t i = 0; i < c; i++)
                v = json_next(v);
            struct readout out = probe(s, 1, 0, (double)r + 0.5);
            bool number = json_type(v) == JSON_NUMBER;
            assert_true(number ? p->bar[r].value == json_number(v, NAN) : isnan(p->bar[r].value));
            if (number)
                EXPECT(s, "value", out.value_text, 0, json_number(v, NAN));
            else if (json_type(v) == JSON_STRING)
                assert_string_equal(out.value_text, json_string(v));
        }
        assert_int_equal(r, p->n_bars);
        figure_free(f);
    }
}

static void check_curve_chart(const struct scenario *s, const struct json *m)
{
    struct figure *f = draw_wide(s);
    const struct panel *p = &f->panel[1];
    size_t at = 0;
    assert_string_equal(p->title, "perplexity");
    assert_non_null(strstr(f->panel[f->n - 1].text, text_of(m, "title_en")));
    assert_int_equal(p->n_xs, json_size(json_get(m, "x")));
    for (const struct json *x = json_first(json_get(m, "x")); x; x = json_next(x), at++) {
        bool words = json_type(x) == JSON_STRING;
        real want[NUMBERS];
        size_t k = 0, n = 0;
        assert_true(p->xs[at] == (words ? (double)at + 0.5 : json_number(x, NAN)));
        for (const struct json *y = json_first(json_get(m, "series")); y; y = json_next(y), k++) {
            const struct json *v = json_first(y);
            for (size_t i = 0; i < at; i++)
                v = json_next(v);
            double number = json_number(v, NAN);
            assert_true(p->series[k].y[at] == number || (isnan(p->series[k].y[at]) && isnan(number)));
            if (!isnan(number))
                want[n++] = number;
        }
        struct readout out = probe(s, 1, p->xs[at], 1);
        if (!words)
            EXPECT(s, "x", out.name, 0, json_number(x, NAN));
        size_t said = 0;                /* "T5 18.8, ALiBi 18.66": the last word of each part; "–" where nothing was measured */
        char *save = NULL;
        for (char *part = strtok_r(out.value_text, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
            struct written got[1];
            const char *number = strrchr(part, ' ') + 1;
            if (!strcmp(number, "–"))
                continue;
            assert_true(said < n && read_numbers(number, got, 1) == 1);
            expect_number(s, "value", number, got[0], want[said++], 0);
        }
        assert_int_equal(said, n);
    }
    figure_free(f);
}

static void charts_are_as_printed(void **state)
{
    (void)state;
    struct scenario s = open_guide(PAGE_MEASURED);
    size_t i = 1;
    wrong = 0;
    for (const struct json *m = json_first(json_get(book, "measurements")); m; m = json_next(m), i++) {
        set_own(&s, "measurement", (double)i);
        set_own(&s, "column", 1);
        if (json_get(m, "series"))
            check_curve_chart(&s, m);
        else
            check_bar_chart(&s, m, json_size(json_first(json_get(m, "rows"))));
    }
    scenario_done(&s);
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_guide] > 150);
}

/* The sentence that a claim is tested with, behind "computed now: ". */
static const char *computed(struct scenario *s, const char *claim, char *out, size_t size)
{
    struct figure *f = draw_wide(s);
    size_t r = 1;
    while (strcmp(cell(&f->panel[0], r, 0), claim))
        r++;
    figure_free(f);
    s->cursor[0].y = (double)r + 0.5;
    f = draw_wide(s);
    const char *at = strstr(f->panel[f->n - 1].text, "computed now: ");
    assert_non_null(at);
    at += strlen("computed now: ");
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    figure_free(f);
    return out;
}

/* Keys of equal content that hold a share of the weight, nearest first. */
static int keys_of_share(real slope, real share)
{
    real all = 0, sum = 0;
    int n = 0;
    for (int d = 0; d < 16384; d++)
        all += expl(-slope * d);
    while (sum < share * all)
        sum += expl(-slope * n++);
    return n;
}

static real score_of_turned(real m, real n)
{
    double q[TWIN_WIDTH], k[TWIN_WIDTH], at[TWIN_AXES] = {(double)m}, from[TWIN_AXES] = {(double)n};
    static const struct twin t = {"rope", "head_dim=128;layout=interleaved"};
    real u[TWIN_WIDTH], v[TWIN_WIDTH], sum = 0;
    for (int i = 0; i < 128; i++) {
        q[i] = rng_normal(1, (uint64_t)i);
        k[i] = rng_normal(2, (uint64_t)i);
    }
    twin_turn(&t, 1, at, q, u);
    twin_turn(&t, -1, from, k, v);
    for (int c = 0; c < 128; c++)
        sum += u[c] * v[c];
    return sum;
}

static void claims_are_tested_with_right_numbers(void **state)
{
    (void)state;
    struct scenario s = open_guide(PAGE_CLAIMS);
    char text[500];
    struct written got[NUMBERS];
    wrong = 0;
    computed(&s, "G07", text, sizeof text);             /* beyond 113 tokens one bucket of T5 holds all */
    assert_int_equal(read_numbers(strchr(text, '('), got, NUMBERS), 3);
    assert_true(got[0].value == got[1].value && got[1].value == got[2].value && got[0].value != 0);
    computed(&s, "G11", text, sizeof text);
    assert_int_equal(read_numbers(text, got, NUMBERS), 3);
    expect_number(&s, "G11", text, got[1], score_of_turned(17, 5), 0);
    static const char *const windows[] = {"G14", "G18"};
    for (size_t i = 0; i < 2; i++)
        EXPECT(&s, windows[i], computed(&s, windows[i], text, sizeof text), 0, 8, 16384, 99, keys_of_share(0.5L, 0.99L), keys_of_share(1 / 256.0L, 0.99L));
    EXPECT(&s, "G12", computed(&s, "G12", text, sizeof text), 0, 32, 4096, 128, 32 * 4096 * 128 * 4 / 1048576.0L, 4096 * 128 * 4 / 1048576.0L);
    static const char *const works[] = {"G19", "G34"};
    for (size_t i = 0; i < 2; i++)
        EXPECT(&s, works[i], computed(&s, works[i], text, sizeof text), 0, 4096, 2 * 6 * 2048.0L, 4 * 2 * 4096.0L * 4096, 100 * 12 * 2048.0L / (8 * 4096.0L * 4096));
    EXPECT(&s, "G17", computed(&s, "G17", text, sizeof text), 0, 10000, 128, 2048, unfinished(10000, 128, 2048), 64, 4096);
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rankings), cmocka_unit_test(score_tables), cmocka_unit_test(results), cmocka_unit_test(answers_say_what_they_add),
        cmocka_unit_test(questions_are_counted), cmocka_unit_test(methods_are_computed), cmocka_unit_test(guide_lists), cmocka_unit_test(charts_are_as_printed),
        cmocka_unit_test(claims_are_tested_with_right_numbers),
    };
    return cmocka_run_group_tests(tests, open_book, close_book);
}
