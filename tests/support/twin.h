/* twin.h - every encoding a second time, straight from the papers' formulas in long double and one number at a time: no table is built, nothing is
 * pooled, stepped or folded, and no line is shared with src/. Settings are read from a text "rope_theta=1e6;rope_type=yarn;factor=4" with
 * the defaults written here again. Weights are not seeded but made by twin_weight, and handed to the program as inputs.
 *
 * twin_slack collects what rounding may do to the double beside it: an angle p w can be no better than |p w| 2^-53 from the rounded w, and
 * as much again from the product. */
#ifndef POSVIZ_TESTS_TWIN_H
#define POSVIZ_TESTS_TWIN_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
enum { TWIN_AXES = 4, TWIN_PAIRS = 1024, TWIN_WIDTH = 2 * TWIN_PAIRS };
static const real twin_pi = 3.14159265358979323846264338327950288L;

struct twin { const char *id, *settings; };

static real twin_slack;

/* ---- settings ------------------------------------------------------------------------------------------ */

static inline const char *twin_text(const struct twin *t, const char *name, const char *otherwise)
{
    static char kept[64][160];
    static unsigned turn;
    size_t n = strlen(name);
    for (const char *at = t->settings; (at = strstr(at, name)) != NULL; at += n)
        if ((at == t->settings || at[-1] == ';') && at[n] == '=') {
            char *out = kept[turn++ % 64];
            snprintf(out, sizeof *kept, "%.*s", (int)strcspn(at + n + 1, ";"), at + n + 1);
            return out;
        }
    return otherwise;
}

static inline bool twin_has(const struct twin *t, const char *name)
{
    return twin_text(t, name, NULL) != NULL;
}

static inline real twin_num(const struct twin *t, const char *name, real otherwise)
{
    const char *text = twin_text(t, name, NULL);
    return !text ? otherwise : !strcmp(text, "true") ? 1 : !strcmp(text, "false") ? 0 : (real)strtod(text, NULL);
}

static inline bool twin_is(const struct twin *t, const char *name, const char *otherwise, const char *word)
{
    return !strcmp(twin_text(t, name, otherwise), word);
}

/* Entry i of a list "1,2,3". */
static inline real twin_entry(const struct twin *t, const char *name, int i)
{
    const char *at = twin_text(t, name, "");
    for (; at && i > 0; i--)
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    return at ? (real)strtod(at, NULL) : NAN;
}

static inline int twin_heads(const struct twin *t) { return (int)twin_num(t, "num_heads", 8); }
static inline int twin_d_head(const struct twin *t) { return (int)twin_num(t, "head_dim", 64); }
static inline int twin_d_model(const struct twin *t) { return (int)twin_num(t, "d_model", twin_heads(t) * twin_d_head(t)); }
static inline real twin_length(const struct twin *t) { return twin_num(t, "length", 1); }

/* Entry i of the weights of a name; "x", "q", "k" are content. Exact as double. */
static inline double twin_weight(const char *name, size_t i)
{
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    h = (h ^ (unsigned)i) * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (double)(h % 4096) / 1024 - 2;
}

/* ---- turns and waves ----------------------------------------------------------------------------------- */

struct twin_pair {
    real w, unscaled, growth, origin;       /* angle = (position[axis] + origin) w */
    int a, b, to_a, to_b, axis, band;       /* b = -1: a sine alone */
};
enum { TWIN_KEPT, TWIN_BLENDED, TWIN_DIVIDED, TWIN_OFF };

static inline int twin_rotary_dim(const struct twin *t)
{
    double room = twin_d_head(t) - (double)twin_num(t, "qk_nope_head_dim", 0);
    if (twin_is(t, "rope_type", "default", "proportional"))
        return (int)room;
    if (twin_has(t, "rotary_dim"))
        return (int)twin_num(t, "rotary_dim", 0);
    return (int)(room * (double)twin_num(t, "partial_rotary_factor", 1));
}

static inline real twin_original(const struct twin *t)
{
    return twin_num(t, "original_max_position_embeddings", twin_num(t, "max_position_embeddings", NAN));
}

static inline real twin_factor(const struct twin *t)
{
    return twin_num(t, "factor", twin_num(t, "max_position_embeddings", NAN) / twin_original(t));
}

static inline real twin_base(const struct twin *t)
{
    real B = twin_num(t, "rope_theta", 10000), d = twin_rotary_dim(t), n = twin_length(t), M = twin_num(t, "max_position_embeddings", NAN);
    real s = twin_num(t, "factor", NAN), grown = 1;
    if (twin_is(t, "rope_type", "default", "ntk") || (twin_is(t, "rope_type", "default", "dynamic") && twin_has(t, "alpha")))
        grown = twin_num(t, "alpha", NAN);
    else if (twin_is(t, "rope_type", "default", "dynamic"))
        grown = s * fmaxl(n, M) / M - (s - 1);
    else if (twin_is(t, "rope_type", "default", "qwen_ntk"))
        while (grown < 2 * n / M - 1)               /* 2^ceil(log2(n / M) + 1) - 1 without a logarithm */
            grown = 2 * grown + 1;
    return grown == 1 ? B : B * powl(grown, d / (d - 2));
}

/* YaRN's share of division of pair k, from the code (not the paper, which is linear in turns). */
static inline real twin_ramp(real k, real d, real B, real L, real fast, real slow, bool whole)
{
    real lo = d * logl(L / (2 * twin_pi * fast)) / (2 * logl(B)), hi = d * logl(L / (2 * twin_pi * slow)) / (2 * logl(B));
    lo = fmaxl(whole ? floorl(lo) : lo, 0);
    hi = fminl(whole ? ceill(hi) : hi, d - 1);
    hi += lo == hi ? 0.001 : 0;
    return fminl(fmaxl((k - lo) / (hi - lo), 0), 1);
}

static inline void twin_scale_pair(const struct twin *t, int k, struct twin_pair *p)
{
    const char *type = twin_text(t, "rope_type", "default");
    real w = p->unscaled, d = twin_rotary_dim(t), s = twin_factor(t), L = twin_original(t);
    real low = twin_num(t, "low_freq_factor", 1), high = twin_num(t, "high_freq_factor", 4);
    if (!strcmp(type, "linear")) {
        p->w = w / s;
        p->band = s > 1 ? TWIN_DIVIDED : TWIN_KEPT;
    } else if (!strcmp(type, "dynamic") || !strcmp(type, "ntk") || !strcmp(type, "qwen_ntk")) {
        p->w = powl(twin_base(t), -2 * k / d);
        p->band = p->w == w ? TWIN_KEPT : -1;       /* what the slowest pair is called, see the test */
    } else if (!strcmp(type, "yarn")) {
        real ramp = twin_ramp(k, d, twin_num(t, "rope_theta", 10000), L, twin_num(t, "beta_fast", 32), twin_num(t, "beta_slow", 1),
                              twin_num(t, "truncate", 1) != 0);
        p->w = w / s * ramp + w * (1 - ramp);
        p->band = ramp == 0 || s == 1 ? TWIN_KEPT : ramp == 1 ? TWIN_DIVIDED : TWIN_BLENDED;
    } else if (!strcmp(type, "longrope")) {
        real f = twin_entry(t, twin_length(t) > L ? "long_factor" : "short_factor", k);
        p->w = w / f;
        p->band = f == 1 ? TWIN_KEPT : f == s ? TWIN_DIVIDED : TWIN_BLENDED;
    } else if (!strcmp(type, "llama3")) {
        real wavelength = 2 * twin_pi / w, g = (L / wavelength - low) / (high - low);
        p->band = wavelength < L / high ? TWIN_KEPT : wavelength > L / low ? TWIN_DIVIDED : TWIN_BLENDED;
        p->w = p->band == TWIN_KEPT ? w : p->band == TWIN_DIVIDED ? w / s : (1 - g) * w / s + g * w;
    } else if (!strcmp(type, "proportional")) {
        bool turns = k < (int)((double)twin_num(t, "partial_rotary_factor", 1) * (double)d / 2);
        p->w = turns ? w / (isnan(s) ? 1 : s) : 0;
        p->band = !turns ? TWIN_OFF : s > 1 ? TWIN_DIVIDED : TWIN_KEPT;
    }
}

static inline int twin_rope_pairs(const struct twin *t, struct twin_pair *p)
{
    int n = twin_rotary_dim(t) / 2, from = (int)twin_num(t, "qk_nope_head_dim", 0);
    bool half_in = twin_is(t, "layout", "half", "half"), half_out = !twin_is(t, "layout", "half", "interleaved");
    for (int k = 0; k < n; k++) {
        p[k] = (struct twin_pair){.growth = 1, .a = from + (half_in ? k : 2 * k), .b = from + (half_in ? k + n : 2 * k + 1),
                                  .to_a = from + (half_out ? k : 2 * k), .to_b = from + (half_out ? k + n : 2 * k + 1)};
        p[k].w = p[k].unscaled = powl(twin_num(t, "rope_theta", 10000), -k / (real)n);
        twin_scale_pair(t, k, &p[k]);
        if (twin_has(t, "mrope_section")) {
            real nt = twin_entry(t, "mrope_section", 0), ny = twin_entry(t, "mrope_section", 1), nx = twin_entry(t, "mrope_section", 2);
            p[k].axis = k < nt ? 0 : k < nt + ny ? 1 : 2;
            if (twin_num(t, "mrope_interleaved", 0) != 0)
                p[k].axis = k % 3 == 1 && k < 3 * ny ? 1 : k % 3 == 2 && k < 3 * nx ? 2 : 0;
        }
    }
    return n;
}

static inline int twin_ggml_pairs(const struct twin *t, struct twin_pair *p)
{
    bool vision = twin_is(t, "mode", "normal", "vision"), im = twin_is(t, "mode", "normal", "imrope"), normal = twin_is(t, "mode", "normal", "normal");
    int dims = (int)twin_num(t, "n_dims", vision ? twin_d_head(t) / 2 : twin_d_head(t)), n = vision ? dims : dims / 2;
    real B = twin_num(t, "freq_base", 10000), scale = twin_num(t, "freq_scale", 1), ext = twin_num(t, "ext_factor", 0);
    for (int k = 0; k < n; k++) {
        p[k] = (struct twin_pair){.growth = 1, .a = normal ? 2 * k : k, .b = normal ? 2 * k + 1 : k + n};
        p[k].to_a = p[k].a;
        p[k].to_b = p[k].b;
        int within = k;
        if (twin_has(t, "sections") && !normal && !twin_is(t, "mode", "normal", "neox")) {
            int size[4], sum = 0;
            for (int i = 0; i < 4; i++)
                sum += size[i] = (int)twin_entry(t, "sections", i);
            int j = k % sum;
            if (im)
                p[k].axis = j < 3 * size[j % 3] ? j % 3 : 3;
            for (within = j; !im && p[k].axis < 3 && within >= size[p[k].axis]; p[k].axis++)
                within -= size[p[k].axis];
        }
        p[k].unscaled = powl(B, -2 * (vision ? within : k) / (real)dims);
        real ff = twin_has(t, "freq_factors") ? twin_entry(t, "freq_factors", k) : 1, w = ff >= 1e30L ? 0 : p[k].unscaled / ff, x = 0;
        if (ext != 0)
            x = ext * (1 - twin_ramp(k, dims, B, twin_num(t, "n_ctx_orig", 0), twin_num(t, "beta_fast", 32), twin_num(t, "beta_slow", 1), true));
        p[k].w = scale * w * (1 - x) + w * x;
        p[k].band = w == 0 ? TWIN_OFF : p[k].w == p[k].unscaled ? TWIN_KEPT : x > 0 && x < 1 ? TWIN_BLENDED : TWIN_DIVIDED;
    }
    return n;
}

static inline int twin_rope_2d_pairs(const struct twin *t, struct twin_pair *p)
{
    int d = twin_d_head(t), n = d / 2, quarter = d / 4;
    const char *style = twin_text(t, "style", "qwen2_vl");
    bool llama = !strcmp(style, "llama4"), eva = !strcmp(style, "eva"), dino = !strcmp(style, "dinov3"), pixtral = !strcmp(style, "pixtral");
    real B = twin_num(t, "rope_theta", dino ? 100 : 10000);
    for (int c = 0; c < n; c++) {
        int k = c % quarter, axis = llama ? c < quarter : c >= quarter;     /* 0 row, 1 column */
        real side = twin_has(t, "grid") ? twin_entry(t, "grid", axis) : 16;
        p[c] = (struct twin_pair){.growth = 1, .axis = axis, .a = llama || eva ? 2 * c : c, .b = llama || eva ? 2 * c + 1 : c + n};
        p[c].w = powl(B, pixtral ? -2 * (2 * k + axis) / (real)d : -2 * k / (real)(d / 2));
        p[c].origin = llama ? 1 : 0;
        if (eva)
            p[c].w *= twin_num(t, "pt_seq_len", 16) / twin_num(t, "ft_seq_len", 16);
        if (dino) {                                 /* 2 pi (2 (i + 1/2) / n - 1) */
            p[c].w *= 4 * twin_pi / side;
            p[c].origin = 0.5L - side / 2;
        }
        p[c].unscaled = p[c].w;
        p[c].to_a = p[c].a;
        p[c].to_b = p[c].b;
    }
    return n;
}

static inline int twin_xpos_pairs(const struct twin *t, struct twin_pair *p)
{
    int n = twin_d_head(t) / 2;
    real gamma = twin_num(t, "gamma", 0.4L), d = twin_d_head(t);
    bool half = twin_is(t, "layout", "interleaved", "half");
    for (int k = 0; k < n; k++) {
        p[k] = (struct twin_pair){.a = half ? k : 2 * k, .b = half ? k + n : 2 * k + 1};
        p[k].to_a = p[k].a;
        p[k].to_b = p[k].b;
        p[k].w = p[k].unscaled = powl(twin_num(t, "rope_theta", 10000), -k / (real)n);
        p[k].growth = powl((2 * k + gamma * d) / ((1 + gamma) * d), 1 / twin_num(t, "scale_base", 512));
    }
    return n;
}

static inline int twin_sinusoid_pairs(const struct twin *t, struct twin_pair *p)
{
    int d = twin_d_model(t);
    bool t2t = twin_is(t, "freq", "2i/d", "i/(d/2-1)"), half = twin_is(t, "layout", "interleaved", "half");
    int sines = t2t ? d / 2 : (d + 1) / 2, cosines = d / 2;
    real B = twin_num(t, "base", 10000), twice = twin_is(t, "variant", "paper", "doubled_exponent") ? 4 : 2;
    for (int k = 0; k < sines; k++) {
        p[k] = (struct twin_pair){.growth = 1, .a = half ? k : 2 * k, .b = k >= cosines ? -1 : half ? sines + k : 2 * k + 1};
        p[k].w = p[k].unscaled = powl(B, t2t ? -k / (real)(d / 2 - 1) : -twice * k / d);
        p[k].origin = twin_has(t, "padding_idx") ? twin_num(t, "padding_idx", 0) + 1 : 0;
    }
    return sines;
}

static inline int twin_sinusoid_2d_pairs(const struct twin *t, struct twin_pair *p)
{
    int d = twin_d_model(t), quarter = d / 4;
    bool detr = twin_is(t, "style", "mae", "detr");
    for (int i = 0; i < 2 * quarter; i++) {
        int k = i % quarter, axis = i / quarter, block = detr ? axis : 1 - axis;     /* MAE: column first */
        real side = twin_has(t, "grid") ? twin_entry(t, "grid", axis) : ceill(sqrtl(twin_length(t)));
        p[i] = (struct twin_pair){.growth = 1, .axis = axis, .origin = detr, .a = block * d / 2 + (detr ? 2 * k : k),
                                  .b = block * d / 2 + (detr ? 2 * k + 1 : quarter + k)};
        p[i].w = powl(twin_num(t, "temperature", 10000), -k / (real)quarter);
        if (detr && twin_num(t, "normalize", 0) != 0)
            p[i].w *= twin_num(t, "scale", 6.283185307179586) / (side + 1e-6L);
        p[i].unscaled = p[i].w;
    }
    return 2 * quarter;
}

/* The pairs of a kind that has any; 0 of one that has none. Those of the last settings are kept. */
static inline int twin_pairs(const struct twin *t, const struct twin_pair **out)
{
    static const struct { const char *id; int (*pairs)(const struct twin *, struct twin_pair *); } kinds[] = {
        {"rope", twin_rope_pairs}, {"ggml_rope", twin_ggml_pairs}, {"rope_2d", twin_rope_2d_pairs}, {"xpos", twin_xpos_pairs},
        {"sinusoidal", twin_sinusoid_pairs}, {"sinusoidal_2d", twin_sinusoid_2d_pairs},
    };
    static struct twin_pair kept[TWIN_PAIRS];
    static char of[600];
    static int n;
    char asked[600];
    snprintf(asked, sizeof asked, "%s %s", t->id, t->settings);
    *out = kept;
    if (!strcmp(asked, of))
        return n;
    strcpy(of, asked);
    n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].id, t->id))
            n = kinds[i].pairs(t, kept);
    return n;
}

static inline real twin_yarn_g(real s, real m)
{
    return s > 1 ? 0.1L * m * logl(s) + 1 : 1;
}

/* What cos and sin are multiplied by. */
static inline real twin_magnitude(const struct twin *t)
{
    real s = twin_factor(t), L = twin_original(t), m = twin_num(t, "mscale", 0), all = twin_num(t, "mscale_all_dim", 0);
    if (!strcmp(t->id, "ggml_rope"))
        return twin_num(t, "attn_factor", 1) * (twin_num(t, "ext_factor", 0) != 0 ? 1 - 0.1L * logl(twin_num(t, "freq_scale", 1)) : 1);
    if (strcmp(t->id, "rope") || (!twin_is(t, "rope_type", "default", "yarn") && !twin_is(t, "rope_type", "default", "longrope")))
        return 1;
    if (twin_has(t, "attention_factor"))
        return twin_num(t, "attention_factor", 1);
    if (twin_is(t, "rope_type", "default", "yarn"))
        return m != 0 && all != 0 ? twin_yarn_g(s, m) / twin_yarn_g(s, all) : twin_yarn_g(s, 1);
    const char *stated = twin_length(t) > L ? "long_mscale" : "short_mscale";
    return twin_num(t, stated, s > 1 ? sqrtl(1 + logl(s) / logl(L)) : 1);
}

static inline real twin_angle(const struct twin_pair *p, const double *pos)
{
    real angle = ((real)pos[p->axis] + p->origin) * p->w;
    twin_slack += 4 * fabsl(angle) * DBL_EPSILON;
    return angle;
}

static inline real twin_temperature(const struct twin *t, real p)
{
    real L = twin_num(t, "original_max_position_embeddings", 16384);
    if (!(p >= 0))
        return 1;
    if (twin_is(t, "style", "ministral3", "llama4"))
        return 1 + twin_num(t, "attn_scale", 0.1L) * logl(1 + floorl((p + 1) / twin_num(t, "floor_scale", 8192)));
    if (twin_is(t, "style", "ministral3", "qwen_logn"))
        return p + 1 > L ? logl(p + 1) / logl(L) : 1;
    return 1 + twin_num(t, "llama_4_scaling_beta", 0.1L) * logl(1 + floorl(p / L));
}

/* x of d_head channels as a query (1) or key (-1) at pos. */
static inline void twin_turn(const struct twin *t, int side, const double *pos, const double *x, real *out)
{
    const struct twin_pair *p;
    int n = twin_pairs(t, &p), d = twin_d_head(t);
    if (!strncmp(t->id, "sinusoidal", 10))          /* those add rows instead */
        n = 0;
    real size = !strcmp(t->id, "attn_temperature") && side > 0 ? twin_temperature(t, pos[0]) : 1;
    for (int c = 0; c < d; c++)
        out[c] = x[c] * size;
    for (int k = 0; k < n && !isnan(pos[0]); k++) {
        real angle = twin_angle(&p[k], pos), a = x[p[k].a], b = x[p[k].b], m = twin_magnitude(t);
        if (!strcmp(t->id, "xpos")) {               /* counted from the middle of the text */
            real at = floorl(-(twin_length(t) + twin_num(t, "offset", 0)) / 2) + pos[0];
            m = powl(p[k].growth, side * at);
            twin_slack += 8 * fabsl(at) * DBL_EPSILON * m;
        }
        out[p[k].to_a] = m * (a * cosl(angle) - b * sinl(angle));
        out[p[k].to_b] = m * (a * sinl(angle) + b * cosl(angle));
    }
}

/* ---- learned rows -------------------------------------------------------------------------------------- */

static inline bool twin_style(const struct twin *t, const char *a, const char *b)
{
    return twin_is(t, "style", "bert", a) || twin_is(t, "style", "bert", b);
}

static inline real twin_first_row(const struct twin *t)
{
    if (twin_style(t, "opt", "opt"))
        return twin_num(t, "offset", 2);
    return twin_style(t, "roberta", "fairseq") ? twin_num(t, "padding_idx", 1) + 1 : 0;
}

static inline int twin_learned_rows(const struct twin *t)
{
    if (twin_style(t, "vit", "vit"))
        return 1 + (int)(twin_entry(t, "table_grid", 0) * twin_entry(t, "table_grid", 1));
    return (int)(twin_num(t, "max_position_embeddings", 512) + twin_first_row(t));
}

static inline real twin_cubic(real x)
{
    const real a = -0.75L;
    x = fabsl(x);
    return x <= 1 ? (a + 2) * x * x * x - (a + 3) * x * x + 1 : x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

/* Bicubic between pixel centres, edges repeated: every cell of the table has a weight on both axes. */
static inline real twin_vit(const struct twin *t, const double *pos, int c)
{
    int d = twin_d_model(t), rows = (int)twin_entry(t, "table_grid", 0), columns = (int)twin_entry(t, "table_grid", 1);
    const char *target = twin_has(t, "target_grid") ? "target_grid" : "table_grid";
    real y = (pos[0] + 0.5L) * rows / twin_entry(t, target, 0) - 0.5L, x = (pos[1] + 0.5L) * columns / twin_entry(t, target, 1) - 0.5L, sum = 0;
    for (int i = -3; i < rows + 3; i++)
        for (int j = -3; j < columns + 3; j++) {
            int row = i < 0 ? 0 : i >= rows ? rows - 1 : i, column = j < 0 ? 0 : j >= columns ? columns - 1 : j;
            sum += twin_cubic(y - i) * twin_cubic(x - j) * twin_weight("table", (size_t)((1 + row * columns + column) * d + c));
        }
    return sum;
}

/* Channel c of the vector added at pos. */
static inline real twin_row(const struct twin *t, const double *pos, int c)
{
    if (!strcmp(t->id, "learned")) {
        real row = isnan(pos[0]) ? twin_first_row(t) - 1 : pos[0] + twin_first_row(t);
        if (twin_style(t, "vit", "vit"))
            return isnan(pos[0]) ? twin_weight("table", (size_t)c) : twin_vit(t, pos, c);
        if (!(row >= 0 && row < twin_learned_rows(t)))
            return isnan(pos[0]) ? 0 : NAN;
        return twin_weight("table", (size_t)row * (size_t)twin_d_model(t) + (size_t)c);
    }
    const struct twin_pair *p;
    int n = twin_pairs(t, &p);
    for (int k = 0; k < n && !isnan(pos[0]); k++)
        if (c == p[k].a || c == p[k].b)
            return c == p[k].a ? sinl(twin_angle(&p[k], pos)) : cosl(twin_angle(&p[k], pos));
    return 0;
}

/* ---- biases -------------------------------------------------------------------------------------------- */

static inline real twin_slope(const struct twin *t, int head)
{
    int H = twin_heads(t), n = 1;
    while (2 * n <= H)
        n *= 2;
    real b = twin_num(t, "alibi_bias_max", 8);
    return head < n ? powl(2, -b * (head + 1) / n) : powl(2, -b * (2 * (head - n) + 1) / (2 * n));
}

/* Ties to even, 8 significant bits. */
static inline real twin_bfloat16(real x)
{
    int e;
    real m = frexpl(x, &e);
    return ldexpl(rintl(m * 256), e - 8);
}

static inline real twin_alibi(const struct twin *t, const char *form, int head, real q, real k)
{
    real m = twin_slope(t, head);
    if (!strcmp(form, "symmetric"))
        return -m * fabsl(q - k);
    if (!strcmp(form, "bloom"))
        return m * k;
    if (!strcmp(form, "falcon"))
        return twin_bfloat16((double)(twin_bfloat16((double)m) * k));
    if (!strcmp(form, "mpt"))
        return m * (k - (twin_length(t) - 1));
    return q > k ? -m * (q - k) : 0;
}

static inline int twin_t5_bucket(const struct twin *t, real r)
{
    int buckets = (int)twin_num(t, "num_buckets", 32), n = buckets, base = 0;
    real max = twin_num(t, "max_distance", 128), a = fmaxl(-r, 0);
    if (twin_num(t, "bidirectional", 1) != 0) {
        n = buckets / 2;
        base = r > 0 ? n : 0;
        a = fabsl(r);
    }
    int exact = n / 2;
    if (a < exact)
        return base + (int)a;
    real steps = logl(a / exact) / logl(max / exact) * (n - exact), near = roundl(steps);
    if (fabsl(steps - near) < 1e-15L * fmaxl(1, near))      /* a power of the ratio: on the edge, which belongs to the next bucket */
        steps = near;
    int bucket = steps > n ? n - 1 : exact + (int)steps;
    return base + (bucket < n - 1 ? bucket : n - 1);
}

static inline real twin_kerple_r(const struct twin *t, int which, int head)
{
    const char *name = which == 1 ? "r1" : "r2";
    bool power = twin_is(t, "kernel", "log", "power");
    real r = twin_entry(t, name, strchr(twin_text(t, name, ""), ',') ? head : 0), least = power ? 0.01L : twin_num(t, "clamp_min", 0.01L);
    r = fmaxl(r, (double)least);
    return power && which == 2 ? fminl(r, 2) : r;
}

static inline real twin_kerple(const struct twin *t, int head, real d)
{
    real r1 = twin_kerple_r(t, 1, head), r2 = twin_kerple_r(t, 2, head), a = fabsl(d);
    if (d < 0 && twin_num(t, "bidirectional", 0) == 0)
        return 0;
    return twin_is(t, "kernel", "log", "power") ? -r1 * powl(a, r2) : -r1 * logl(1 + r2 * a);
}

static inline real twin_fire_x(const struct twin *t, real i, real d)
{
    real c = (double)twin_num(t, "c", (double)0.1), L = twin_num(t, "L", 512);
    return log1pl(c * d) / (log1pl(c * fmaxl(L, i)) + (double)twin_num(t, "eps", 1e-6));
}

static inline real twin_fire(const struct twin *t, int head, real i, real d)
{
    int W = (int)twin_num(t, "mlp_width", 32);
    real sum = twin_weight("b2", (size_t)head);
    for (int u = 0; u < W && d >= 0; u++) {
        real x = twin_weight("w1", (size_t)u) * twin_fire_x(t, i, d) + twin_weight("b1", (size_t)u);
        sum += x > 0 ? twin_weight("w2", (size_t)(head * W + u)) * x : 0;
    }
    return d < 0 ? 0 : sum;
}

static inline real twin_sandwich_sum(const struct twin *t, real d)
{
    real D = twin_num(t, "bar_d", 128), sum = 0;
    int from = (int)twin_num(t, "index_start", 1);
    for (int k = from; k < from + (int)D / 2; k++) {
        real angle = d / powl(10000, 2 * k / D);
        twin_slack += 4 * fabsl(angle) * DBL_EPSILON;
        sum += cosl(angle);
    }
    return sum;
}

static inline real twin_sandwich(const struct twin *t, int head, real d)
{
    real off = twin_is(t, "variant", "sum/(h*8/H)", "sum/(h*8/H)") ? 0 : twin_num(t, "bar_d", 128) / 2;
    return (twin_sandwich_sum(t, d) - off) / ((head + 1) * 8.0L / twin_heads(t));
}

static inline real twin_window(const struct twin *t, int axis)
{
    real usual = twin_is(t, "style", "swin", "swinv2") ? 8 : twin_is(t, "style", "swin", "beit") ? 14 : 7;
    return twin_has(t, "window") ? twin_entry(t, "window", axis) : usual;
}

static inline real twin_log_coordinate(const struct twin *t, int axis, real difference)
{
    real side = twin_has(t, "pretrained_window") && twin_entry(t, "pretrained_window", axis) > 0 ? twin_entry(t, "pretrained_window", axis)
                                                                                                   : twin_window(t, axis);
    real c = side > 1 ? 8 * difference / (side - 1) : 0;
    return copysignl(log2l(1 + fabsl(c)) / 3, c);
}

/* Row of the table of a window, NAN outside. */
static inline real twin_place(const struct twin *t, const double *q, const double *k)
{
    real h = twin_window(t, 0), w = twin_window(t, 1), all = (2 * h - 1) * (2 * w - 1), dy = (real)q[0] - k[0], dx = (real)q[1] - k[1];
    if (isnan(q[0]) || isnan(k[0]))
        return !twin_is(t, "style", "swin", "beit") ? NAN : isnan(q[0]) && isnan(k[0]) ? all + 2 : isnan(k[0]) ? all + 1 : all;
    return fabsl(dy) < h && fabsl(dx) < w ? (dy + h - 1) * (2 * w - 1) + dx + w - 1 : NAN;
}

static inline real twin_relpos(const struct twin *t, int head, const double *q, const double *k)
{
    real place = twin_place(t, q, k), sum = 0;
    if (isnan(place))
        return NAN;
    if (!twin_is(t, "style", "swin", "swinv2"))
        return twin_weight("table", (size_t)place * (size_t)twin_heads(t) + (size_t)head);
    real y = twin_log_coordinate(t, 0, (real)q[0] - k[0]), x = twin_log_coordinate(t, 1, (real)q[1] - k[1]);
    for (size_t u = 0; u < 512; u++) {
        real unit = twin_weight("w1", 2 * u) * y + twin_weight("w1", 2 * u + 1) * x + twin_weight("b1", u);
        sum += unit > 0 ? twin_weight("w2", (size_t)head * 512 + u) * unit : 0;
    }
    return 16 / (1 + expl(-sum));
}

/* Channel c of the half-split sinusoid of a distance, and a . Wr R(x) of a head, not scaled. */
static inline real twin_xl_R(const struct twin *t, real x, int c)
{
    int D = twin_d_model(t), k = c % (D / 2);
    real cap = twin_num(t, "clamp_len", -1);
    if (cap > 0)
        x = fminl(fmaxl(x, -cap), cap);
    real angle = x * powl(10000, -2 * k / (real)D);
    twin_slack += 4 * fabsl(angle) * DBL_EPSILON;
    return c < D / 2 ? sinl(angle) : cosl(angle);
}

static inline real twin_xl_product(const struct twin *t, int head, const double *a, real x)
{
    int d = twin_d_head(t), D = twin_d_model(t);
    real sum = 0;
    for (int c = 0; c < D; c++) {
        real R = twin_xl_R(t, x, c);
        for (int r = 0; r < d; r++)
            sum += (real)a[r] * twin_weight("r_weight", (size_t)((head * d + r) * D + c)) * R;
    }
    return sum;
}

static inline void twin_vector(const char *name, int head, int d, double *out)
{
    for (int c = 0; c < d; c++)
        out[c] = twin_weight(name, (size_t)(head * d + c));
}

static inline real twin_scale(const struct twin *t);

static inline bool twin_has_bias(const struct twin *t)
{
    static const char *const ids[] = {"alibi", "t5_bias", "kerple", "fire", "sandwich", "relpos_2d", "transformer_xl"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!strcmp(ids[i], t->id))
            return true;
    return false;
}

/* What is added to the logit of a head from positions alone. */
static inline real twin_bias(const struct twin *t, int head, const double *q, const double *k)
{
    double v[TWIN_WIDTH];
    if (!strcmp(t->id, "alibi"))
        return twin_alibi(t, twin_text(t, "form", "causal"), head, q[0], k[0]);
    if (!strcmp(t->id, "t5_bias"))
        return twin_weight("table", (size_t)(twin_t5_bucket(t, (real)k[0] - q[0]) * twin_heads(t) + head));
    if (!strcmp(t->id, "kerple"))
        return twin_kerple(t, head, (real)q[0] - k[0]);
    if (!strcmp(t->id, "fire"))
        return twin_fire(t, head, q[0], (real)q[0] - k[0]);
    if (!strcmp(t->id, "sandwich"))
        return twin_sandwich(t, head, (real)q[0] - k[0]);
    if (!strcmp(t->id, "relpos_2d"))
        return twin_relpos(t, head, q, k);
    if (strcmp(t->id, "transformer_xl"))
        return 0;
    twin_vector("v", head, twin_d_head(t), v);
    return twin_scale(t) * twin_xl_product(t, head, v, (real)q[0] - k[0]);
}

/* ---- terms of content and position --------------------------------------------------------------------- */

static inline real twin_dot(const double *a, const double *b, int n)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += (real)a[i] * b[i];
    return sum;
}

/* Row of Shaw's tables, or of BERT's relative_key; NAN beyond. */
static inline real twin_shaw_row(const struct twin *t, real q, real k)
{
    real left = twin_num(t, "clip_left", twin_num(t, "clip", 16)), right = twin_num(t, "clip_right", twin_num(t, "clip", 16)), r = k - q;
    if (twin_is(t, "position_embedding_type", "shaw", "shaw"))
        return (r < -left ? -left : r > right ? right : r) + left;
    real most = twin_num(t, "max_position_embeddings", 512);
    return fabsl(r) < most ? -r + most - 1 : NAN;
}

static inline int twin_shaw_rows(const struct twin *t)
{
    if (!twin_is(t, "position_embedding_type", "shaw", "shaw"))
        return 2 * (int)twin_num(t, "max_position_embeddings", 512) - 1;
    return 1 + (int)(twin_num(t, "clip_left", twin_num(t, "clip", 16)) + twin_num(t, "clip_right", twin_num(t, "clip", 16)));
}

static inline bool twin_deberta_v1(const struct twin *t)
{
    return twin_is(t, "version", "v2", "v1");
}

static inline bool twin_deberta_term(const struct twin *t, const char *term)
{
    return strstr(twin_text(t, "pos_att_type", "c2p|p2c"), term) != NULL;
}

static inline real twin_deberta_M(const struct twin *t)
{
    real M = twin_num(t, "max_relative_positions", -1);
    return M < 1 ? twin_num(t, "max_position_embeddings", 512) : M;
}

static inline bool twin_deberta_buckets(const struct twin *t)
{
    return !twin_deberta_v1(t) && twin_num(t, "position_buckets", 256) > 0;
}

static inline int twin_deberta_span(const struct twin *t)
{
    if (twin_deberta_v1(t))
        return (int)fminl(twin_length(t), twin_deberta_M(t));
    return (int)(twin_deberta_buckets(t) ? twin_num(t, "position_buckets", 256) : twin_deberta_M(t));
}

static inline real twin_log_bucket(const struct twin *t, real r)
{
    int mid = (int)twin_num(t, "position_buckets", 256) / 2;
    real a = fabsl(r);
    if (a <= mid)
        return r;
    real steps = logl(a / mid) / logl((twin_deberta_M(t) - 1) / mid) * (mid - 1), near = roundl(steps);
    steps = fabsl(steps - near) < 1e-15L * fmaxl(1, near) ? near : ceill(steps);
    return copysignl(steps + mid, r);
}

static inline int twin_deberta_row(const struct twin *t, real delta)
{
    int span = twin_deberta_span(t);
    real b = (twin_deberta_buckets(t) ? twin_log_bucket(t, delta) : delta) + span;
    return b < 0 ? 0 : b > 2 * span - 1 ? 2 * span - 1 : (int)b;
}

static inline real twin_deberta_factor(const struct twin *t)
{
    return twin_num(t, "scale_factor", 1 + twin_deberta_term(t, "c2p") + twin_deberta_term(t, "p2c"));
}

/* Entry (row, channel of all heads) of the table's projection: name "key_proj" or "query_proj" and the like. */
static inline real twin_deberta_projected(const struct twin *t, const char *name, bool offset, int row, int out)
{
    int D = twin_d_model(t), first = twin_deberta_v1(t) ? (int)twin_deberta_M(t) - twin_deberta_span(t) : 0;
    char weight[40], bias[40];
    snprintf(weight, sizeof weight, "%s_weight", name);
    snprintf(bias, sizeof bias, "%s_bias", name);
    real sum = offset ? twin_weight(bias, (size_t)out) : 0;
    for (int c = 0; c < D; c++)
        sum += (real)twin_weight("rel_embeddings", (size_t)((first + row) * D + c)) * twin_weight(weight, (size_t)(out * D + c));
    return sum;
}

static inline real twin_deberta_product(const struct twin *t, bool c2p, int head, const double *vec, int row)
{
    bool v1 = twin_deberta_v1(t), shared = twin_num(t, "share_att_key", 1) != 0;
    const char *name = c2p ? (v1 ? "pos_proj" : shared ? "key_proj" : "pos_key_proj") : (v1 ? "pos_q_proj" : shared ? "query_proj" : "pos_query_proj");
    int d = twin_d_head(t);
    real sum = 0;
    for (int c = 0; c < d; c++)
        sum += vec[c] * twin_deberta_projected(t, name, !(v1 && c2p), row, head * d + c);
    return sum;
}

/* What q.k and the terms are multiplied by. */
static inline real twin_scale(const struct twin *t)
{
    real scale = 1 / sqrtl(twin_d_head(t));
    if (!strcmp(t->id, "t5_bias"))
        return 1;
    if (!strcmp(t->id, "deberta"))
        return 1 / sqrtl(twin_d_head(t) * twin_deberta_factor(t));
    if (!strcmp(t->id, "rope") && twin_is(t, "rope_type", "default", "yarn") && twin_has(t, "mscale_all_dim"))
        scale *= powl(twin_yarn_g(twin_factor(t), twin_num(t, "mscale_all_dim", 0)), 2);
    return scale;
}

/* One query's term against the keys of a row: q, k and pos stand for d_head numbers and one position each. content: the scaled q.k of the row. */
struct twin_rows { const double *q, *k; const double *q_pos, *k_pos; int n; const real *content; };

/* Count of key j as the query sees it. */
static inline real twin_cope_count(const struct twin *t, const struct twin_rows *r, int j)
{
    real sum = 0, unscale = strstr(twin_text(t, "gate_logits", "q.k"), "sqrt") ? 1 : 1 / twin_scale(t);
    if (r->k_pos[j] > *r->q_pos)
        return 0;
    for (int i = j; i < r->n; i++)
        sum += r->k_pos[i] <= *r->q_pos ? 1 / (1 + expl(-r->content[i] * unscale)) : 0;
    return fminl(sum, twin_num(t, "npos_max", 64) - 1);
}

static inline real twin_cope(const struct twin *t, const struct twin_rows *r, int j)
{
    int npos = (int)twin_num(t, "npos_max", 64), d = twin_d_head(t);
    real p = twin_cope_count(t, r, j), low = 0, high = 0;
    if (r->k_pos[j] > *r->q_pos)
        return 0;
    for (int c = 0; c < d; c++) {
        low += r->q[c] * twin_weight("pos_emb", (size_t)(c * npos + (int)floorl(p)));
        high += r->q[c] * twin_weight("pos_emb", (size_t)(c * npos + (int)ceill(p)));
    }
    return p == floorl(p) ? low : (ceill(p) - p) * low + (p - floorl(p)) * high;
}

/* All context terms of the kind together, in logit units; 0 if it has none. */
static inline real twin_terms(const struct twin *t, int head, const struct twin_rows *r, int j)
{
    int d = twin_d_head(t);
    const double *q = r->q, *k = r->k + j * d;
    real delta = (real)*r->q_pos - r->k_pos[j], s = twin_scale(t);
    if (!strcmp(t->id, "shaw")) {
        real row = twin_shaw_row(t, *r->q_pos, r->k_pos[j]), sum = 0;
        bool both = twin_is(t, "position_embedding_type", "shaw", "relative_key_query");
        for (int c = 0; c < d && !isnan(row); c++)
            sum += (q[c] + (both ? (real)k[c] : 0)) * twin_weight("key_table", (size_t)row * (size_t)d + (size_t)c);
        return isnan(row) ? NAN : s * sum;
    }
    if (!strcmp(t->id, "transformer_xl")) {
        double u[TWIN_WIDTH];
        twin_vector("u", head, d, u);
        return s * (twin_xl_product(t, head, q, delta) + twin_dot(u, k, d));
    }
    if (!strcmp(t->id, "deberta")) {
        int row = twin_deberta_row(t, delta);
        return s * ((twin_deberta_term(t, "c2p") ? twin_deberta_product(t, true, head, q, row) : 0) +
                    (twin_deberta_term(t, "p2c") ? twin_deberta_product(t, false, head, k, row) : 0));
    }
    return strcmp(t->id, "cope") ? 0 : twin_cope(t, r, j);
}

#endif
