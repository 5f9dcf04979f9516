/* gguf_models.h - published models, each as a GGUF file with the keys that llama.cpp's converter writes and as its configuration. */
#ifndef POSVIZ_TESTS_GGUF_MODELS_H
#define POSVIZ_TESTS_GGUF_MODELS_H

#include <math.h>

#include "gguf_file.h"
#include "model/facts.h"

static inline void llama3_factors(double *out, size_t pairs, double base, double s, double low, double high, double original)
{
    for (size_t k = 0; k < pairs; k++) {
        double wavelength = 2 * M_PI * pow(base, (double)k / (double)pairs), turns = original / wavelength;
        double g = (turns - low) / (high - low);
        out[k] = turns > high ? 1 : turns < low ? s : 1 / ((1 - g) / s + g);
    }
}

/* The keys of a scaling; original 0: no length is said. */
static inline void gguf_scaling(struct gguf_file *g, const char *arch, const char *type, double factor, unsigned original)
{
    char key[120];
    snprintf(key, sizeof key, "%s.rope.scaling.type", arch);
    gguf_text(g, key, type);
    snprintf(key, sizeof key, "%s.rope.scaling.factor", arch);
    gguf_float(g, key, factor);
    snprintf(key, sizeof key, "%s.rope.scaling.original_context_length", arch);
    if (original)
        gguf_uint(g, key, original);
}

static inline const char *write_llama31(void)
{
    double factors[64];
    struct gguf_file g = gguf_model("llama", 32, 4096, 32, 131072);
    gguf_uint(&g, "llama.attention.head_count_kv", 8);
    gguf_uint(&g, "llama.rope.dimension_count", 128);
    gguf_float(&g, "llama.rope.freq_base", 500000);
    llama3_factors(factors, 64, 500000, 8, 1, 4, 8192);
    gguf_floats(&g, "rope_freqs.weight", 1, 64, factors);
    return gguf_write(&g, "llama31.gguf");
}

static inline const char *write_qwen(void)
{
    struct gguf_file g = gguf_model("qwen2", 28, 3584, 28, 131072);
    gguf_float(&g, "qwen2.rope.freq_base", 1000000);
    gguf_scaling(&g, "qwen2", "yarn", 4, 32768);
    return gguf_write(&g, "qwen2.gguf");
}

static inline const char *write_gpt_oss(void)
{
    struct gguf_file g = gguf_model("gpt-oss", 24, 2880, 64, 131072);
    gguf_uint(&g, "gpt-oss.attention.key_length", 64);
    gguf_uint(&g, "gpt-oss.attention.sliding_window", 128);
    gguf_float(&g, "gpt-oss.rope.freq_base", 150000);
    gguf_scaling(&g, "gpt-oss", "yarn", 32, 4096);
    return gguf_write(&g, "gpt-oss.gguf");
}

static inline const char *write_deepseek(void)
{
    struct gguf_file g = gguf_model("deepseek2", 61, 7168, 128, 163840);
    gguf_uint(&g, "deepseek2.attention.head_count_kv", 1);
    gguf_uint(&g, "deepseek2.attention.key_length", 576);
    gguf_uint(&g, "deepseek2.attention.key_length_mla", 192);
    gguf_uint(&g, "deepseek2.rope.dimension_count", 64);
    gguf_float(&g, "deepseek2.rope.freq_base", 10000);
    gguf_scaling(&g, "deepseek2", "yarn", 40, 4096);
    gguf_float(&g, "deepseek2.rope.scaling.yarn_log_multiplier", 0.1);
    return gguf_write(&g, "deepseek2.gguf");
}

static inline const char *write_phi3(void)
{
    double wide[48], brief[48];
    struct gguf_file g = gguf_model("phi3", 32, 3072, 32, 131072);
    gguf_uint(&g, "phi3.rope.dimension_count", 96);
    gguf_uint(&g, "phi3.rope.scaling.original_context_length", 4096);
    gguf_float(&g, "phi3.rope.scaling.attn_factor", sqrt(1 + log(32) / log(4096)));
    for (int k = 0; k < 48; k++) {
        wide[k] = 1 + k;
        brief[k] = 1 + k / 64.0;
    }
    gguf_float(&g, "phi3.rope.freq_base", 10000);
    gguf_floats(&g, "rope_factors_long.weight", 1, 48, wide);
    gguf_floats(&g, "rope_factors_short.weight", 1, 48, brief);
    return gguf_write(&g, "phi3.gguf");
}

static inline const char *write_gemma3(void)
{
    struct gguf_file g = gguf_model("gemma3", 34, 2560, 8, 131072);
    gguf_uint(&g, "gemma3.attention.key_length", 256);
    gguf_uint(&g, "gemma3.attention.sliding_window", 1024);
    gguf_float(&g, "gemma3.rope.freq_base", 1000000);
    gguf_scaling(&g, "gemma3", "linear", 8, 0);
    return gguf_write(&g, "gemma3.gguf");
}

static inline const char *write_gemma4(void)
{
    double factors[256];
    int sliding[30];
    struct gguf_file g = gguf_model("gemma4", 30, 2304, 8, 131072);
    for (int l = 0; l < 30; l++)
        sliding[l] = l % 6 != 5;
    for (int k = 0; k < 256; k++)
        factors[k] = k < 64 ? 1 : 1e30;
    gguf_uint(&g, "gemma4.attention.key_length", 512);
    gguf_uint(&g, "gemma4.attention.key_length_swa", 256);
    gguf_uint(&g, "gemma4.rope.dimension_count", 512);
    gguf_uint(&g, "gemma4.rope.dimension_count_swa", 256);
    gguf_uint(&g, "gemma4.attention.sliding_window", 512);
    gguf_list(&g, "gemma4.attention.sliding_window_pattern", FILE_BOOL, sliding, 30);
    gguf_float(&g, "gemma4.rope.freq_base", 1000000);
    gguf_float(&g, "gemma4.rope.freq_base_swa", 10000);
    gguf_floats(&g, "rope_freqs.weight", 1, 256, factors);
    return gguf_write(&g, "gemma4.gguf");
}

static inline const char *write_qwen2vl(void)
{
    struct gguf_file g = gguf_model("qwen2vl", 28, 1536, 12, 32768);
    gguf_list(&g, "qwen2vl.rope.dimension_sections", FILE_I32, (int[]){16, 24, 24, 0}, 4);
    gguf_float(&g, "qwen2vl.rope.freq_base", 1000000);
    return gguf_write(&g, "qwen2vl.gguf");
}

static inline const char *write_linear(void)
{
    struct gguf_file g = gguf_model("llama", 40, 5120, 40, 16384);
    gguf_float(&g, "llama.rope.freq_base", 10000);
    gguf_float(&g, "llama.rope.scale_linear", 4);           /* the old name, and no kind: linear */
    return gguf_write(&g, "linear.gguf");
}

static inline const char *write_phi2(void)
{
    struct gguf_file g = gguf_model("phi2", 32, 2560, 32, 2048);
    gguf_uint(&g, "phi2.rope.dimension_count", 32);
    gguf_float(&g, "phi2.rope.freq_base", 10000);
    return gguf_write(&g, "phi2.gguf");
}

static inline const char *write_mistral3(void)
{
    struct gguf_file g = gguf_model("mistral3", 34, 4096, 32, 262144);
    gguf_uint(&g, "mistral3.attention.key_length", 128);
    gguf_float(&g, "mistral3.attention.temperature_scale", 0.125);
    gguf_float(&g, "mistral3.rope.freq_base", 1000000);
    gguf_scaling(&g, "mistral3", "yarn", 16, 16384);
    gguf_float(&g, "mistral3.rope.scaling.yarn_log_multiplier", 1);
    return gguf_write(&g, "mistral3.gguf");
}

static const struct model { const char *(*write)(void); const char *config; } models[] = {
    {write_llama31, "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"num_hidden_layers\":32,"
                    "\"max_position_embeddings\":131072,\"rope_theta\":500000,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,"
                    "\"high_freq_factor\":4,\"original_max_position_embeddings\":8192}}"},
    {write_qwen, "{\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_attention_heads\":28,\"num_hidden_layers\":28,\"max_position_embeddings\":131072,"
                 "\"rope_theta\":1000000,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":32768}}"},
    {write_gpt_oss, "{\"model_type\":\"gpt_oss\",\"hidden_size\":2880,\"num_attention_heads\":64,\"num_hidden_layers\":24,\"head_dim\":64,"
                    "\"max_position_embeddings\":131072,\"rope_theta\":150000,\"sliding_window\":128,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32,"
                    "\"original_max_position_embeddings\":4096,\"truncate\":true}}"},
    {write_deepseek, "{\"model_type\":\"deepseek_v3\",\"hidden_size\":7168,\"num_attention_heads\":128,\"num_hidden_layers\":61,\"qk_nope_head_dim\":128,"
                     "\"qk_rope_head_dim\":64,\"max_position_embeddings\":163840,\"rope_theta\":10000,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,"
                     "\"mscale\":1,\"mscale_all_dim\":1,\"original_max_position_embeddings\":4096}}"},
    {write_phi3, NULL},
    {write_gemma3, "{\"model_type\":\"gemma3_text\",\"hidden_size\":2560,\"num_attention_heads\":8,\"num_hidden_layers\":34,\"head_dim\":256,\"sliding_window\":1024,"
                   "\"max_position_embeddings\":131072,\"rope_theta\":1000000,\"rope_local_base_freq\":10000,\"sliding_window_pattern\":6,"
                   "\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}}"},
    {write_gemma4, "{\"model_type\":\"gemma4_text\",\"hidden_size\":2304,\"num_attention_heads\":8,\"num_hidden_layers\":30,\"head_dim\":256,\"global_head_dim\":512,"
                   "\"max_position_embeddings\":131072,\"sliding_window\":512,\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"proportional\","
                   "\"partial_rotary_factor\":0.25,\"rope_theta\":1000000},\"sliding_attention\":{\"rope_type\":\"default\",\"rope_theta\":10000}}}"},
    {write_qwen2vl, "{\"model_type\":\"qwen2_vl\",\"hidden_size\":1536,\"num_attention_heads\":12,\"num_hidden_layers\":28,\"max_position_embeddings\":32768,"
                    "\"rope_theta\":1000000,\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[16,24,24]}}"},
    {write_linear, "{\"model_type\":\"llama\",\"hidden_size\":5120,\"num_attention_heads\":40,\"num_hidden_layers\":40,\"max_position_embeddings\":16384,"
                   "\"rope_theta\":10000,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}"},
    {write_phi2, "{\"model_type\":\"phi\",\"hidden_size\":2560,\"num_attention_heads\":32,\"num_hidden_layers\":32,\"max_position_embeddings\":2048,"
                 "\"rope_theta\":10000,\"partial_rotary_factor\":0.4}"},
    {write_mistral3, "{\"model_type\":\"ministral3\",\"hidden_size\":4096,\"num_attention_heads\":32,\"num_hidden_layers\":34,\"head_dim\":128,"
                     "\"max_position_embeddings\":262144,\"rope_parameters\":{\"rope_type\":\"yarn\",\"rope_theta\":1000000,\"factor\":16,\"mscale\":1,\"mscale_all_dim\":1,"
                     "\"llama_4_scaling_beta\":0.125,\"original_max_position_embeddings\":16384}}"},
};

enum { N_MODELS = sizeof models / sizeof *models };

/* Phi-3's lists are long: its configuration is put together here. */
static inline struct facts *model_config(const struct model *p)
{
    struct buf b = {0};
    char one[40];
    if (p->config)
        return facts_from_config("config.json", p->config, strlen(p->config), NULL);
    buf_text(&b, "{\"model_type\":\"phi3\",\"hidden_size\":3072,\"num_attention_heads\":32,\"num_hidden_layers\":32,\"max_position_embeddings\":131072,"
                 "\"original_max_position_embeddings\":4096,\"rope_theta\":10000,\"rope_scaling\":{\"type\":\"longrope\",\"long_factor\":[1");
    for (int k = 1; k < 48; k++, buf_text(&b, one))
        snprintf(one, sizeof one, ",%d", 1 + k);
    buf_text(&b, "],\"short_factor\":[1");
    for (int k = 1; k < 48; k++, buf_text(&b, one))
        snprintf(one, sizeof one, ",%.17g", 1 + k / 64.0);
    buf_text(&b, "]}}");
    struct facts *f = facts_from_config("config.json", b.data, b.n, NULL);
    buf_done(&b);
    return f;
}

#endif
