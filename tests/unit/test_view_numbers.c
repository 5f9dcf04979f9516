/* The numbers that the views state in words and tables, against values from papers and arithmetic done elsewhere. If one of these is wrong,
 * a lecturer says a wrong number aloud with our screen behind him. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/panel.h"
#include "app/picture.h"
#include "app/view.h"
#include "base/mem.h"

static struct figure *show(const char *preset, const char *view, const char *const *settings)
{
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    if (!scenario_load_preset(&s, preset, &err) || !scenario_set_view(&s, view, &err))
        fail_msg("%s", err.text);
    for (; settings && settings[0]; settings += 2)
        if (!scenario_set(&s, settings[0], settings[1], &err))
            fail_msg("%s", err.text);
    struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
    if (!f)
        fail_msg("%s", err.text);
    scenario_done(&s);
    return f;
}

/* Is this text in a cell of a table, a note, or a text of the figure? */
static bool says(const struct figure *f, const char *text)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        if (strstr(p->note, text) || (p->text && strstr(p->text, text)))
            return true;
        for (size_t c = 0; c < p->table_rows * p->table_cols; c++)
            if (p->cell[c].text && strstr(p->cell[c].text, text))
                return true;
    }
    return false;
}

static void assert_says(const char *preset, const char *view, const char *const *settings, const char *const *texts)
{
    struct figure *f = show(preset, view, settings);
    for (; *texts; texts++)
        if (!says(f, *texts))
            fail_msg("view %s of %s does not say '%s'", view, preset, *texts);
    figure_free(f);
}
#define SAYS(preset, view, settings, ...) assert_says(preset, view, settings, (const char *const[]){__VA_ARGS__, NULL})
#define SET(...) (const char *const[]){__VA_ARGS__, NULL}

/* Guide 2.1: the printed listing doubles the exponent; of 64 pairs over 50 positions 42 turn less than 0.1 rad, 20 with the right one. */
static void the_guides_listing_against_the_right_one(void **state)
{
    (void)state;
    SAYS("encodings/sinusoidal", "table", NULL, "20 of 64", "42 of 64");
}

static void unfinished_turns(void **state)
{
    (void)state;
    SAYS("encodings/rope", "rotation", SET("trained", "2048"), "23 of 64");
    SAYS("encodings/rope", "rotation", SET("rope_theta", "500000", "trained", "8192"), "29 of 64");
    SAYS("encodings/rope", "rotation", SET("rope_theta", "1000000", "trained", "32768"), "24 of 64");
    SAYS("models/llama-3.1-8b", "rotation", NULL, "29 of 64", "kept 29", "blended 6", "divided 29");
}

/* Only the distance counts: q.k is the same after both positions move; the same vectors with the layouts mixed are not. */
static void rotation_proves_itself(void **state)
{
    (void)state;
    struct figure *f = show("models/llama-3.1-8b", "rotation", NULL);
    const struct panel *p = &f->panel[2];
    assert_string_equal(p->cell[1 * 5 + 3].text, p->cell[2 * 5 + 3].text);
    assert_string_not_equal(p->cell[1 * 5 + 3].text, p->cell[4 * 5 + 3].text);
    figure_free(f);
}

static void variance_explained_by_distance(void **state)
{
    (void)state;
    SAYS("encodings/sinusoidal", "similarity", SET("n", "96", "d_model", "64", "head_dim", "32"), "explains 1.00");
    double sum = 0, least = 1, most = 0;
    enum { DRAWS = 24 };
    for (int draw = 1; draw <= DRAWS; draw++) {
        char number[12];
        snprintf(number, sizeof number, "%d", draw);
        struct figure *f = show("encodings/sinusoidal", "similarity", SET("n", "96", "d_model", "64", "head_dim", "32", "projection", "random", "draw", number));
        double share = NAN;
        assert_int_equal(sscanf(f->panel[0].note, "distance explains %lf", &share), 1);
        sum += share;
        least = fmin(least, share);
        most = fmax(most, share);
        figure_free(f);
    }
    assert_true(fabs(sum / DRAWS - 0.12) < 0.06);       /* 0.12 in the mean of 400 draws, single draws 0.02 to 0.44 */
    assert_true(least < 0.1 && most < 0.6);
}

/* Press et al. 2022: 8 heads have slopes 1/2, 1/4, ..., 1/256; 12 heads take 2^-(1/2), 2^-(3/2), ... after them. */
static void alibi_slopes(void **state)
{
    (void)state;
    SAYS("encodings/alibi", "bias", NULL, "-0.5", "-0.25", "-0.00390625");
    SAYS("encodings/alibi", "bias", SET("num_heads", "12"), "-0.707107", "-0.353553");
}

static void number_formats(void **state)
{
    (void)state;
    SAYS("models/llama-3.1-8b", "precision", NULL, "257", "2 049", "16 777 217");
}

/* The float32 loop of llama.cpp, th = p, then th *= B^(-2/d) for each pair, and th / factor, done by hand in another language: where scaled
 * RoPE first errs by 0.01, and what is left of the angle at the end; of two axes the second starts anew. */
static void angles_by_repeated_multiplication(void **state)
{
    (void)state;
    SAYS("models/llama-3.1-8b", "precision", NULL, "0.00236", "98 878", "0.00478");
    SAYS("models/llama-2-7b", "precision", NULL, "0.000358");
    SAYS("encodings/sinusoidal_2d", "precision", SET("n", "512", "d_model", "512"), "4.33e-05");
}

/* The guide calls 猫在椅子上 and 椅子上有猫 a reordering; they differ in 在 and 有. */
static void the_guides_own_pair_is_no_reordering(void **state)
{
    (void)state;
    SAYS("encodings/nope", "attention", SET("versus", "guide"), "[在]", "[有]");
}

/* Without positions and without a mask attention is permutation equivariant; with ALiBi it is not. */
static void order_is_noticed_or_not(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *pair = i ? "en" : "zh";
        SAYS("encodings/nope", "attention", SET("versus", pair, "mask", "none"), "cannot tell the two apart");
        SAYS("encodings/alibi", "attention", SET("versus", pair), "The order is noticed");
        SAYS("encodings/rope", "attention", SET("versus", pair, "mask", "none"), "The order is noticed");
    }
    SAYS("encodings/nope", "attention", SET("versus", "en", "mask", "causal"), "only the mask tells the order");
}

/* What position changes is not nothing for a rotation, though a rotation adds no term of its own. */
static void difference_that_a_rotation_makes(void **state)
{
    (void)state;
    static const char *const ids[] = {"encodings/rope", "encodings/alibi", "encodings/nope"};
    for (size_t i = 0; i < 3; i++) {
        struct figure *f = show(ids[i], "attention", SET("content", "tokens", "terms", "difference"));
        double most = 0;
        for (int k = 0; k < f->panel[0].w * f->panel[0].h; k++)
            if (isfinite(f->panel[0].data[k]))
                most = fmax(most, fabs(f->panel[0].data[k]));
        assert_true(i < 2 ? most > 0.01 : most == 0);
        figure_free(f);
    }
}

/* 2^26 pairs are looked at, of 384 a position: 174762 positions, and two thirds of one. */
static void positions_looked_at_are_whole(void **state)
{
    (void)state;
    struct figure *f = show("encodings/sinusoidal", "precision", SET("d_model", "768", "n", "1000000", "limit", "2"));
    assert_true(says(f, "none up to 174 762"));
    assert_false(says(f, "174 762."));
    figure_free(f);
}

/* Dai et al. 2019: the last of 12 layers with segments and memory of 128 reaches 12 x 128 further than its own segment. */
static void recurrence_reaches_layers_times_memory(void **state)
{
    (void)state;
    SAYS("encodings/transformer_xl", "segments", NULL, "1 664", "= 1536");
}

/* Keys of the memory stand left of the first query, and share the weight: a row sums to 1 with them and not without. */
/* Transformer-XL, segments and memory of 128: the last token sees its own segment and the memory, 256 keys, in the first layer. The row that
 * the axis calls 1 shows that. */
static void the_map_counts_layers_from_one(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    struct readout out = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/transformer_xl", &err) && scenario_set_view(&s, "segments", &err));
    struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
    assert_non_null(f);
    assert_true(f->panel[0].y.from == 1);
    assert_true(views[VIEW_segments]->probe(&s, 0, f->panel[0].x.to - 1, 1.5, &out) && out.value == 256);
    figure_free(f);
    scenario_done(&s);
}

/* Gemma 3: the fact under the cursor with the key it came from; local layers look 512 tokens back with a base of their own, 10 000. */
static bool depends(const struct scenario *s, const char *name)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(refs[i].param->name, name))
            return view_depends(s, &refs[i]);
    fail_msg("no parameter %s", name);
    return false;
}

/* Neither is offered beside a sentence, where it would change nothing. */
static void a_sentence_has_no_length_to_be_set(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/alibi-attention", &err) && scenario_set_view(&s, "attention", &err));
    assert_true(!depends(&s, "n") && !depends(&s, "memory") && depends(&s, "seed") && depends(&s, "head_dim"));
    assert_true(scenario_set(&s, "content", "seeded", &err));
    assert_true(depends(&s, "n") && depends(&s, "memory"));
    scenario_done(&s);
}

/* A parameter that is absent is shown as what the view takes for it. */
static void assert_shown(const char *preset, const char *view, const char *name, const char *shown)
{
    struct scenario s;
    struct err err = {0};
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    char value[64] = "no such parameter";
    bool derived = false;
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, preset, &err) && scenario_set_view(&s, view, &err));
    size_t n = scenario_params(&s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(refs[i].param->name, name))
            panel_value(&s, &refs[i], value, sizeof value, &derived);
    assert_string_equal(value, shown);
    assert_true(derived);
    scenario_done(&s);
}

static void what_a_view_takes_for_an_absent_parameter(void **state)
{
    (void)state;
    assert_shown("encodings/alibi", "decay", "reach", "511");
    assert_shown("models/llama-3.1-8b", "precision", "reach", "131 072");
    assert_shown("models/llama-3.1-8b", "spectrum", "overlay_factor", "16");
    assert_shown("encodings/rope", "spectrum", "overlay_factor", "none");
    assert_shown("encodings/alibi", "grid", "rows", "14");
    assert_shown("encodings/alibi", "wizard", "question", "1");
}

/* A model of one layer has no second one. */
static void layers_that_are_not_there_are_not_drawn(void **state)
{
    (void)state;
    struct figure *f = show("encodings/transformer_xl", "segments", SET("layers", "1"));
    assert_int_equal(f->panel[1].n_xs, 2);
    assert_true(f->panel[1].xs[1] == 1);
    figure_free(f);
}

static void facts_and_layers_are_read_out(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    struct readout out = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "models/gemma-3-1b", &err) && scenario_set_view(&s, "model", &err));
    assert_true(views[VIEW_model]->probe(&s, 0, 0.5, 4.5, &out));
    assert_string_equal(out.name, "head width (head_dim)");
    assert_true(out.value == 256 && strstr(out.formula, "head_dim"));
    assert_false(views[VIEW_model]->probe(&s, 0, 0.5, 99, &out));
    assert_true(views[VIEW_model]->probe(&s, 2, 0.5, 0.5, &out));
    assert_string_equal(out.value_text, "local");
    assert_non_null(strstr(out.formula, "rope_theta 10 000; mask sliding 512"));
    scenario_done(&s);
}

/* Each row of the map of layers has layers: another part of the model is counted beside it, but has no layers in this map. */
static void no_row_of_the_layer_map_is_empty(void **state)
{
    (void)state;
    static const struct { const char *preset, *note; size_t kinds; } cases[] = {
        {"models/whisper-tiny", "4 × encoder · 4 × decoder", 1},
        {"models/gemma-3-1b", "4 × global · 22 × local (window 512)", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s;
        struct err err = {0};
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, cases[i].preset, &err) && scenario_set_view(&s, "model", &err));
        struct figure *f = view_figure(&s, 40, 160, 2, 1, &err);
        assert_non_null(f);
        const struct panel *p = &f->panel[2];
        assert_int_equal(p->kind, PANEL_HEATMAP);
        assert_int_equal(p->y.n_ticks, cases[i].kinds);
        assert_string_equal(p->note, cases[i].note);
        for (int r = 0; r < p->h; r++) {
            double most = 0;
            for (int c = 0; c < p->w; c++)
                most = fmax(most, p->data[r * p->w + c]);
            assert_true(most > 0);
        }
        figure_free(f);
        scenario_done(&s);
    }
}

/* The read-out is that of the scheme under the cursor, in the bars and in the table: a bar's length is the number that is told. */
static void costs_are_those_under_the_cursor(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "models/llama-3.1-8b", &err) && scenario_set_view(&s, "cost", &err));
    struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
    assert_non_null(f);
    assert_true(f->panel[0].n_bars > 10);
    for (size_t i = 0; i < f->panel[0].n_bars; i++) {
        struct readout bar = {0}, row = {0};
        assert_true(views[VIEW_cost]->probe(&s, 0, 0, (double)i + 0.5, &bar) && views[VIEW_cost]->probe(&s, 1, 0, (double)i + 1.5, &row));
        assert_true(bar.value == f->panel[0].bar[i].value);
        assert_non_null(strstr(bar.name, f->panel[0].bar[i].label));
        assert_string_equal(bar.name, row.name);
    }
    figure_free(f);
    scenario_done(&s);
}

/* The row and the column that are drawn are those of the place read out, before the cursor has moved and after. */
static void profiles_go_through_the_cursor(void **state)
{
    (void)state;
    static const struct { int rows, cols; double x, y; } at[] = {{60, 160, NAN, NAN}, {24, 80, NAN, NAN}, {36, 90, 100.5, 7.5}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct scenario s;
        struct err err = {0};
        struct readout out = {0};
        char through[132];
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, "encodings/sinusoidal", &err) && scenario_set_view(&s, "table", &err));
        s.cursor[0] = (struct spot){at[i].x, at[i].y};
        struct figure *f = view_figure(&s, at[i].rows, at[i].cols, 2, 1, &err);
        assert_non_null(f);
        double x = at[i].x, y = at[i].y;
        panel_step(&f->panel[0], 0, 0, &x, &y);
        assert_true(views[VIEW_table]->probe(&s, 0, x, y, &out));
        snprintf(through, sizeof through, "%s, %s", f->panel[1].series[0].label, f->panel[2].series[0].label);
        assert_string_equal(out.name, through);
        assert_string_equal(f->panel[0].x.label, "column");     /* interleaved channels are drawn grouped */
        figure_free(f);
        scenario_done(&s);
    }
}

/* A part of a sentence keeps its words: the axis of keys 4 and 5 of "the cat sat on the mat" says "the mat". */
/* The formula beside a value is that of the value, whatever moves rows against tokens; what stands in a column is called by its name. */
static void formulas_of_rows_give_the_value(void **state)
{
    (void)state;
    static const struct { const char *preset, *key, *text, *name; bool function; } all[] = {
        {"encodings/sinusoidal", "base", "10000", "position 5, channel 4", true},
        {"encodings/sinusoidal", "padding_idx", "1", "position 5, channel 4", false},
        {"encodings/sinusoidal_2d", "style", "mae", "position 5, channel 4", true},
        {"encodings/sinusoidal_2d", "style", "detr", "position 5, channel 4", false},
        {"encodings/rope", "rope_theta", "10000", "position 5, pair 4", true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct scenario s;
        struct err err = {0};
        struct readout out = {0};
        char wave[4];
        double position, w;
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, all[i].preset, &err) && scenario_set_view(&s, "table", &err));
        assert_true(scenario_set(&s, all[i].key, all[i].text, &err));
        s.cursor[0].y = 5;
        assert_true(views[VIEW_table]->probe(&s, 1, 4, NAN, &out));
        assert_string_equal(out.name, all[i].name);
        bool function = sscanf(out.formula, "%3[a-z](%lf × %lf)", wave, &position, &w) == 3;
        assert_int_equal(function, all[i].function);
        if (function)
            assert_true(fabs((strcmp(wave, "sin") ? cos : sin)(position * w) - out.value) < 1e-4);
        else
            assert_non_null(strstr(out.formula, "pair "));
        scenario_done(&s);
    }
}

static void a_part_of_a_sentence_keeps_its_words(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/alibi-attention", &err));
    s.zoom = (struct zoom){4, 6, 3, 5};
    struct figure *f = view_figure(&s, 40, 100, 2, 1, &err);
    assert_non_null(f);
    assert_int_equal(f->panel[0].x.n_ticks, 2);
    assert_string_equal(f->panel[0].x.tick[1], "mat");
    assert_string_equal(f->panel[0].y.tick[0], "on");
    figure_free(f);
    scenario_done(&s);
}

/* Six words are shown: the caption does not speak of the length that other views take. */
static void a_sentence_is_as_long_as_its_words(void **state)
{
    (void)state;
    static const struct { const char *preset, *view; bool says_n; } cases[] = {
        {"encodings/alibi-attention", "attention", false}, {"encodings/alibi-attention", "bias", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s;
        struct err err = {0};
        struct picture_room room = {.rows = 30, .cols = 120, .heat_rows = 2, .only_panel = -1};
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, cases[i].preset, &err) && scenario_set_view(&s, cases[i].view, &err));
        struct figure *f = picture_plan(&s, &room, &err);
        assert_non_null(f);
        assert_true((strstr(f->caption, " n ") != NULL) == cases[i].says_n);
        figure_free(f);
        scenario_done(&s);
    }
}

/* The partner that is taken shows the same quantity, so that there is a difference; of others none is made up. */
static void only_the_same_quantity_is_compared(void **state)
{
    (void)state;
    struct scenario s, b;
    struct err err = {0};
    struct readout out = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/alibi", &err) && scenario_set_view(&s, "compare", &err));
    scenario_copy(&b, &s);
    struct figure *f = view_figure(&s, 40, 160, 2, 1, &err);
    assert_non_null(f);
    assert_string_equal(f->panel[0].unit, "logit");
    assert_string_equal(f->panel[1].unit, "logit");
    assert_int_equal(f->panel[2].kind, PANEL_HEATMAP);
    figure_free(f);
    s.other = xmalloc(sizeof b);
    memcpy(s.other, &b, sizeof b);
    assert_true(scenario_set_encoding(s.other, "sinusoidal", &err));
    f = view_figure(&s, 40, 160, 2, 1, &err);
    assert_non_null(f);
    assert_int_equal(f->n, 3);
    assert_int_equal(f->panel[2].kind, PANEL_TEXT);
    assert_true(says(f, "dot product") && says(f, "no difference"));
    assert_true(f->panel[1].data && f->panel[1].hi > 100 && f->panel[0].hi != f->panel[1].hi);
    assert_true(views[VIEW_compare]->probe(&s, 1, 3, 7, &out));
    assert_null(strstr(out.formula, "−"));
    assert_false(views[VIEW_compare]->probe(&s, 2, 3, 7, &out));
    figure_free(f);
    scenario_done(&s);
}

/* In a layer of several encodings the source is that of what is shown, a side of a comparison has all its names, and what is in A is no B. */
static void sources_and_names_are_of_what_is_shown(void **state)
{
    (void)state;
    static const struct { const char *ids, *view, *source; } cases[] = {
        {"rope+sinusoidal", "similarity", "Vaswani et al. 2017, section 3.5 (arXiv 1706.03762)"},
        {"rope+alibi", "bias", "Press et al. 2022, section 3 (arXiv 2108.12409)"},
        {"rope+alibi", "attention", "Su et al. 2021, section 3.2 (arXiv 2104.09864); Press et al. 2022, section 3 (arXiv 2108.12409)"},
    };
    struct scenario s;
    struct err err = {0};
    struct readout out = {0};
    scenario_init(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(scenario_set_encoding(&s, cases[i].ids, &err) && scenario_set_view(&s, cases[i].view, &err));
        struct figure *f = view_figure(&s, 40, 160, 2, 1, &err);
        assert_non_null(f);
        assert_string_equal(f->source, cases[i].source);
        assert_true(views[s.view]->probe(&s, 0, 2, 2, &out));
        assert_string_equal(out.source, cases[i].source);
        figure_free(f);
    }
    assert_true(scenario_set_encoding(&s, "rope+sinusoidal", &err) && scenario_set_view(&s, "compare", &err));
    struct figure *f = view_figure(&s, 40, 200, 2, 1, &err);
    assert_non_null(f);
    assert_non_null(strstr(f->panel[0].title, "RoPE + Sinusoidal"));
    assert_null(strstr(f->panel[1].title, "Sinusoidal"));
    figure_free(f);
    assert_true(scenario_set_encoding(&s, "rope", &err) && scenario_set(&s, "of", "spectrum", &err));
    f = view_figure(&s, 40, 200, 2, 1, &err);
    assert_non_null(f);                                                   /* a B with as many pairs as A */
    figure_free(f);
    struct scenario b;
    scenario_copy(&b, &s);
    s.other = xmalloc(sizeof b);
    memcpy(s.other, &b, sizeof b);
    assert_true(scenario_set_encoding(s.other, "sinusoidal", &err));
    f = view_figure(&s, 40, 200, 2, 1, &err);
    assert_non_null(f);                                                   /* of a whole row: both are shown */
    assert_true(says(f, "different axes"));
    assert_true(f->panel[0].n_series > 0);
    assert_true(f->panel[1].n_series > 0);
    assert_true(views[s.view]->probe(&s, 0, 2, 2, &out));
    assert_null(strstr(out.formula, "−"));
    figure_free(f);
    scenario_done(&s);
}

/* A window that the mask ends: of e^(-d/256), d < 64, half is given at 30, 9 parts of 10 at 56, 99 of 100 at 63. */
static void no_head_looks_further_than_the_mask(void **state)
{
    (void)state;
    static const char *const masks[][2] = {{"sliding", "64"}, {"chunked", "64"}, {"window", "63"}};
    for (size_t i = 0; i < 3; i++) {
        struct figure *f = show("encodings/alibi", "bias", SET("n", "500", "mask", masks[i][0], "window", masks[i][1]));
        const struct panel *p = &f->panel[2];
        static const double want[] = {30, 56, 63};
        for (size_t c = 0; c < 3; c++)
            assert_true(p->cell[8 * p->table_cols + 3 + c].number == want[c]);
        assert_string_equal(p->note, "windows for a query with 64 keys");
        figure_free(f);
    }
}

/* Both that some heads are not shown and that windows are of some keys. */
static void a_note_leaves_nothing_out(void **state)
{
    (void)state;
    SAYS("encodings/alibi", "bias", SET("n", "4000000", "num_heads", "512"), "of 512 heads", "windows for a query with 1 000 000 keys");
}

/* At distance 0 every rotation leaves the vector as it is: A and B are both 1, and their difference is 0, not what rounding leaves. */
static void rounding_is_no_difference(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "models/llama-3.1-8b", &err) && scenario_set_view(&s, "compare", &err));
    static const double at[] = {0.5, 1000.5, 65535.5, 65536.5, 131071.5};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct readout out = {0};
        assert_true(views[VIEW_compare]->probe(&s, 2, at[i], at[i], &out));
        assert_true(out.value == 0 && strstr(out.formula, "A 1, B 1, A − B 0"));
    }
    scenario_done(&s);
}

/* Each number of the tiles picture is what its read-out says, for the patch whose tile it is. Axial rotations of a patch and itself: 1. */
static void tiles_say_what_they_show(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/rope_2d", &err) && scenario_set_view(&s, "grid", &err));
    struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
    assert_non_null(f);
    const struct panel *p = &f->panel[1];
    double rows = p->y.to, cols = p->x.to;
    size_t ones = 0;
    assert_true(p->h >= 3 * rows && p->w >= 3 * cols);
    for (int r = 0; r < p->h; r++)
        for (int c = 0; c < p->w; c++) {
            struct readout out = {0};
            assert_true(views[VIEW_grid]->probe(&s, 1, (c + 0.5) * cols / p->w, (r + 0.5) * rows / p->h, &out));
            assert_true(out.value == p->data[r * p->w + c]);
            ones += fabs(out.value - 1) < 1e-12;
        }
    assert_true(ones >= 9 && p->lo < 0.99);
    figure_free(f);
    scenario_done(&s);
}

/* Without a picture an encoding of two coordinates is given token p at row p, column p: no picture shows that by itself. Where no token stands, in a
 * stated window, in the view of pictures and beside text rotations, there is nothing to say. */
static void tokens_on_the_diagonal_are_said(void **state)
{
    (void)state;
    static const struct { const char *encoding, *view, *set[2]; bool said; } cases[] = {
        {"rope_2d", "similarity", {NULL}, true},      {"rope_2d", "rotation", {NULL}, true},    {"sinusoidal_2d", "table", {NULL}, true},
        {"relpos_2d", "bias", {NULL}, true},          {"relpos_2d", "bias", {"window", "7,7"}, false},
        {"rope_2d", "compare", {NULL}, true},         {"rope_2d", "grid", {NULL}, false},       {"rope_2d", "spectrum", {NULL}, false},
        {"rope_2d", "cost", {NULL}, false},           {"rope", "similarity", {NULL}, false},    {"learned", "similarity", {"style", "vit"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s;
        struct err err = {0};
        scenario_init(&s);
        assert_true(scenario_set_encoding(&s, cases[i].encoding, &err) && scenario_set_view(&s, cases[i].view, &err));
        if (cases[i].set[0] && !scenario_set(&s, cases[i].set[0], cases[i].set[1], &err))
            fail_msg("%s", err.text);
        for (s.lang = LANG_EN; s.lang <= LANG_ZH; s.lang++) {
            static const char *const words[] = {[LANG_EN] = "token p stands at row p, column p", [LANG_ZH] = "词元 p 位于第 p 行第 p 列"};
            struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
            assert_non_null(f);
            if (strcmp(f->warning, cases[i].said ? words[s.lang] : ""))
                fail_msg("%s of %s: '%s'", cases[i].view, cases[i].encoding, f->warning);
            figure_free(f);
        }
        scenario_done(&s);
    }
}

/* Of two sides only B may be one of those. */
static void tokens_on_the_diagonal_of_the_other_side_are_said(void **state)
{
    (void)state;
    static const struct { const char *view; enum compare compare; bool said; } cases[] = {
        {"similarity", COMPARE_SIDE, true}, {"similarity", COMPARE_DIFFERENCE, true}, {"similarity", COMPARE_B, true}, {"similarity", COMPARE_A, false},
        {"compare", COMPARE_OFF, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s, *b = xmalloc(sizeof *b);
        struct err err = {0};
        struct picture_room room = {.rows = 30, .cols = 120, .heat_rows = 2, .only_panel = -1};
        struct job *job = job_new_alone(1);
        scenario_init(&s);
        assert_true(scenario_set_encoding(&s, "rope", &err) && scenario_set_view(&s, cases[i].view, &err));
        scenario_copy(b, &s);
        assert_true(scenario_set_encoding(b, "rope_2d", &err));
        s.other = b;
        s.compare = cases[i].compare;
        struct figure *f = picture_plan(&s, &room, &err);
        assert_true(f && picture_compute(&s, f, job, &err));
        if ((*f->warning != '\0') != cases[i].said)
            fail_msg("%s, %d: '%s'", cases[i].view, (int)cases[i].compare, f->warning);
        figure_free(f);
        job_free_alone(job);
        scenario_done(&s);
    }
}

/* 32 heads of 128: a rotation is 4 multiply-adds for each of 64 pairs of q and of k, 16 384 a token; a temperature one a channel of q, 4 096.
 * The 8 heads of keys of Llama 3.1 make it (32 + 8) x 256; DeepSeek V3 turns one key of 32 pairs for its 128 heads. */
static void work_of_turning_and_of_scaling(void **state)
{
    (void)state;
    SAYS("models/llama-2-7b", "cost", NULL, "16 384", "4 096");
    SAYS("models/llama-3.1-8b", "cost", NULL, "10 240", "4 096");
    SAYS("models/llama-3.1-8b", "cost", SET("num_heads", "16"), "8 192");
    SAYS("models/deepseek-v3", "cost", NULL, "16 512");
}

static void memory_is_seen(void **state)
{
    (void)state;
    enum { N = 30, MEMORY = 20 };
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "encodings/transformer_xl", &err) && scenario_set_view(&s, "attention", &err));
    static const char *const settings[] = {"content", "seeded", "n", "30", "memory", "20", "mask", "causal"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += 2)
        if (!scenario_set(&s, settings[i], settings[i + 1], &err))
            fail_msg("%s", err.text);
    struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
    assert_non_null(f);
    assert_true(f->panel[0].x.from == -MEMORY && f->panel[0].x.to == N && f->panel[0].y.from == 0);
    double sum = 0, of_memory = 0;
    for (int key = -MEMORY; key < N; key++) {
        struct readout out = {0};
        assert_true(views[s.view]->probe(&s, 0, key, 7, &out) && out.known);
        if (isfinite(out.value)) {
            sum += out.value;
            of_memory += key < 0 ? out.value : 0;
        }
    }
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(of_memory > 0.1);
    figure_free(f);
    scenario_done(&s);
}

/* A table that has not room for all heads says so, and the chosen one is in it: a lecturer points at it. */
static void the_chosen_head_is_in_the_table(void **state)
{
    (void)state;
    for (int chosen = 0; chosen < 128; chosen++) {
        char number[12];
        snprintf(number, sizeof number, "%d", chosen);
        struct figure *f = show("encodings/alibi", "bias", SET("num_heads", "128", "n", "16", "head", number));
        const struct panel *p = &f->panel[2];
        int before = -1;
        bool found = false;
        assert_true(p->table_rows > 3 && p->table_rows < 128 && strstr(p->note, "of 128 heads"));
        for (size_t row = 1; row < p->table_rows; row++) {
            int head = atoi(p->cell[row * p->table_cols].text);
            assert_true(head > before);
            found |= head == chosen;
            before = head;
        }
        assert_true(found && atoi(p->cell[p->table_cols].text) == 0 && before == 127);
        figure_free(f);
    }
    struct figure *f = show("encodings/alibi", "bias", SET("n", "16"));
    assert_int_equal(f->panel[2].table_rows, 1 + 8);
    assert_null(strstr(f->panel[2].note, "heads"));
    figure_free(f);
}

/* FIRE's bias asks where the query stands: the number under the cursor is of the query of the curve, however far one zooms in. */
static void a_curve_and_its_read_out_ask_one_query(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_view(&s, "decay", &err) && scenario_set_encoding(&s, "fire+shaw", &err) && scenario_set(&s, "n", "300", &err) && scenario_set(&s, "L", "8", &err));
    for (int zoomed = 0; zoomed < 2; zoomed++) {
        struct figure *f = view_figure(&s, 60, 160, 2, 1, &err);
        assert_non_null(f);
        const struct panel *p = &f->panel[0];
        assert_true(p->n_xs > 3);
        for (size_t i = 0; i < p->n_xs; i++) {
            struct readout out = {0};
            if (p->xs[i] != floor(p->xs[i]))
                continue;
            assert_true(views[s.view]->probe(&s, 0, p->xs[i], 0, &out) && out.known);
            assert_true(fabs(out.value - p->series[0].y[i]) < 1e-12);
        }
        figure_free(f);
        s.zoom.x0 = 2;
        s.zoom.x1 = 20;
    }
    scenario_done(&s);
}

static void weights_to_train(void **state)
{
    (void)state;
    SAYS("encodings/learned", "cost", NULL, "65 536");      /* 512 x 128 */
    SAYS("encodings/t5_bias", "cost", NULL, "256");         /* 32 buckets x 8 heads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guides_listing_against_the_right_one), cmocka_unit_test(unfinished_turns),
        cmocka_unit_test(rotation_proves_itself),                   cmocka_unit_test(variance_explained_by_distance),
        cmocka_unit_test(alibi_slopes),                             cmocka_unit_test(number_formats),
        cmocka_unit_test(angles_by_repeated_multiplication),        cmocka_unit_test(no_head_looks_further_than_the_mask),
        cmocka_unit_test(the_guides_own_pair_is_no_reordering),     cmocka_unit_test(order_is_noticed_or_not),
        cmocka_unit_test(recurrence_reaches_layers_times_memory),   cmocka_unit_test(weights_to_train), cmocka_unit_test(a_curve_and_its_read_out_ask_one_query),
        cmocka_unit_test(the_chosen_head_is_in_the_table),
        cmocka_unit_test(difference_that_a_rotation_makes),
        cmocka_unit_test(memory_is_seen),                           cmocka_unit_test(the_map_counts_layers_from_one),
        cmocka_unit_test(facts_and_layers_are_read_out),
        cmocka_unit_test(no_row_of_the_layer_map_is_empty),            cmocka_unit_test(costs_are_those_under_the_cursor),
        cmocka_unit_test(profiles_go_through_the_cursor),           cmocka_unit_test(formulas_of_rows_give_the_value),
        cmocka_unit_test(what_a_view_takes_for_an_absent_parameter), cmocka_unit_test(a_sentence_has_no_length_to_be_set),
        cmocka_unit_test(positions_looked_at_are_whole),            cmocka_unit_test(layers_that_are_not_there_are_not_drawn),
        cmocka_unit_test(a_part_of_a_sentence_keeps_its_words),
        cmocka_unit_test(a_sentence_is_as_long_as_its_words),
        cmocka_unit_test(sources_and_names_are_of_what_is_shown), cmocka_unit_test(a_note_leaves_nothing_out),
        cmocka_unit_test(rounding_is_no_difference),                 cmocka_unit_test(only_the_same_quantity_is_compared),
        cmocka_unit_test(tiles_say_what_they_show),
        cmocka_unit_test(tokens_on_the_diagonal_are_said),
        cmocka_unit_test(tokens_on_the_diagonal_of_the_other_side_are_said),
        cmocka_unit_test(work_of_turning_and_of_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
