/* Every encoding of the registry, without knowing any: defaults, each parameter alone at both ends and at every
 * choice, the promises measured, the spectrum against the turn, the profile against the bias. If these fail, a slider
 * crashes the program or shows numbers that are none, or a claim on the screen is false. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/encoding.h"
#include "core/field.h"
#include "core/quantity.h"

enum { N = 8, D_HEAD = 16, HEADS = 4, D_MODEL = HEADS * D_HEAD, LENGTH = 64 };
static const struct shape shape = {.length = LENGTH, .n_heads = HEADS, .d_head = D_HEAD, .d_model = D_MODEL};

/* ---- what every test uses ------------------------------------------------------------------------------ */

/* N positions of an encoding, on all its axes: tokens of a text, or patches of a grid of 4 x 4. */
static void fill_positions(const struct enc *e, double shift, double *pos)
{
    static const double text[N] = {0, 1, 2, 5, 11, 17, 30, 41};
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < (size_t)e->axes; a++)
            pos[i * (size_t)e->axes + a] = shift + (e->axes == 1 ? text[i] : a == 0 ? (double)(i % 4) : (double)(i / 2));
}

static void fill_vectors(uint64_t seed, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = rng_normal(seed, i);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Everything that the hooks give at N positions, one number a place. */
struct results {
    double row[N][D_MODEL], query[N][D_HEAD], key[N][D_HEAD], bias[HEADS][N][N], term[2][N][N];
};

static void run_context(const struct enc *e, const double *pos, struct results *r)
{
    double q[N * D_HEAD], k[N * D_HEAD], content[N];
    fill_vectors(3, N * D_HEAD, q);
    fill_vectors(4, N * D_HEAD, k);
    for (int t = 0; t < 2 && e->kind->terms[t]; t++) {
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++)
                content[j] = e->scale * dot(q + i * D_HEAD, k + j * D_HEAD, D_HEAD);
            struct query query = {pos + i * (size_t)e->axes, q + i * D_HEAD};
            struct keys keys = {N, pos, k, content};
            e->kind->context(e, t, 1, &query, &keys, r->term[t][i]);
        }
    }
}

static struct results *run_hooks(const struct enc *e, double shift)
{
    double pos[N * TABLE_MAX_RANK];
    struct results *r = xcalloc(1, sizeof *r);
    fill_positions(e, shift, pos);
    if (e->kind->row)
        e->kind->row(e, pos, N, r->row[0]);
    if (e->kind->rotate) {
        fill_vectors(1, N * D_HEAD, r->query[0]);
        fill_vectors(2, N * D_HEAD, r->key[0]);
        e->kind->rotate(e, SIDE_QUERY, 1, pos, N, r->query[0]);
        e->kind->rotate(e, SIDE_KEY, 1, pos, N, r->key[0]);
    }
    for (int h = 0; e->kind->bias && h < HEADS; h++)
        for (size_t i = 0; i < N; i++)
            e->kind->bias(e, h, pos + i * (size_t)e->axes, pos, N, r->bias[h][i]);
    if (e->kind->context)
        run_context(e, pos, r);
    return r;
}

/* Numbers, or none where an encoding has none: past a learned table, past the edge of a window, and where the growing
 * scale of xPos leaves the range of doubles. Infinities never. */
static bool all_numbers(const struct enc *e, const struct results *r, bool strict)
{
    const double *v = r->row[0];
    bool grows = e->kind->spectrum && e->kind->spectrum(e)->growth, may_lack = grows || e->kind->promises & PROMISE_NEEDS_TABLE;
    for (size_t i = 0; i < sizeof *r / sizeof *v; i++)
        if (isinf(v[i]) || (isnan(v[i]) && (strict || !may_lack)))
            return false;
    return true;
}

static bool spectrum_is_sound(const struct enc *e)
{
    const struct spectrum *s = e->kind->spectrum ? e->kind->spectrum(e) : NULL;
    int width = e->kind->row ? D_MODEL : D_HEAD;
    for (size_t k = 0; s && k < s->n; k++) {
        if (!isfinite(s->inv_freq[k]) || s->a[k] < 0 || s->a[k] >= width || s->b[k] >= width || s->a[k] == s->b[k])
            return false;
        if (s->axis && (s->axis[k] < 0 || s->axis[k] >= e->axes))
            return false;
    }
    return true;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* What the spectrum says q at i and k at j score: pair by pair magnitude^2 growth^(i-j) times the turned product;
 * channels in no pair as they are. *angle is the sum of all angles: their rounding is what the two may differ by. */
static double score_by_spectrum(const struct enc *e, const double *q, const double *k, const double *i, const double *j,
                                double *angle)
{
    const struct spectrum *s = e->kind->spectrum(e);
    double sum = dot(q, k, D_HEAD);
    *angle = 0;
    for (size_t p = 0; p < s->n; p++) {
        int axis = s->axis ? s->axis[p] : 0, a = s->a[p], b = s->b[p];
        double d = i[axis] - j[axis], t = s->inv_freq[p] * d;
        *angle += fabs(s->inv_freq[p] * i[axis]) + fabs(s->inv_freq[p] * j[axis]);
        double strength = s->attention_factor * s->attention_factor * (s->growth ? pow(s->growth[p], d) : 1);
        sum -= q[a] * k[a] + q[b] * k[b];
        sum += strength * ((q[a] * k[a] + q[b] * k[b]) * cos(t) + (q[a] * k[b] - q[b] * k[a]) * sin(t));
    }
    return sum;
}

static void check_spectrum(const struct enc *e)
{
    double pos[N * TABLE_MAX_RANK], q[N * D_HEAD], k[N * D_HEAD];
    struct results *r = run_hooks(e, 0);
    size_t axes = (size_t)e->axes;
    fill_positions(e, 0, pos);
    fill_vectors(1, N * D_HEAD, q);
    fill_vectors(2, N * D_HEAD, k);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double angle, want = score_by_spectrum(e, q + i * D_HEAD, k + j * D_HEAD, pos + i * axes, pos + j * axes, &angle);
            if (fabs(dot(r->query[i], r->key[j], D_HEAD) - want) > 1e-9 * fmax(1, fabs(want)) + 1e-14 * angle)
                fail_msg("%s: q at %g, k at %g score %g, the spectrum says %g", e->kind->id, pos[i * axes], pos[j * axes],
                         dot(r->query[i], r->key[j], D_HEAD), want);
        }
    free(r);
}

static struct enc *open_default(const struct encoding *kind)
{
    struct err err = {0};
    struct enc *e = enc_open(kind, &shape, NULL, &err);
    if (!e)
        fail_msg("%s does not open with its defaults: %s", kind->id, err.text);
    return e;
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

/* Opens with one parameter changed: finite numbers, or a message. */
static void try_value(const struct encoding *kind, size_t p, struct value x)
{
    struct value v[ENC_MAX_PARAMS];
    struct err err = {0};
    char text[64];
    for (size_t i = 0; i < kind->n_params; i++)
        v[i] = (struct value){kind->params[i].def, NULL};
    v[p] = x;
    struct enc *e = enc_open(kind, &shape, v, &err);
    param_format(&kind->params[p], x, text, sizeof text);
    if (!e && !*err.text)
        fail_msg("%s: %s = %s is refused without a word", kind->id, kind->params[p].name, text);
    struct results *r = e ? run_hooks(e, 0) : NULL;
    if (e && (!all_numbers(e, r, false) || !spectrum_is_sound(e)))
        fail_msg("%s: %s = %s gives what is no number", kind->id, kind->params[p].name, text);
    if (e && kind->rotate && kind->spectrum && !kind->spectrum(e)->growth)
        check_spectrum(e);
    free(r);
    enc_close(e);
}

static void try_number(const struct encoding *kind, size_t p, double x)
{
    try_value(kind, p, (struct value){x, NULL});
}

static void try_list(const struct encoding *kind, size_t p, int rank, double x, size_t n)
{
    size_t dim[2] = {n, n};
    struct table *t = table_new(rank, dim);
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = x;
    try_value(kind, p, (struct value){NAN, t});
    table_unref(t);
}

static void try_parameter(const struct encoding *kind, size_t p)
{
    const struct param *param = &kind->params[p];
    switch (param->type) {
    case PARAM_INT:
    case PARAM_REAL:
        try_number(kind, p, param->min);
        try_number(kind, p, param->max);
        break;
    case PARAM_BOOL:
        try_number(kind, p, 0);
        try_number(kind, p, 1);
        break;
    case PARAM_CHOICE:
        for (size_t i = 0; param->choices[i]; i++)
            try_number(kind, p, (double)i);
        break;
    case PARAM_LIST:
        for (size_t n = 0; n <= 8; n++) {
            try_list(kind, p, 1, param->min, n);
            try_list(kind, p, 1, param->max, n);
        }
        break;
    case PARAM_TABLE:
        for (size_t n = 0; n <= 3; n++)
            for (int rank = 1; rank <= 2; rank++)
                try_list(kind, p, rank, 0.5, n);
        break;
    case PARAM_TYPE_COUNT:
        break;
    }
}

static void parameters_alone_give_numbers_or_a_message(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++)
        for (size_t p = 0; p < encodings[i]->n_params; p++)
            try_parameter(encodings[i], p);
}

static void defaults_give_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        struct enc *e = open_default(encodings[i]);
        struct results *r = run_hooks(e, 0);
        if (!all_numbers(e, r, true) || !spectrum_is_sound(e))
            fail_msg("%s gives what is no number", encodings[i]->id);
        free(r);
        enc_close(e);
    }
}

static void odd_shapes_give_numbers_or_a_message(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{1, 1, 1, 1, 0}, {1, 1, 2, 2, 0}, {3, 2, 3, 5, 0}, {2, 1, 6, 6, 0}, {1e7, 3, 7, 21, 0}};
    for (size_t i = 0; encodings[i]; i++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            struct err err = {0};
            struct enc *e = enc_open(encodings[i], &shapes[s], NULL, &err);
            if (!e && !*err.text)
                fail_msg("%s refuses a shape without a word", encodings[i]->id);
            double pos[TABLE_MAX_RANK] = {0}, *row = xcalloc(32, sizeof *row);
            if (e && e->kind->row)
                e->kind->row(e, pos, 1, row);
            if (e && e->kind->rotate)
                e->kind->rotate(e, SIDE_QUERY, 0, pos, 1, row);
            if (e && e->kind->bias)
                e->kind->bias(e, 0, pos, pos, 1, row);
            for (size_t c = 0; c < 32; c++)
                if (!isfinite(row[c]) && !(s == 4 && !strcmp(encodings[i]->id, "xpos")))
                    fail_msg("%s at shape %zu gives what is no number", encodings[i]->id, s);
            free(row);
            enc_close(e);
        }
    }
}

static void tables_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *k = encodings[i];
        assert_true(k->n_params <= ENC_MAX_PARAMS);
        if (!k->title || !k->help || !k->year || !k->cite)
            fail_msg("%s lacks its title, help, year or paper", k->id);
        assert_ptr_equal(encoding_find(k->id, NULL), k);
        for (size_t a = 0; k->aliases && k->aliases[a]; a++)
            assert_ptr_equal(encoding_find(k->aliases[a], NULL), k);
        for (size_t p = 0; p < k->n_params; p++) {
            if (!k->params[p].help)
                fail_msg("%s: %s lacks its help", k->id, k->params[p].name);
            assert_int_equal(param_index(k->params, k->n_params, k->params[p].name), p);
        }
        for (size_t q = 0; q < k->n_quantities; q++)
            assert_non_null(k->quantities[q].help);
        assert_true(!k->context == !k->terms);
    }
}

/* ---- promises ------------------------------------------------------------------------------------------ */

/* All scores of a, at positions p, against those of b, at p + shift. */
static bool same_scores(const struct results *a, const struct results *b)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            if (!near(dot(a->row[i], a->row[j], D_MODEL), dot(b->row[i], b->row[j], D_MODEL)) ||
                !near(dot(a->query[i], a->key[j], D_HEAD), dot(b->query[i], b->key[j], D_HEAD)))
                return false;
            for (size_t h = 0; h < HEADS; h++)
                if (!near(a->bias[h][i][j], b->bias[h][i][j]))
                    return false;
            for (size_t t = 0; t < 2; t++)
                if (!near(a->term[t][i][j], b->term[t][i][j]))
                    return false;
        }
    return true;
}

static bool is_relative(const struct enc *e)
{
    struct results *a = run_hooks(e, 0), *b = run_hooks(e, e->axes == 1 ? 13 : 3);
    bool good = same_scores(a, b);
    free(a);
    free(b);
    return good;
}

static bool is_isometric(const struct enc *e)
{
    double plain[N * D_HEAD];
    struct results *r = run_hooks(e, 0);
    bool good = true;
    fill_vectors(1, N * D_HEAD, plain);
    for (size_t i = 0; i < N; i++)
        good = good && near(dot(r->query[i], r->query[i], D_HEAD), dot(plain + i * D_HEAD, plain + i * D_HEAD, D_HEAD));
    free(r);
    return good;
}

static bool is_symmetric(const struct enc *e)
{
    struct results *r = run_hooks(e, 0);
    bool good = true;
    for (size_t h = 0; h < HEADS; h++)
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                good = good && near(r->bias[h][i][j], r->bias[h][j][i]) &&
                       near(dot(r->row[i], r->row[j], D_MODEL), dot(r->row[j], r->row[i], D_MODEL));
    free(r);
    return good;
}

/* Along the keys of the last query, from the nearest to the farthest. */
static bool decays(const struct enc *e)
{
    double query = 400, key[400], v[400];
    for (size_t j = 0; j < 400; j++)
        key[j] = 400 - (double)j;
    bool good = e->kind->bias && e->axes == 1;
    for (int h = 0; good && h < HEADS; h++) {
        e->kind->bias(e, h, &query, key, 400, v);
        for (size_t j = 1; j < 400; j++)
            good = good && v[j] <= v[j - 1] + 1e-12;
        good = good && v[399] < v[0];
    }
    return good;
}

static void promises_are_kept(void **state)
{
    (void)state;
    static const struct { unsigned promise; const char *name; bool (*holds)(const struct enc *); } promises[] = {
        {PROMISE_RELATIVE, "relative", is_relative}, {PROMISE_ISOMETRIC, "isometric", is_isometric},
        {PROMISE_SYMMETRIC, "symmetric", is_symmetric}, {PROMISE_DECAYS, "decays", decays},
    };
    for (size_t i = 0; encodings[i]; i++) {
        struct enc *e = open_default(encodings[i]);
        for (size_t p = 0; p < sizeof promises / sizeof *promises; p++)
            if (encodings[i]->promises & promises[p].promise && !promises[p].holds(e))
                fail_msg("%s promises '%s' and does not keep it", encodings[i]->id, promises[p].name);
        enc_close(e);
    }
}

/* ---- the same facts as data ---------------------------------------------------------------------------- */

static struct enc *open_with_choice(const struct encoding *kind, size_t p, size_t choice)
{
    struct value v[ENC_MAX_PARAMS];
    for (size_t i = 0; i < kind->n_params; i++)
        v[i] = (struct value){i == p ? (double)choice : kind->params[i].def, NULL};
    return enc_open(kind, &shape, v, NULL);
}

/* At defaults and at each choice of each parameter: layouts, styles, modes. */
static void spectra_say_what_rotate_does(void **state)
{
    (void)state;
    int checked = 0;
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *kind = encodings[i];
        for (size_t p = 0; kind->spectrum && kind->rotate && p < kind->n_params; p++) {
            for (size_t c = 0; kind->params[p].type == PARAM_CHOICE && kind->params[p].choices[c]; c++) {
                struct enc *e = open_with_choice(kind, p, c);
                if (!e)
                    continue;
                check_spectrum(e);
                checked++;
                enc_close(e);
            }
        }
    }
    assert_true(checked > 10);
}

/* A sinusoid's pair of channels holds the sine and the cosine of its angle. */
static void spectra_say_what_rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        if (!encodings[i]->spectrum || !encodings[i]->row)
            continue;
        struct enc *e = open_default(encodings[i]);
        const struct spectrum *s = encodings[i]->spectrum(e);
        double pos[N * TABLE_MAX_RANK];
        struct results *r = run_hooks(e, 0);
        fill_positions(e, 0, pos);
        for (size_t n = 0; n < N; n++)
            for (size_t k = 0; k < s->n; k++) {
                double a = r->row[n][s->a[k]], b = s->b[k] >= 0 ? r->row[n][s->b[k]] : NAN;
                assert_true(isnan(b) || near(hypot(a, b), 1));
            }
        free(r);
        enc_close(e);
    }
}

/* Returns how many values were compared. */
static int check_profiles(const struct enc *e)
{
    static const double distances[] = {-1e7, -40, -7, -1, 0, 1, 2, 3, 9, 33, 127, 128, 500, 9999, 1e7};
    int checked = 0;
    for (int h = 0; h < HEADS; h++) {
        struct profile profile;
        if (!e->kind->distance(e, h, &profile))
            continue;
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
            double q = 20000 + distances[d], k = 20000, bias;
            e->kind->bias(e, h, &q, &k, 1, &bias);
            if (!near(bias, profile_at(&profile, distances[d])))
                fail_msg("%s, head %d, distance %g: bias %g, profile %g", e->kind->id, h, distances[d], bias,
                             profile_at(&profile, distances[d]));
            checked++;
        }
        profile_done(&profile);
    }
    return checked;
}

static size_t n_settings(const struct param *p)
{
    size_t n = 0;
    while (p->type == PARAM_CHOICE && p->choices[n])
        n++;
    return p->type == PARAM_BOOL ? 2 : n;
}

/* At defaults, at each choice and each switch of each parameter. */
static void profiles_say_what_the_bias_is(void **state)
{
    (void)state;
    int checked = 0;
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *kind = encodings[i];
        if (!kind->distance)
            continue;
        struct enc *e = open_default(kind);
        checked += check_profiles(e);
        enc_close(e);
        for (size_t p = 0; p < kind->n_params; p++) {
            for (size_t c = 0; c < n_settings(&kind->params[p]); c++) {
                e = open_with_choice(kind, p, c);
                assert_non_null(e);
                checked += check_profiles(e);
                enc_close(e);
            }
        }
    }
    assert_true(checked > 500);
}

/* What the screen shows and what `posviz compute` answers: similarity of rows and turns. */
static void fields_say_what_compute_answers(void **state)
{
    (void)state;
    static const double at[] = {0, 3, 40};
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *kind = encodings[i];
        if (kind->axes != 1 || !kind->spectrum)
            continue;
        struct err err = {0};
        struct arg args[] = {{.name = "head_dim", .number = D_HEAD}, {.name = "d_model", .number = D_MODEL},
                             {.name = "num_heads", .number = HEADS}, {.name = "length", .number = LENGTH}};
        struct request r = {.output = "similarity", .args = args, .n_args = 4, .positions = table_list(at, 3)};
        struct answer a = {0};
        struct item item;
        item_init(&item, kind);
        struct layer *layer = layer_open(&item, 1, &shape, &err);
        struct field_options options = {.kind = kind->row ? FIELD_ROWS : FIELD_ROTATION};
        struct field *f = field_open(layer, &options, &err);
        if (!f || !quantity_answer(kind, &r, &a, &err))
            fail_msg("%s: %s", kind->id, err.text);
        for (size_t q = 0; q < 3; q++)
            for (size_t k = 0; k < 3; k++)
                if (!near(field_at(f, at[q], at[k]), a.values->v[3 * q + k]))
                    fail_msg("%s at %g, %g: field %g, compute %g", kind->id, at[q], at[k], field_at(f, at[q], at[k]),
                             a.values->v[3 * q + k]);
        field_close(f);
        layer_close(layer);
        table_unref(a.values);
        table_unref(r.positions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(defaults_give_numbers),
        cmocka_unit_test(parameters_alone_give_numbers_or_a_message),
        cmocka_unit_test(odd_shapes_give_numbers_or_a_message),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(spectra_say_what_rotate_does),
        cmocka_unit_test(spectra_say_what_rows_hold),
        cmocka_unit_test(profiles_say_what_the_bias_is),
        cmocka_unit_test(fields_say_what_compute_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
