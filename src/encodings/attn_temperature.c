/* attn_temperature.c - queries grow with their position, so that softmax stays sharp over many keys. Stands beside
 * RoPE or, in Llama 4, on the layers without it. Keys are not touched.
 *
 *     ministral3   q *= 1 + beta ln(1 + floor(p / L)),  beta = llama_4_scaling_beta, L = original_max_position_embeddings
 *     llama4       q *= 1 + attn_scale ln(1 + floor((p + 1) / floor_scale))
 *     qwen_logn    q *= ln(p + 1) / ln(L) where p + 1 > L           (use_logn_attn; Chiang and Cholak 2022, arXiv 2202.12172) */
#include <math.h>
#include <stdlib.h>

#include "core/quantity.h"

enum { STYLE, BETA, ORIGINAL, ATTN_SCALE, FLOOR_SCALE };
enum { STYLE_MINISTRAL3, STYLE_LLAMA4, STYLE_QWEN_LOGN };

static const char *const styles[] = {"ministral3", "llama4", "qwen_logn", NULL};
static const struct param params[] = {
    [STYLE] = {.name = "style", .help = N_("whose formula"), .type = PARAM_CHOICE, .def = STYLE_MINISTRAL3, .choices = styles},
    [BETA] = {.name = "llama_4_scaling_beta", .help = N_("ministral3: strength of the growth"),
              .type = PARAM_REAL, .def = 0.1, .min = 0, .max = 10, .step = 0.01,
              .when = "style=ministral3"},
    [ORIGINAL] = {.name = "original_max_position_embeddings", .unit = N_("tokens"),
                  .help = N_("ministral3, qwen_logn: length trained on"),
                  .type = PARAM_REAL, .def = 16384, .min = 2, .max = 1e12,
                  .when = "style=ministral3|qwen_logn"},
    [ATTN_SCALE] = {.name = "attn_scale", .help = N_("llama4: strength of the growth"),
                    .type = PARAM_REAL, .def = 0.1, .min = 0, .max = 10, .step = 0.01,
                    .when = "style=llama4"},
    [FLOOR_SCALE] = {.name = "floor_scale", .unit = N_("tokens"), .help = N_("llama4: length of a step"),
                     .type = PARAM_REAL, .def = 8192, .min = 1, .max = 1e12,
                     .when = "style=llama4"},
};

static double query_scale(const struct enc *e, double p)
{
    double L = enc_num(e, ORIGINAL);
    switch ((int)enc_num(e, STYLE)) {
    case STYLE_LLAMA4:    return 1 + enc_num(e, ATTN_SCALE) * log(1 + floor((p + 1) / enc_num(e, FLOOR_SCALE)));
    case STYLE_QWEN_LOGN: return p + 1 > L ? log(p + 1) / log(L) : 1;
    default:              return 1 + enc_num(e, BETA) * log(1 + floor(p / L));
    }
}

static void rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x)
{
    (void)head;
    size_t d = (size_t)e->shape.d_head;
    for (size_t i = 0; side == SIDE_QUERY && i < n; i++) {
        double s = pos[i] >= 0 ? query_scale(e, pos[i]) : 1;      /* also outside the text: NAN */
        for (size_t c = 0; c < d; c++)
            x[i * d + c] *= s;
    }
}

static bool q_query_scale(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t n;
    double *pos = request_positions(r, 1, &n, err), *v = pos ? answer_new(out, 1, &n, err) : NULL;
    for (size_t i = 0; v && i < n; i++)
        v[i] = pos[i] >= 0 ? query_scale(e, pos[i]) : 1;
    free(pos);
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "query_scale", .help = N_("what a query at each position is multiplied by"), .compute = q_query_scale},
};

const struct encoding encoding_attn_temperature = {
    .id = "attn_temperature",
    .title = N_("Attention temperature"),
    .help = N_("Multiplies each query by a factor that grows slowly with its position: with many keys to choose from, "
               "attention would spread out, and the growing scale keeps it sharp. Llama 4 and Ministral 3 use it for very "
               "long texts, beside RoPE or on layers without it."),
    .year = 2025,
    .cite = "Llama 4 and Ministral 3 configurations; Chiang and Cholak 2022 (arXiv 2202.12172)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .rotate = rotate,
};
