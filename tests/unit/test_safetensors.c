/* test_safetensors.c - safetensors files, folders of models, and what lies beside a configuration. If it fails, views show random numbers
 * for a learned table, a guess passes as a fact, or a configuration and the weights beside it disagree without a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>

#include "../support/findings.h"
#include "../support/gguf_models.h"
#include "../support/safetensors_file.h"
#include "core/field.h"
#include "core/matrix.h"
#include "json/json.h"
#include "model/safetensors.h"

static void assert_says(const struct facts *f, const char *code, const char *text)
{
    const struct finding *x = finding_of(f, code);
    if (!x)
        fail_msg("no finding %s", code);
    if (!strstr(x->message, text))
        fail_msg("%s: %s", code, x->message);
}

static const struct table *parameter(const struct facts *f, size_t kind, size_t item, const char *name)
{
    const struct item *x = &f->kind[kind].item[item];
    return x->param[param_index(x->kind->params, x->kind->n_params, name)].t;
}

static void counted(double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(i % 64) / 64;         /* exact in every format */
}

#define GPT2 "{\"model_type\":\"gpt2\",\"n_positions\":16,\"n_embd\":8,\"n_head\":2,\"n_layer\":2}"

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static void tables_in_every_format(void **state)
{
    (void)state;
    static const char *const dtypes[] = {"F32", "F64", "F16", "BF16"};
    double values[16 * 8];
    counted(values, 128);
    scratch_text("config.json", GPT2);
    for (size_t i = 0; i < 4; i++) {
        struct tensors t = {0};
        tensors_add(&t, "h.0.attn.c_attn.weight", "F32", "[2,2]", 4, NULL);
        tensors_add(&t, "wpe.weight", dtypes[i], "[16,8]", 128, values);
        struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
        assert_string_equal(f->scheme, "learned_absolute");
        assert_int_equal(f->n_findings, 0);
        assert_memory_equal(parameter(f, 0, 0, "table")->v, values, sizeof values);
        assert_string_equal(facts_origin(f, "context"), "n_positions");
        facts_unref(f);
    }
}

/* Scripts read "format" of the answer in JSON. */
static void assert_format(const char *path, const char *name)
{
    struct facts *f = facts_at(path);
    struct json *json = facts_to_json(f);
    assert_false(f->unreadable);
    assert_string_equal(json_string(json_get(json, "format")), name);
    json_free(json);
    facts_unref(f);
}

static void the_format_is_told(void **state)
{
    (void)state;
    struct tensors t = {0};
    tensors_add(&t, "wpe.weight", "F32", "[16,8]", 128, NULL);
    scratch_text("alone/ignored", "");
    assert_format(tensors_write(&t, "alone/model.safetensors"), "safetensors");
    assert_format(scratch_path("alone"), "safetensors");
    scratch_text("both/config.json", GPT2);
    assert_format(scratch_path("both/config.json"), "config");
    assert_format(scratch_path("both"), "config");
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
    assert_format(gguf_write(&g, "model.gguf"), "gguf");
}

static void rows_that_do_not_fit(void **state)
{
    (void)state;
    struct tensors t = {0};
    scratch_text("config.json", GPT2);
    tensors_add(&t, "transformer.wpe.weight", "F32", "[12,8]", 96, NULL);
    struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_says(f, "table-rows", "12 rows");
    facts_unref(f);
    tensors_add(&t, "wpe.weight", "F32", "[16,4]", 64, NULL);
    f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_non_null(finding_of(f, "table-shape"));
    assert_null(parameter(f, 0, 0, "table"));
    facts_unref(f);
    tensors_add(&t, "wpe.weight", "I8", "[16,8]", 16, NULL);        /* quantised by some tool */
    f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_non_null(finding_of(f, "tensor-unread"));
    facts_unref(f);
}

/* Encoder and decoder have tables of their own. */
static void tables_of_two_stacks(void **state)
{
    (void)state;
    double encoder[18 * 8], decoder[18 * 8] = {0};
    struct tensors t = {0};
    counted(encoder, 144);
    tensors_add(&t, "model.decoder.embed_positions.weight", "F32", "[18,8]", 144, decoder);
    tensors_add(&t, "model.encoder.embed_positions.weight", "F32", "[18,8]", 144, encoder);
    scratch_text("config.json", "{\"model_type\":\"bart\",\"d_model\":8,\"encoder_layers\":1,\"decoder_layers\":1,\"encoder_attention_heads\":2,"
                                "\"decoder_attention_heads\":2,\"max_position_embeddings\":16}");
    struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_int_equal(f->n_findings, 0);
    for (size_t k = 0; k < f->n_kinds; k++) {
        bool is_decoder = !strcmp(f->kind[k].name, "decoder");
        assert_memory_equal(parameter(f, k, 0, "table")->v, is_decoder ? decoder : encoder, sizeof encoder);
    }
    assert_int_equal(f->n_kinds, 2);
    facts_unref(f);
}

static void tables_of_other_encodings(void **state)
{
    (void)state;
    double values[32 * 4];
    struct tensors t = {0};
    counted(values, 128);
    scratch_text("config.json", "{\"model_type\":\"t5\",\"d_model\":32,\"d_kv\":8,\"num_heads\":4,\"num_layers\":2}");
    tensors_add(&t, "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "F32", "[32,4]", 128, NULL);
    tensors_add(&t, "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "F32", "[32,4]", 128, values);
    struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_memory_equal(parameter(f, 0, 0, "table")->v, values, sizeof values);
    assert_true(parameter(f, f->n_kinds - 1, 0, "table")->v[1] == 0);
    facts_unref(f);

    scratch_text("config.json", "{\"model_type\":\"vit\",\"hidden_size\":8,\"num_attention_heads\":2,\"num_hidden_layers\":1,\"image_size\":32,\"patch_size\":16}");
    tensors_add(&t, "vit.embeddings.position_embeddings", "F32", "[1,5,8]", 40, values);        /* class token and 2 x 2 patches */
    f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_int_equal(parameter(f, 0, 0, "table")->dim[0], 5);
    assert_memory_equal(parameter(f, 0, 0, "table")->v, values, 40 * sizeof *values);
    facts_unref(f);

    scratch_text("config.json", "{\"model_type\":\"swin\",\"window_size\":3,\"num_heads\":[2,4],\"embed_dim\":8,\"depths\":[1,1],\"image_size\":24,\"patch_size\":4}");
    tensors_add(&t, "swin.encoder.layers.0.blocks.0.attention.self.relative_position_bias_table", "F32", "[25,2]", 50, values);
    f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_non_null(parameter(f, 0, 0, "table"));
    facts_unref(f);

    /* MPNet has rows and buckets, each with a table of its own. */
    scratch_text("config.json", "{\"model_type\":\"mpnet\",\"hidden_size\":8,\"num_attention_heads\":4,\"num_hidden_layers\":1,\"max_position_embeddings\":6}");
    tensors_add(&t, "embeddings.position_embeddings.weight", "F32", "[6,8]", 48, NULL);
    tensors_add(&t, "encoder.relative_attention_bias.weight", "F32", "[32,4]", 128, values);
    f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_non_null(parameter(f, 0, 0, "table"));
    assert_non_null(parameter(f, 0, 1, "table"));
    assert_memory_equal(parameter(f, 0, 1, "table")->v, values, sizeof values);
    facts_unref(f);
}

/* ---- without a configuration --------------------------------------------------------------------------------------------- */

static void what_names_and_shapes_tell(void **state)
{
    (void)state;
    double values[16 * 8];
    struct tensors t = {0};
    counted(values, 128);
    tensors_add(&t, "h.0.ln_1.weight", "F32", "[8]", 8, NULL);
    tensors_add(&t, "h.3.ln_1.weight", "F32", "[8]", 8, NULL);
    tensors_add(&t, "wpe.weight", "F32", "[16,8]", 128, values);
    struct facts *f = facts_at(tensors_write(&t, "alone.safetensors"));
    assert_non_null(finding_of(f, "config-missing"));
    assert_int_equal(f->n_findings, 1);
    assert_string_equal(f->scheme, "learned_absolute");
    assert_true(f->num_layers == 4 && f->hidden_size == 8 && f->context == 16 && isnan(f->num_heads));
    assert_string_equal(facts_origin(f, "context"), "wpe.weight");
    assert_string_equal(facts_origin(f, "num_layers"), "names of the tensors");
    assert_memory_equal(parameter(f, 0, 0, "table")->v, values, sizeof values);
    facts_unref(f);

    tensors_add(&t, "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "BF16", "[32,4]", 128, NULL);
    f = facts_at(tensors_write(&t, "alone.safetensors"));
    assert_string_equal(f->scheme, "t5_relative_bias");
    assert_true(f->num_heads == 4);
    facts_unref(f);

    double frequencies[32];
    for (int k = 0; k < 32; k++)
        frequencies[k] = pow(500000, -k / 32.0);
    tensors_add(&t, "model.layers.0.self_attn.rotary_emb.inv_freq", "F32", "[32]", 32, frequencies);
    tensors_add(&t, "model.layers.0.self_attn.q_norm.weight", "F32", "[64]", 64, NULL);
    f = facts_at(tensors_write(&t, "alone.safetensors"));
    assert_string_equal(f->scheme, "rope");
    assert_true(f->base == 500000 && f->rotary_dim == 64 && f->head_dim == 64);
    assert_string_equal(f->layout, "");
    facts_unref(f);
}

static void what_they_do_not_tell(void **state)
{
    (void)state;
    struct tensors t = {0};
    tensors_add(&t, "model.embed_tokens.weight", "F32", "[4,8]", 32, NULL);
    tensors_add(&t, "model.layers.1.self_attn.q_proj.weight", "F32", "[8,8]", 64, NULL);
    struct facts *f = facts_at(tensors_write(&t, "alone.safetensors"));
    assert_string_equal(f->scheme, "unknown");
    assert_true(f->hidden_size == 8 && f->num_layers == 2 && isnan(f->base) && isnan(f->num_heads) && isnan(f->context));
    assert_int_equal(f->n_kinds, 0);
    facts_unref(f);
}

/* ---- frequencies --------------------------------------------------------------------------------------------------------------- */

static void stored_frequencies_are_compared(void **state)
{
    (void)state;
    static const struct { double base; const char *dtype; bool fits; } rows[] = {
        {10000, "F32", true}, {10000, "BF16", true}, {10001, "F32", false}, {500000, "F32", false}, {500000, "BF16", false},
    };
    scratch_text("config.json", "{\"model_type\":\"llama\",\"hidden_size\":256,\"num_attention_heads\":4,\"num_hidden_layers\":2,\"max_position_embeddings\":2048,"
                                "\"rope_theta\":10000}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double frequencies[32];
        struct tensors t = {0};
        for (int k = 0; k < 32; k++)
            frequencies[k] = pow(rows[i].base, -k / 32.0);
        tensors_add(&t, "model.layers.0.self_attn.rotary_emb.inv_freq", rows[i].dtype, "[32]", 32, frequencies);
        struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
        assert_true(!finding_of(f, "inv-freq") == rows[i].fits);
        facts_unref(f);
    }
}

/* ---- shards -------------------------------------------------------------------------------------------------------------------- */

static void tensors_are_found_in_shards(void **state)
{
    (void)state;
    double values[128];
    struct tensors t = {0};
    counted(values, 128);
    scratch_text("config.json", GPT2);
    tensors_add(&t, "h.0.ln_1.weight", "F32", "[8]", 8, NULL);
    tensors_write(&t, "model-00001-of-00002.safetensors");
    tensors_add(&t, "wpe.weight", "F32", "[16,8]", 128, values);
    tensors_write(&t, "model-00002-of-00002.safetensors");
    scratch_text("model.safetensors.index.json", "{\"metadata\":{},\"weight_map\":{\"h.0.ln_1.weight\":\"model-00001-of-00002.safetensors\","
                                                 "\"wpe.weight\":\"model-00002-of-00002.safetensors\"}}");
    static const char *const paths[] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json", ""};
    for (size_t i = 0; i < 4; i++) {
        struct facts *f = facts_at(scratch_path(paths[i]));
        assert_int_equal(f->n_findings, 0);
        assert_memory_equal(parameter(f, 0, 0, "table")->v, values, sizeof values);
        assert_int_equal(f->format, i < 3 ? FORMAT_SAFETENSORS : FORMAT_CONFIG);
        facts_unref(f);
    }
    unlink(scratch_path("model-00002-of-00002.safetensors"));       /* not downloaded yet */
    struct facts *f = facts_at(scratch_path(""));
    assert_says(f, "tensor-unread", "model-00002-of-00002.safetensors");
    assert_false(f->unreadable);
    facts_unref(f);
}

static void an_index_leads_nowhere_else(void **state)
{
    (void)state;
    static const char *const names[] = {"../secret.safetensors", "/etc/passwd", "sub/x.safetensors", "", "."};
    char text[300];
    for (size_t i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "{\"weight_map\":{\"wpe.weight\":\"%s\"}}", names[i]);
        struct facts *f = facts_at(scratch_text("model.safetensors.index.json", text));
        assert_true(f->unreadable);
        assert_says(f, "damaged", "not the name of a file in the same folder");
        facts_unref(f);
    }
}

/* ---- folders ------------------------------------------------------------------------------------------------------------------------ */

static void write_folder_config(double base)
{
    char text[300];
    snprintf(text, sizeof text, "{\"model_type\":\"qwen2\",\"hidden_size\":256,\"num_attention_heads\":4,\"num_hidden_layers\":2,\"max_position_embeddings\":4096,"
                                "\"rope_theta\":%.10g}", base);
    scratch_text("config.json", text);
}

static void write_folder_gguf(const char *name, double base)
{
    struct gguf_file g = gguf_model("qwen2", 2, 256, 4, 4096);
    gguf_float(&g, "qwen2.rope.freq_base", base);
    gguf_write(&g, name);
}

static void a_folder_is_compared_with_itself(void **state)
{
    (void)state;
    write_folder_config(1000000);
    write_folder_gguf("model-q4.gguf", 1000000);
    struct facts *f = facts_at(scratch);
    assert_int_equal(f->format, FORMAT_CONFIG);
    assert_int_equal(f->n_findings, 0);
    facts_unref(f);
    write_folder_gguf("model-q8.gguf", 10000);
    f = facts_at(scratch);
    assert_says(f, "files-disagree", "base: config.json says 1000000, model-q8.gguf says 10000");
    assert_int_equal(f->n_findings, 1);
    facts_unref(f);
}

static void a_folder_of_weights(void **state)
{
    (void)state;
    struct facts *f = facts_at(scratch);
    assert_true(f->unreadable);
    assert_non_null(finding_of(f, "no-model"));
    facts_unref(f);
    write_folder_gguf("a.gguf", 500000);
    scratch_text("mmproj-a.gguf", "GGUF");
    f = facts_at(scratch);
    assert_int_equal(f->format, FORMAT_GGUF);
    assert_true(f->base == 500000);
    facts_unref(f);
    write_folder_gguf("b.gguf", 10000);
    f = facts_at(scratch);
    assert_true(f->unreadable);
    assert_says(f, "several-files", "a.gguf, b.gguf");
    facts_unref(f);
}

static void parts_of_one_file(void **state)
{
    (void)state;
    write_folder_gguf("m-00001-of-00003.gguf", 500000);
    scratch_text("m-00002-of-00003.gguf", "GGUF");
    scratch_text("m-00003-of-00003.gguf", "GGUF");
    struct facts *f = facts_at(scratch);
    assert_true(f->base == 500000);
    facts_unref(f);
}

static void weights_that_are_not_there_yet(void **state)
{
    (void)state;
    write_folder_config(10000);
    scratch_text("model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    struct facts *f = facts_at(scratch);
    assert_false(f->unreadable);
    assert_says(f, "weights-unread", "git lfs pull");
    assert_int_equal(finding_of(f, "weights-unread")->severity, SEVERITY_NOTE);
    facts_unref(f);
}

static void a_broken_configuration_beside(void **state)
{
    (void)state;
    struct tensors t = {0};
    scratch_text("config.json", "{broken");
    tensors_add(&t, "wpe.weight", "F32", "[16,8]", 128, NULL);
    struct facts *f = facts_at(tensors_write(&t, "model.safetensors"));
    assert_non_null(finding_of(f, "config-unread"));
    assert_string_equal(f->scheme, "learned_absolute");
    facts_unref(f);
}

/* ---- damaged files ----------------------------------------------------------------------------------------------------------------- */

static void cut_anywhere(void **state)
{
    (void)state;
    struct tensors t = {0};
    tensors_add(&t, "wpe.weight", "F32", "[4,8]", 32, NULL);
    struct buf b = tensors_bytes(&t);
    for (size_t n = 0; n < b.n; n++) {
        struct facts *f = facts_at(scratch_write("cut.safetensors", b.data, n));
        assert_true(f->unreadable);
        assert_true(f->n_findings > 0);
        facts_unref(f);
    }
    buf_done(&b);
}

static void things_in_its_place(void **state)
{
    (void)state;
    static const struct { const char *bytes; size_t n; const char *says; } rows[] = {
        {"PK\3\4\0\0\x08\0\0\0\0\0", 12, "starts like a zip: probably a PyTorch .bin"},
        {"version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull"},
        {"GGUF\3\0\0\0\0\0\0\0", 12, "GGUF"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10, "larger than the file"},
        {"\2\0\0\0\0\0\0\0[]", 10, "no JSON object"},
        {"short", 5, "too few"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct facts *f = facts_at(scratch_write("x.safetensors", rows[i].bytes, rows[i].n));
        bool gguf = f->format == FORMAT_GGUF;           /* known by its first bytes, whatever its name */
        assert_true(f->unreadable);
        if (!gguf)
            assert_non_null(strstr(f->finding[0].message, rows[i].says));
        facts_unref(f);
    }
}

/* Ten thousand million bytes that are not there: only the header and the table may be read. */
/* ---- pictures: tokens in the order of the file's rows ------------------------------------------------------------------- */

static struct field *field_of(const struct facts *f, enum field_kind kind, struct layer **layer)
{
    const struct layer_facts *k = &f->kind[0];
    *layer = layer_open(k->item, k->n_items, &k->shape, NULL);
    assert_non_null(*layer);
    struct field *field = field_open(*layer, &(struct field_options){.kind = kind, .head = kind == FIELD_BIAS}, NULL);
    assert_non_null(field);
    return field;
}

/* ViT: the class token's row, then the patches row by row. */
static void a_picture_token_by_token(void **state)
{
    (void)state;
    enum { ROWS = 1 + 2 * 3, WIDTH = 4 };
    double values[ROWS * WIDTH];
    struct tensors t = {0};
    struct layer *layer;
    counted(values, ROWS * WIDTH);
    static const char config[] = "{\"model_type\":\"vit\",\"hidden_size\":4,\"num_attention_heads\":2,\"num_hidden_layers\":1,\"image_size\":[16,24],\"patch_size\":8}";
    scratch_write("vit/config.json", config, sizeof config - 1);
    tensors_add(&t, "vit.embeddings.position_embeddings", "F32", "[1,7,4]", ROWS * WIDTH, values);
    tensors_write(&t, "vit/model.safetensors");
    struct facts *f = facts_at(scratch_path("vit"));
    struct field *field = field_of(f, FIELD_ROWS, &layer);
    for (size_t q = 0; q < ROWS; q++) {
        for (size_t k = 0; k < ROWS; k++) {
            double product = 0;
            for (size_t c = 0; c < WIDTH; c++)
                product += values[q * WIDTH + c] * values[k * WIDTH + c];
            assert_true(fabs(field_at(field, (double)q, (double)k) - product) < 1e-12);
        }
        for (size_t c = 0; c < WIDTH; c++)
            assert_true(matrix_at(layer_row(layer), MATRIX_ROW, (double)q, c) == values[q * WIDTH + c]);
    }
    assert_true(isnan(matrix_at(layer_row(layer), MATRIX_ROW, ROWS, 0)));
    field_close(field);
    layer_close(layer);
    facts_unref(f);
}

/* Swin's window of 3 x 3 and BEiT's picture of 3 x 3 with a class token, with and without a configuration. */
static void a_window_token_by_token(void **state)
{
    (void)state;
    enum { SIDE = 3, PLACES = (2 * SIDE - 1) * (2 * SIDE - 1), HEADS = 2 };
    static const char *const names[] = {"layers.0.relative_position_bias_table", "layer.0.relative_position_bias.relative_position_bias_table"};
    static const char *const configs[] = {
        "{\"model_type\":\"swin\",\"embed_dim\":8,\"depths\":[1],\"num_heads\":[2],\"window_size\":3,\"image_size\":12,\"patch_size\":4}",
        "{\"model_type\":\"beit\",\"hidden_size\":8,\"num_attention_heads\":2,\"num_hidden_layers\":1,\"image_size\":12,\"patch_size\":4,"
        "\"use_relative_position_bias\":true}",
    };
    double values[(PLACES + 3) * HEADS];
    counted(values, (PLACES + 3) * HEADS);
    for (size_t i = 0; i < 4; i++) {
        int cls = i % 2;
        struct tensors t = {0};
        struct layer *layer;
        if (i < 2)
            scratch_write("w/config.json", configs[cls], strlen(configs[cls]));
        else
            remove(scratch_path("w/config.json"));
        tensors_add(&t, names[cls], "F32", cls ? "[28,2]" : "[25,2]", (size_t)(PLACES + 3 * cls) * HEADS, values);
        tensors_write(&t, "w/model.safetensors");
        struct facts *f = facts_at(scratch_path("w"));
        assert_true(i < 2 || isnan(f->hidden_size));
        struct field *field = field_of(f, FIELD_BIAS, &layer);
        for (int q = 0; q < SIDE * SIDE + cls; q++) {
            for (int k = 0; k < SIDE * SIDE + cls; k++) {
                int a = q - cls, b = k - cls, row = (a / SIDE - b / SIDE + SIDE - 1) * (2 * SIDE - 1) + a % SIDE - b % SIDE + SIDE - 1;
                if (a < 0 || b < 0)
                    row = PLACES + (a < 0 && b < 0 ? 2 : a < 0 ? 0 : 1);
                assert_true(field_at(field, q, k) == values[row * HEADS + 1]);
            }
        }
        field_close(field);
        layer_close(layer);
        facts_unref(f);
    }
}

static void data_in_the_wrong_place(void **state)
{
    (void)state;
    static const struct { const char *header; size_t bytes; const char *says; } rows[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16, NULL},
        {"{\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]},\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 16, NULL},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, NULL},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12,
         "tensor b begins at byte 4 of the data, but the one before it ends at 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]}}", 20,
         "tensor b begins at byte 12 of the data, but the one before it ends at 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, "the tensors end at byte 8 of the data, which has 9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b = {0};
        put_uint(&b, strlen(rows[i].header), 8);
        buf_text(&b, rows[i].header);
        for (size_t n = 0; n < rows[i].bytes; n++)
            put_uint(&b, 0, 1);
        struct facts *f = facts_at(scratch_write("a.safetensors", b.data, b.n));
        if (rows[i].says)
            assert_says(f, "tensor-layout", rows[i].says);
        else
            assert_null(finding_of(f, "tensor-layout"));
        facts_unref(f);
        buf_done(&b);
    }
}

static void tensors_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    static const struct { const char *dtype, *shape, *says; } cases[] = {
        {"I64", "[4]", "tensor x holds I64; F64, F32, F16 and BF16 can be read"},
        {"F32", "[1,1,1,1,1,1,1,4]", "tensor x has 8 axes, at most"},
        {"F32", "[0,4]", "tensor x has more than 100 numbers, or none"},
        {"F32", "[101]", "tensor x has more than 100 numbers, or none"},
        {"F32", "[4294967296,4294967296,4294967296]", "tensor x has more than 100 numbers, or none"},
        {"F32", "[3]", "tensor x has 16 bytes, its shape needs 12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensors t = {0};
        struct err err = {.lang = LANG_EN};
        tensors_add(&t, "x", "F32", cases[i].shape, 4, NULL);
        struct buf b = tensors_bytes(&t);
        if (strcmp(cases[i].dtype, "F32"))
            memcpy(strstr(b.data + 8, "F32"), cases[i].dtype, 3);
        struct safetensors *s = safetensors_open(scratch_write("a.safetensors", b.data, b.n), &err);
        if (!s)
            fail_msg("%s %s: %s", cases[i].dtype, cases[i].shape, err.text);
        assert_null(safetensors_values(s, &s->tensor[0], 100, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s %s says: %s", cases[i].dtype, cases[i].shape, err.text);
        safetensors_close(s);
        buf_done(&b);
    }
}

static void replaced_while_read(void **state)
{
    (void)state;
    struct tensors t = {0}, other = {0};
    struct err err = {.lang = LANG_EN};
    double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    tensors_add(&t, "wpe.weight", "F32", "[2,4]", 8, values);
    tensors_add(&other, "xyz.weight", "F32", "[2,4]", 8, NULL);
    struct safetensors *s = safetensors_open(tensors_write(&t, "a.safetensors"), &err);
    assert_non_null(s);
    assert_int_equal(rename(tensors_write(&other, "b.safetensors"), s->path), 0);
    assert_null(safetensors_values(s, &s->tensor[0], 100, &err));
    assert_non_null(strstr(err.text, "was changed while it was read"));
    safetensors_close(s);
}

/* The format allows headers of a hundred million bytes. */
static void a_long_header(void **state)
{
    (void)state;
    static const char header[] = "{\"wpe.weight\":{\"dtype\":\"F32\",\"shape\":[16,8],\"data_offsets\":[0,512]}}";
    char path[600], head[8] = {0}, data[512] = {0};
    snprintf(path, sizeof path, "%s", scratch_path("long.safetensors"));
    for (int over = 0; over < 2; over++) {
        unsigned long long n = 100000000 + (unsigned)over;
        FILE *f = fopen(path, "wb");
        char *spaces = xmalloc(n);
        memset(spaces, ' ', n);
        memcpy(spaces, header, sizeof header - 1);
        for (int i = 0; i < 8; i++)
            head[i] = (char)(n >> 8 * i);
        if (!f || fwrite(head, 1, 8, f) != 8 || fwrite(spaces, 1, n, f) != n || fwrite(data, 1, sizeof data, f) != sizeof data)
            skip();
        fclose(f);
        free(spaces);
        struct facts *facts = facts_at(path);
        assert_true(facts->unreadable == over);
        if (over)
            assert_says(facts, "damaged", "allowed is 2 to 100000000");
        else
            assert_int_equal(parameter(facts, 0, 0, "table")->n, 128);
        facts_unref(facts);
    }
}

/* A header may hold more tensors of one kind than any model: each is looked at once, not once for every other (that would not end). */
static void very_many_tensors(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    struct buf header = {0}, index = {0}, file = {0};
    char line[120];
    buf_text(&header, "{");
    buf_text(&index, "{\"weight_map\":{");
    for (int i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, "%s\"%d.q_norm.weight\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}", i ? "," : "", i);
        buf_text(&header, line);
        snprintf(line, sizeof line, "%s\"%d.q_norm.weight\":\"a-0000%d-of-00002.safetensors\"", i ? "," : "", i, 1 + i % 2);
        buf_text(&index, line);
    }
    buf_text(&header, "}");
    buf_text(&index, "}}");
    put_uint(&file, header.n, 8);
    buf_put(&file, header.data, header.n);
    put_uint(&file, 0, 4);
    struct facts *f = facts_at(scratch_write("a-00001-of-00002.safetensors", file.data, file.n));
    assert_says(f, "config-missing", "300000 tensors");
    facts_unref(f);
    const char *path = scratch_write("a.safetensors.index.json", index.data, index.n);      /* half of them in a file that is not there */
    f = facts_at(path);
    assert_says(f, "config-missing", "300000 tensors");
    facts_unref(f);
    buf_done(&header);
    buf_done(&index);
    buf_done(&file);
}

static void a_file_of_ten_gigabytes(void **state)
{
    (void)state;
    static const char header[] = "{\"wpe.weight\":{\"dtype\":\"F32\",\"shape\":[16,8],\"data_offsets\":[10000000000,10000000512]}}";
    struct buf b = {0};
    put_uint(&b, sizeof header - 1, 8);
    buf_text(&b, header);
    const char *path = scratch_write("big.safetensors", b.data, b.n);
    if (truncate(path, (off_t)b.n + 10000000512) != 0)
        skip();
    struct facts *f = facts_at(path);
    assert_string_equal(f->scheme, "learned_absolute");
    assert_int_equal(parameter(f, 0, 0, "table")->n, 128);
    facts_unref(f);
    buf_done(&b);
}

int main(void)
{
#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)
    const struct CMUnitTest tests[] = {
        SCRATCH(tables_in_every_format), SCRATCH(the_format_is_told), SCRATCH(rows_that_do_not_fit), SCRATCH(tables_of_two_stacks), SCRATCH(tables_of_other_encodings),
        SCRATCH(what_names_and_shapes_tell), SCRATCH(what_they_do_not_tell), SCRATCH(stored_frequencies_are_compared), SCRATCH(tensors_are_found_in_shards),
        SCRATCH(an_index_leads_nowhere_else), SCRATCH(a_folder_is_compared_with_itself), SCRATCH(a_folder_of_weights), SCRATCH(parts_of_one_file),
        SCRATCH(weights_that_are_not_there_yet), SCRATCH(a_broken_configuration_beside), SCRATCH(cut_anywhere), SCRATCH(things_in_its_place),
        SCRATCH(a_file_of_ten_gigabytes), SCRATCH(a_long_header), SCRATCH(very_many_tensors),
        SCRATCH(a_picture_token_by_token), SCRATCH(a_window_token_by_token), SCRATCH(data_in_the_wrong_place),
        SCRATCH(tensors_that_cannot_be_read_say_why), SCRATCH(replaced_while_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
