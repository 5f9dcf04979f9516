/* guide_computed.c - claims of the guide that the program can test: the numbers come from the encodings at this moment, never from the
 * data. One row a claim. */
#include "guide_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "core/measure.h"
#include "figure/draw.h"

struct given { const char *name, *value; };

static struct enc *open_with(const char *id, int d, double length, const struct given *given, size_t n)
{
    const struct encoding *kind = encoding_find(id, NULL);
    struct value values[ENC_MAX_PARAMS];
    for (size_t i = 0; kind && i < kind->n_params; i++)
        values[i] = (struct value){kind->params[i].def, NULL};
    for (size_t i = 0; kind && i < n; i++) {
        int at = param_index(kind->params, kind->n_params, given[i].name);
        if (at < 0 || !param_parse(&kind->params[at], given[i].value, &values[at], NULL))
            return NULL;
    }
    struct shape shape = {.length = length, .n_heads = 8, .d_head = d, .d_model = d};
    return kind ? enc_open(kind, &shape, values, NULL) : NULL;
}

static double longest_wave(const struct spectrum *s)
{
    double longest = 0;
    for (size_t k = 0; k < s->n; k++)
        longest = fmax(longest, measure_wavelength(s->inv_freq[k]));
    return longest;
}

/* The guide's own example, 50 x 128, with its exponent and with the right one. */
static bool test_exponent(const struct here *h, char *out, size_t size)
{
    struct enc *right = open_with("sinusoidal", 128, 50, NULL, 0);
    struct enc *guide = open_with("sinusoidal", 128, 50, (struct given[]){{"variant", "doubled_exponent"}}, 1);
    if (right && guide) {
        const struct spectrum *r = right->kind->spectrum(right), *g = guide->kind->spectrum(guide);
        snprintf(out, size, lang_text(h->lang, N_("50 x 128: %zu of %zu pairs turn less than 0.1 rad with the exponent as "
                                                  "printed, %zu with the right one; longest "
                                                  "wavelength %.4g against %.4g.")),
                 measure_slow(g, 50, 0.1), g->n, measure_slow(r, 50, 0.1), longest_wave(g), longest_wave(r));
    }
    bool good = right && guide;
    enc_close(right);
    enc_close(guide);
    return good;
}

/* Dot product of the rows at distance x, from the frequencies: the sum of their cosines. */
static double sinusoid_product(const struct spectrum *s, double x)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++)
        sum += cos(s->inv_freq[k] * x);
    return sum;
}

static bool test_monotony(const struct here *h, char *out, size_t size)
{
    enum { STEPS = 1199 };
    struct enc *e = open_with("sinusoidal", 128, STEPS + 1, NULL, 0);
    if (!e)
        return false;
    const struct spectrum *s = e->kind->spectrum(e);
    int first = 0, rises = 0;
    double before = sinusoid_product(s, 0);
    for (int x = 1; x <= STEPS; x++) {
        double now = sinusoid_product(s, x);
        if (now > before) {
            first = first ? first : x;
            rises++;
        }
        before = now;
    }
    snprintf(out, size, lang_text(h->lang, N_("Without any projection, d = 128: the product of two rows first rises at "
                                              "distance %d, and in %.1f %% of the steps up to %d.")),
             first, 100.0 * rises / STEPS, STEPS);
    enc_close(e);
    return true;
}

/* Score of two random vectors turned at m and n. */
static double turned_score(const struct enc *e, double m, double n)
{
    enum { D = 128 };
    double q[D], k[D], sum = 0;
    for (uint64_t i = 0; i < D; i++) {
        q[i] = rng_normal(1, i);
        k[i] = rng_normal(2, i);
    }
    e->kind->rotate(e, SIDE_QUERY, 0, &m, 1, q);
    e->kind->rotate(e, SIDE_KEY, 0, &n, 1, k);
    for (int i = 0; i < D; i++)
        sum += q[i] * k[i];
    return sum;
}

static bool test_shift(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("rope", 128, 4096, (struct given[]){{"layout", "interleaved"}}, 1);
    if (!e)
        return false;
    double score = turned_score(e, 17, 5), most = 0;
    for (int shift = 1; shift <= 1000; shift += 37)
        most = fmax(most, fabs(turned_score(e, 17 + shift, 5 + shift) - score));
    snprintf(out, size, lang_text(h->lang, N_("Shifting both positions by up to 1 000 changes the score %.6g by at most %.1e.")),
             score, most);
    enc_close(e);
    return true;
}

static bool test_unfinished(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("rope", 128, 4096, NULL, 0);
    if (!e)
        return false;
    const struct spectrum *s = e->kind->spectrum(e);
    snprintf(out, size, lang_text(h->lang, N_("Base 10 000, d = 128, trained at 2 048: %zu of %zu pairs never finish a turn, "
                                              "so that unscaled RoPE meets angles there at "
                                              "4 096 that it has never seen.")),
             measure_unfinished(s, 2048), s->n);
    enc_close(e);
    return true;
}

/* How far heads see when all content is equal: what ALiBi keeps and forgets. */
static bool test_window(const struct here *h, char *out, size_t size)
{
    struct item item;
    const struct encoding *kind = encoding_find("alibi", NULL);
    struct shape shape = {.length = 16384, .n_heads = 8, .d_head = 64, .d_model = 512};
    if (!kind)
        return false;
    item_init(&item, kind);
    struct layer *layer = layer_open(&item, 1, &shape, NULL);
    if (layer)
        snprintf(out, size, lang_text(h->lang, N_("8 heads, 16 384 tokens, all content equal: the steepest head gives 99 %% "
                                                  "of its weight to the last %.0f keys, the gentlest to "
                                                  "the last %.0f.")),
                 measure_window(layer, 0, 16384, 0.99) + 1, measure_window(layer, 7, 16384, 0.99) + 1);
    bool good = layer != NULL;
    layer_close(layer);
    item_done(&item);
    return good;
}

/* Additions and multiplications of one token in one layer: 6 a pair of q and of k against four projections. */
static bool test_work(const struct here *h, char *out, size_t size)
{
    const double width = 4096, rotary = 2 * 6 * width / 2, projections = 4 * 2 * width * width;
    snprintf(out, size, lang_text(h->lang, N_("Width %g, one token, one layer: RoPE takes %.0f operations, the four "
                                              "projections %.0f: %.3f %%.")), width, rotary, projections,
             100 * rotary / projections);
    return true;
}

static bool test_copies(const struct here *h, char *out, size_t size)
{
    const double heads = 32, positions = 4096, d = 128, bytes = 4, mib = 1024 * 1024;
    snprintf(out, size, lang_text(h->lang, N_("32 heads, 4 096 positions, d = 128, float32: the listing's table takes %g MiB "
                                              "for each batch item, shared it takes %g MiB.")),
             heads * positions * d * bytes / mib, positions * d * bytes / mib);
    return true;
}

/* T5: every distance past 128 shares a bucket, so its bias is one number. */
static bool test_buckets(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("t5_bias", 64, 1024, NULL, 0);
    if (!e)
        return false;
    double q = 1000, k[] = {1000 - 127, 1000 - 128, 1000 - 999}, bias[3];
    e->kind->bias(e, 0, &q, k, 3, bias);
    snprintf(out, size, lang_text(h->lang, N_("T5's bias at distances 127, 128 and 999 (seeded table): %.4f, %.4f, %.4f.")),
             bias[0], bias[1], bias[2]);
    enc_close(e);
    return true;
}

static bool test_table(const struct here *h, char *out, size_t size)
{
    int rated = 0, at_least = 0;
    for (size_t i = 0; i < h->book->n_guide_rows; i++)
        if (!isnan(h->book->guide_row[i].score[2])) {
            rated++;
            at_least += h->book->guide_row[i].score[2] >= h->book->guide_row[i].score[1];
        }
    snprintf(out, size, lang_text(h->lang, N_("In %d of the %d rated rows of the guide's table RoPE is at least equal to "
                                              "relative.")), at_least, rated);
    return true;
}

static const struct { const char *claim; bool (*compute)(const struct here *h, char *out, size_t size); } tests[] = {
    {"G04", test_exponent}, {"G05", test_monotony}, {"G07", test_buckets}, {"G11", test_shift}, {"G12", test_copies},
    {"G14", test_window},
    {"G17", test_unfinished}, {"G18", test_window}, {"G19", test_work}, {"G34", test_work}, {"G43", test_table},
};

void guide_compute(const struct here *h, const struct claim *claim, struct panel *p)
{
    char text[400];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(tests[i].claim, claim->id) && tests[i].compute(h, text, sizeof text))
            panel_text(p, "%s: %s\n", lang_text(h->lang, N_("computed now")), text);
}
