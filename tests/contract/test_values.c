/* Numbers that a user reads, against tests/support/twin.h: read-outs, dials, cells, notes and labels of the views are taken apart, and each number
 * in them must be the right one, rounded as correctly as its digits say: "6.28319" claims half a unit of its last digit. If this fails, a
 * wrong number stands on the screen. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/values.h"
#include "base/rng.h"
#include "figure/axis.h"

/* ---- rotation and spectrum ----------------------------------------------------------------------------- */

#define SHAPE ";num_heads=2;length=64"
static const struct twin turning[] = {
    {"rope", "head_dim=128" SHAPE}, {"rope", "head_dim=2;rope_theta=1.0001" SHAPE}, {"rope", "head_dim=16;rope_theta=1e12;layout=interleaved" SHAPE},
    {"rope", "head_dim=128;rope_theta=500000;factor=8;original_max_position_embeddings=8192;rope_type=llama3" SHAPE},
    {"rope", "head_dim=64;factor=1e6;original_max_position_embeddings=4096;rope_type=yarn" SHAPE},
    {"rope", "head_dim=32;rope_type=proportional;partial_rotary_factor=0.25" SHAPE}, {"rope", "head_dim=16;factor=8;rope_type=linear" SHAPE},
    {"rope", "head_dim=16;factor=4;max_position_embeddings=32;rope_type=dynamic" SHAPE}, {"rope", "rotary_dim=4;head_dim=9" SHAPE},
    {"ggml_rope", "head_dim=16;freq_scale=0.25;n_ctx_orig=4096;ext_factor=1" SHAPE}, {"ggml_rope", "head_dim=8;mode=neox;freq_factors=1,2,8,1e30" SHAPE},
    {"rope_2d", "head_dim=16;style=pixtral" SHAPE}, {"rope_2d", "head_dim=16;style=dinov3;grid=4,6" SHAPE}, {"xpos", "head_dim=8" SHAPE},
};
enum { TURNING = sizeof turning / sizeof *turning };
static const double positions[][2] = {{4096, 4000}, {0, 0}, {1, 7}, {1e9, 123456789}};

static real trained_of(const struct scenario *s, const struct twin *t)
{
    real stated = !strcmp(t->id, "ggml_rope") ? twin_num(t, "n_ctx_orig", NAN) : twin_original(t);
    return !isnan(s->trained) ? (real)s->trained : !isnan(stated) ? stated : (real)s->shape.length;
}

/* Pairs that do not turn (p-RoPE) did not in training. */
static real when_trained(const struct twin_pair *p)
{
    return p->band == TWIN_OFF ? 0 : p->unscaled;
}

static void check_dial(const struct scenario *s, const struct dial *d, const struct twin_pair *p, real m, real n, real trained)
{
    real turns = m * p->w / (2 * twin_pi), slack = 8 * DBL_EPSILON * fabsl(m * p->w);
    EXPECT(s, "dial, above", d->above, 0, wavelength(p->w));
    EXPECT(s, "dial, below", d->below, slack, turns);
    const real hands[] = {m * p->w, n * p->w};
    for (int h = 0; h < 2; h++) {
        real off = fabsl(remainderl(hands[h] - d->angle[h], 2 * twin_pi));
        if (off > 1e-14L + 8 * DBL_EPSILON * fabsl(hands[h]) && ++wrong <= 30)
            print_error("%s: %s hand %d points to %.17g, want %.17Lg\n", s->item[0].kind->id, d->label, h, d->angle[h], hands[h]);
    }
    if (d->flagged != (wavelength(when_trained(p)) > trained) && ++wrong <= 30)
        print_error("%s: %s is%s marked\n", s->item[0].kind->id, d->label, d->flagged ? "" : " not");
}

/* q.k after turning, of the vectors that the view seeds. */
static real product(const struct scenario *s, const struct twin *q_side, const struct twin *k_side, double m, double n)
{
    int d = twin_d_head(q_side);
    double q[TWIN_WIDTH] = {0}, k[TWIN_WIDTH] = {0}, at_m[] = {m, m, m, m}, at_n[] = {n, n, n, n};
    real u[TWIN_WIDTH], v[TWIN_WIDTH], sum = 0;
    for (int i = 0; i < d; i++) {
        q[i] = rng_normal(s->seed, 2 * (uint64_t)i);
        k[i] = rng_normal(s->seed + 1, 2 * (uint64_t)i);
    }
    twin_turn(q_side, 1, at_m, q, u);
    twin_turn(k_side, -1, at_n, k, v);
    for (int i = 0; i < d; i++)
        sum += u[i] * v[i];
    return sum;
}

static void check_proof(const struct scenario *s, const struct twin *t, const struct panel *p, double m, double n, double by)
{
    real here = product(s, t, t, m, n), shifted = product(s, t, t, m + by, n + by);
    const real rows[][3] = {{m, n, here}, {m + by, n + by, shifted}};
    for (size_t r = 1; r < 3; r++)
        for (size_t c = 1; c < 4; c++)
            if (strcmp(p->cell[r * p->table_cols + c].text, " NaN"))
                EXPECT(s, "proof", p->cell[r * p->table_cols + c].text, c == 3 ? 4e-16L * (m + n + by) * twin_d_head(t) : 0, rows[r - 1][c - 1]);
    bool none = !strcmp(p->cell[2 * p->table_cols + 3].text, " NaN");
    assert_string_equal(p->cell[2 * p->table_cols + 4].text, none ? "no value" : "equal");
}

static void check_rotation(const struct twin *t, double m, double n)
{
    char more[100];
    snprintf(more, sizeof more, "position=%.0f;other=%.0f;shift=1000", m, n);
    struct scenario s = open(t, "rotation", more);
    struct figure *f = draw(&s);
    const struct twin_pair *p;
    int pairs = twin_pairs(t, &p), unfinished = 0;
    real trained = trained_of(&s, t), kept = 0, blended = 0, divided = 0;
    for (int k = 0; k < pairs; k++) {
        unfinished += wavelength(when_trained(&p[k])) > trained;
        int band = p[k].band < 0 ? s.n_items == 0 : p[k].band;
        kept += band == TWIN_KEPT;
        blended += band == TWIN_BLENDED;
        divided += band == TWIN_DIVIDED;
    }
    EXPECT(&s, "note of dials", f->panel[0].note, 0, unfinished, pairs, trained);
    if (twin_is(t, "rope_type", "default", "dynamic"))
        (void)kept;                     /* what a changed base makes of bands: test_compute */
    else if (*f->panel[1].note)
        EXPECT(&s, "bands", f->panel[1].note, 0, kept, blended, divided);
    for (size_t i = 0; i < f->panel[0].n_dials; i++)
        check_dial(&s, &f->panel[0].dial[i], &p[(int)f->panel[0].xs[i]], m, n, trained);
    for (int panel = 0; panel < 2; panel++)
        for (int k = 0; k < pairs; k += pairs > 8 ? 7 : 1) {
            struct readout r = probe(&s, panel, k, 0);
            real turns = m * p[k].w / (2 * twin_pi), slack = 8 * DBL_EPSILON * fabsl(m * p[k].w);
            EXPECT(&s, "name", r.name, 0, k, p[k].a, p[k].b);
            EXPECT(&s, "value", r.value_text, 0, wavelength(p[k].w));
            bool scaled = strstr(r.formula, "unscaled") != NULL;
            real want[] = {p[k].w, m, m * p[k].w, turns, wavelength(p[k].unscaled)};
            char *formula = strchr(r.formula, ',');         /* after "2π / ω" */
            assert_true(scaled == ((double)p[k].unscaled != (double)p[k].w) || fabsl(p[k].unscaled - p[k].w) < 1e-15L);
            expect(&s, "formula", formula, want, 4 + scaled, slack);
        }
    check_proof(&s, t, &f->panel[2], m, n, 1000);
    figure_free(f);
    scenario_done(&s);
}

static void rotations(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < TURNING; i++)
        for (size_t p = 0; p < sizeof positions / sizeof *positions; p++)
            check_rotation(&turning[i], positions[p][0], positions[p][1]);
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_rotation] > 2000);
}

static void spectra(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < TURNING; i++) {
        struct scenario s = open(&turning[i], "spectrum", "trained=4096");
        const struct twin_pair *p;
        for (int k = 0, n = twin_pairs(&turning[i], &p); k < n; k += n > 8 ? 5 : 1) {
            struct readout r = probe(&s, 0, k, 0);
            const char *band = strstr(r.formula, p[k].band == TWIN_OFF ? "not turning" : p[k].band == TWIN_KEPT ? "kept" : p[k].band == TWIN_BLENDED ? "blended" : "divided");
            if (!band && p[k].band >= 0 && ++wrong <= 30)
                print_error("spectrum, %s: \"%s\" names another band than %d\n", turning[i].id, r.formula, p[k].band);
            struct written got[NUMBERS];
            size_t n_got = read_numbers(r.formula, got, NUMBERS);
            const real want[] = {p[k].w, 2, wavelength(p[k].w), wavelength(p[k].unscaled), 4096 * when_trained(&p[k]) / (2 * twin_pi)};
            size_t at = 0;
            for (size_t w = 0; w < 5; w++)              /* "2π/ω" is no number of its own */
                if (w != 1 && at < n_got) {
                    at += got[at].value == 2 && w == 2 && !got[at].infinite && got[at].unit == 1 ? 1 : 0;
                    expect_number(&s, "formula", r.formula, got[at++], want[w], 0);
                }
            real shown = r.value;
            if (isfinite((double)wavelength(p[k].w)) && fabsl(shown - wavelength(p[k].w)) > 1e-9L * shown && ++wrong <= 30)
                print_error("spectrum, %s pair %d: value %.12Lg, want %.12Lg\n", turning[i].id, k, shown, wavelength(p[k].w));
        }
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_spectrum] > 200);
}

/* ---- segments: who reaches whom, layer by layer --------------------------------------------------------- */

enum { LONG = 3000 };

static void step_down(int scheme, int S, int M, int sinks, int n, const bool *reached, bool *out)
{
    memset(out, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
        if (!reached[i])
            continue;
        int from = scheme == 0 ? i / S * S - M : i - (S + M) + 1;
        for (int j = from < 0 ? 0 : from; j <= i; j++)
            out[j] = true;
        for (int j = 0; scheme == 2 && j < sinks && j <= i; j++)
            out[j] = true;
    }
}

static int count(const bool *x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static void check_segments(int S, int M, int layers, int sinks)
{
    static const char *const schemes[] = {"recurrence", "window", "streaming"};
    static const struct twin none = {"nope", "num_heads=1;length=8"};
    struct scenario s = open(&none, "segments", "");
    const struct { const char *name; int x; } set[] = {{"segment", S}, {"mem_len", M}, {"layers", layers}, {"sinks", sinks}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        s.view_param[VIEW_segments][own_param(VIEW_segments, set[i].name)].x = set[i].x;
    int at = own_param(VIEW_segments, "scheme");
    for (int scheme = 0; scheme < 3; scheme++) {
        s.view_param[VIEW_segments][at].x = scheme;
        struct figure *f = draw(&s);
        int n = (int)f->panel[0].x.to;
        bool reached[LONG] = {false}, below[LONG];
        assert_true(n <= LONG);
        reached[n - 1] = true;
        for (int layer = 1; layer <= layers; layer++) {
            step_down(scheme, S, M, sinks, n, reached, below);
            memcpy(reached, below, sizeof reached);
            for (int x = 0; x < n; x += n / 7 + 1) {
                struct readout r = probe(&s, 0, x + 0.5, layer + 0.5);
                EXPECT(&s, "tokens reached", r.value_text, 0, count(reached, n));
                bool says = strstr(r.formula, ": reached") != NULL;
                if (says != reached[x] && ++wrong <= 30)
                    print_error("segments, %s, layer %d: \"%s\"\n", schemes[scheme], layer, r.formula);
            }
            struct readout r = probe(&s, 1, layer, 0);
            EXPECT(&s, "tokens reached, curve", r.value_text, 0, count(reached, n));
        }
        const char *cell = f->panel[2].cell[(size_t)(scheme + 1) * f->panel[2].table_cols + 2].text;
        EXPECT(&s, "tokens within reach", cell, 0, count(reached, n));
        EXPECT(&s, "keys a query", f->panel[2].cell[(size_t)(scheme + 1) * f->panel[2].table_cols + 1].text, 0, S + M + (scheme == 2 ? sinks : 0));
        EXPECT(&s, "note", f->panel[2].note, 0, layers * M);
        for (int r = 0; r < f->panel[0].h; r++)             /* the map of the last layer drawn */
            for (int c = 0; r == f->panel[0].h - 1 && c < f->panel[0].w; c++) {
                int from = (int)axis_edge(&f->panel[0].x, f->panel[0].w, c), to = (int)axis_edge(&f->panel[0].x, f->panel[0].w, c + 1);
                to = to > from ? to : from + 1;
                real share = (real)count(reached + from, to - from) / (to - from);
                if (fabsl(share - f->panel[0].data[r * f->panel[0].w + c]) > 1e-12L && ++wrong <= 30)
                    print_error("segments, %s (S %d, M %d, %d layers, %d sinks): positions %d to %d are drawn as %g, want %Lg\n", schemes[scheme], S, M, layers, sinks, from, to - 1,
                                f->panel[0].data[r * f->panel[0].w + c], share);
            }
        figure_free(f);
    }
    scenario_done(&s);
}

static void segments(void **state)
{
    (void)state;
    wrong = 0;
    check_segments(4, 4, 3, 2);
    check_segments(16, 8, 5, 4);
    check_segments(5, 0, 4, 1);
    check_segments(1, 3, 6, 0);
    check_segments(128, 128, 6, 4);
    check_segments(7, 30, 2, 20);
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_segments] > 200);
}

/* ---- cost: counted one by one --------------------------------------------------------------------------- */

static real pairs_allowed(const char *mask, int n, int size)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += !strcmp(mask, "none") ? 1 : !strcmp(mask, "window") ? abs(i - j) <= size : j > i ? 0 : !strcmp(mask, "causal") ? 1
                 : !strcmp(mask, "sliding") ? i - j < size : i / size == j / size;
    return sum;
}

/* Trained numbers, work a token and work a pair of a kind with its defaults, from the papers' own count. H heads of d, width D = H d. */
static const struct { const char *id; real weights, token, pair; const char *settings; } counted[] = {
#define H 4.0L
#define D_HEAD 16.0L
#define D_MODEL (H * D_HEAD)
    {"nope", 0, 0, 0, NULL}, {"sinusoidal", 0, D_MODEL, 0, NULL}, {"learned", 512 * D_MODEL, D_MODEL, 0, NULL},
    {"rope", 0, H * 2 * 4 * D_HEAD / 2, 0, NULL}, {"alibi", 0, 0, H, NULL}, {"t5_bias", 32 * H, 0, H, NULL}, {"kerple", 2 * H, 0, H, NULL}, {"sandwich", 0, 0, H, NULL},
    {"fire", 32 + 32 + 32 * H + H + 2, 0, H, NULL}, {"cope", 64 * D_HEAD, 0, H * D_HEAD, NULL}, {"shaw", 33 * D_HEAD, 0, H * D_HEAD, NULL},
    {"shaw", 79 * D_HEAD, 0, H * D_HEAD, "position_embedding_type=relative_key;shaw.max_position_embeddings=40"},
    {"shaw", 79 * D_HEAD, 0, 2 * H * D_HEAD, "position_embedding_type=relative_key_query;shaw.max_position_embeddings=40"},
    {"transformer_xl", D_MODEL * D_MODEL + 2 * D_MODEL, H * D_HEAD, H * D_HEAD + H, NULL},        /* u . k once a key */
    {"deberta", 512 * D_MODEL, 0, 2 * H * D_HEAD, NULL}, {"deberta", 512 * D_MODEL, 0, H * D_HEAD, "pos_att_type=c2p"},
    {"relpos_2d", 13 * 13 * H, 0, H, NULL}, {"attn_temperature", 0, H * D_HEAD, 0, NULL},
};

static void costs(void **state)
{
    (void)state;
    wrong = 0;
    static const struct { const char *mask; int n, size; } masks[] = {{"causal", 40, 1}, {"none", 33, 1}, {"sliding", 40, 7}, {"sliding", 5, 9}, {"chunked", 41, 8}, {"window", 30, 4}, {"window", 3, 9}, {"causal", 1, 1}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
            for (int weights = 0; weights < 2; weights++) {
                struct twin t = {counted[i].id, "num_heads=4;head_dim=16;d_model=64"};
                char more[200];
                const char *settings = counted[i].settings;
                snprintf(more, sizeof more, "n=%d;mask=%s;show=%s%s%s", masks[m].n, masks[m].mask, weights ? "weights" : "work", settings ? ";" : "",
                         settings ? settings : "");
                struct scenario s = open(&t, "cost", more);
                s.mask.size = masks[m].size;
                struct figure *f = draw(&s);
                real pairs = pairs_allowed(masks[m].mask, masks[m].n, masks[m].size), n = masks[m].n, work = counted[i].token * n + counted[i].pair * pairs;
                struct readout bar = probe(&s, 0, 0, 0.5), row = probe(&s, 1, 0, 1.5);
                EXPECT(&s, "value", bar.value_text, 0, weights ? counted[i].weights : work);
                EXPECT(&s, "value of the row", row.value_text, 0, weights ? counted[i].weights : work);
                EXPECT(&s, "formula", bar.formula, 0, counted[i].token, n, counted[i].pair, pairs);
                const real cells[] = {counted[i].weights, counted[i].token, counted[i].pair};
                for (size_t c = 0; c < 3; c++)
                    EXPECT(&s, "cell", f->panel[1].cell[f->panel[1].table_cols + c + 1].text, 0, cells[c]);
                assert_true(f->panel[0].bar[0].value == (double)(weights ? counted[i].weights : work));
                figure_free(f);
                scenario_done(&s);
            }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_cost] > 500);
}
#undef H
#undef D_HEAD
#undef D_MODEL

/* ---- values of positions --------------------------------------------------------------------------------- */

static void table_values(void **state)
{
    (void)state;
    wrong = 0;
    static const struct twin rows[] = {
        {"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=64"}, {"sinusoidal", "d_model=9;num_heads=1;head_dim=9;length=1000000000;layout=half"},
        {"sinusoidal", "d_model=12;num_heads=2;head_dim=6;length=100;variant=doubled_exponent;base=100"}, {"sinusoidal", "d_model=2;num_heads=1;head_dim=2;length=3;base=1e12"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario s = open(&rows[i], "table", "columns=held");
        int D = twin_d_model(&rows[i]);
        for (double at = 0; at < (double)twin_length(&rows[i]); at = at * 7 + 1)
            for (int c = 0; c < D; c++) {
                struct readout r = probe(&s, 0, c + 0.5, at + 0.5);
                twin_slack = 0;
                real want = twin_row(&rows[i], (double[TWIN_AXES]){at}, c), rounding = twin_slack;
                check_value(&s, &r, want, rounding);
                const struct twin_pair *p;
                int n = twin_pairs(&rows[i], &p), k = 0;
                while (k < n && p[k].a != c && p[k].b != c)
                    k++;
                EXPECT(&s, "name", r.name, 0, at, c);
                EXPECT(&s, "formula", r.formula, 0, at, p[k].w, k, wavelength(p[k].w));
            }
        scenario_done(&s);
    }
    for (size_t i = 0; i < TURNING; i++)
        for (int show = 0; show < 3; show++) {
            static const char *const shows[] = {"show=cos", "show=sin", "show=angle"};
            if (!strcmp(turning[i].id, "rope_2d"))
                continue;                               /* its angles are those of patches, not of tokens: the grid */
            struct scenario s = open(&turning[i], "table", shows[show]);
            const struct twin_pair *p;
            int n = twin_pairs(&turning[i], &p);
            for (int k = 0; k < n; k += n > 8 ? 9 : 1)
                for (double at = 0; at < 64; at += 9) {
                    struct readout r = probe(&s, 0, k + 0.5, at + 0.5);
                    twin_slack = 0;
                    real angle = twin_angle(&p[k], (double[]){at, at, at, at}), m = show < 2 ? twin_magnitude(&turning[i]) : 1;
                    check_value(&s, &r, show == 0 ? m * cosl(angle) : show == 1 ? m * sinl(angle) : r.value, twin_slack * 4);
                }
            scenario_done(&s);
        }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_table] > 1000);
}

static const struct twin biases[] = {
    {"alibi", "num_heads=8;head_dim=4;length=64"}, {"alibi", "num_heads=12;head_dim=4;length=1000000000;form=symmetric"}, {"alibi", "num_heads=3;head_dim=4;length=50;alibi_bias_max=4"},
    {"kerple", "num_heads=2;head_dim=4;length=64;r1=1.5,0.25;r2=0.5,2"}, {"kerple", "num_heads=2;head_dim=4;length=1000000000;kernel=power;r1=0.5,0.1;r2=1,0.3"},
    {"sandwich", "num_heads=4;head_dim=4;length=64;bar_d=32"}, {"sandwich", "num_heads=2;head_dim=4;length=1000000;index_start=0"},
};

static void bias_values(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof biases / sizeof *biases; i++)
        for (int head = 0; head < twin_heads(&biases[i]); head += 1 + twin_heads(&biases[i]) / 3) {
            char more[40];
            snprintf(more, sizeof more, "head=%d", head);
            struct scenario s = open(&biases[i], "bias", more);
            double last = (double)twin_length(&biases[i]) - 1;
            for (double far = 0; far <= last; far = far * 5 + 1) {
                struct readout r = probe(&s, 0, last - far + 0.5, last + 0.5), curve = probe(&s, 1, far, 0);
                twin_slack = 0;
                real want = twin_bias(&biases[i], head, (double[TWIN_AXES]){last}, (double[TWIN_AXES]){last - far}), slack = twin_slack;
                check_value(&s, &r, want, slack);
                check_value(&s, &curve, want, slack);
                EXPECT(&s, "name", r.name, 0, head, last, last - far);
                EXPECT(&s, "formula", r.formula, slack, far, expl(want));
            }
            scenario_done(&s);
        }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_bias] > 300);
}

/* Change of the logit against distance 0: of a bias; of a turn, for q and k of unit variance, the mean cosine times sqrt(d_head) or what the
 * view's vectors say is in test_measure. */
static void decay_values(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof biases / sizeof *biases; i++) {
        struct scenario s = open(&biases[i], "decay", "show=logit");
        double last = (double)twin_length(&biases[i]) - 1;
        for (double far = 0; far <= last; far = far * 5 + 1) {
            struct readout r = probe(&s, 0, far, 0);
            int head = (int)view_num(&s, VIEW_decay, own_param(VIEW_decay, "head"));
            twin_slack = 0;
            real want = twin_bias(&biases[i], head, (double[TWIN_AXES]){last}, (double[TWIN_AXES]){last - far}) - twin_bias(&biases[i], head, (double[TWIN_AXES]){last}, (double[TWIN_AXES]){last});
            check_value(&s, &r, want, twin_slack);
            struct written got[NUMBERS];
            size_t n = read_numbers(r.formula, got, NUMBERS);
            assert_true(n >= 3);
            expect_number(&s, "formula", r.formula, got[2], want, twin_slack);
            expect_number(&s, "formula", r.formula, got[n - 1], expl(want), twin_slack);
        }
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_decay] > 100);
}

static void similarity_values(void **state)
{
    (void)state;
    wrong = 0;
    static const struct twin t[] = {
        {"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=64"}, {"sinusoidal", "d_model=8;num_heads=1;head_dim=8;length=1000000000"},
        {"rope", "head_dim=128;num_heads=1;length=10000000"}, {"rope", "head_dim=2;num_heads=1;length=64"}, {"xpos", "head_dim=8;num_heads=1;length=64"},
        {"alibi", "num_heads=4;head_dim=4;length=1000000000"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct scenario s = open(&t[i], "similarity", "");
        double last = (double)twin_length(&t[i]) - 1;
        for (double far = 0; far <= last; far = far * 4 + 1) {
            struct readout r = probe(&s, 0, last - far + 0.5, last + 0.5);
            const struct twin_pair *p;
            int n = twin_pairs(&t[i], &p);
            real want = 0, slack = 0;
            twin_slack = 0;
            for (int k = 0; k < n; k++)
                want += cosl(far * p[k].w) * powl(p[k].growth, far) / (strcmp(t[i].id, "sinusoidal") ? n : 1);
            if (!n)
                want = twin_bias(&t[i], 0, (double[TWIN_AXES]){last}, (double[TWIN_AXES]){last - far});
            slack = n * 8 * DBL_EPSILON * (strcmp(t[i].id, "sinusoidal") ? far : last);
            check_value(&s, &r, want, slack);
            EXPECT(&s, "name", r.name, 0, last, last - far, far);
        }
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_similarity] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations), cmocka_unit_test(spectra), cmocka_unit_test(segments), cmocka_unit_test(costs), cmocka_unit_test(table_values),
        cmocka_unit_test(bias_values), cmocka_unit_test(decay_values), cmocka_unit_test(similarity_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
