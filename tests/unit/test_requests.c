/* test_requests.c - what each encoding's own quantities answer and refuse, line by line as `posviz compute` gets them. If this fails, a request
 * with a wrong size or a wrong word is answered with numbers of something else, or ends the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/request_json.h"

/* The answer to one line, or NULL and the reason. */
static struct table *answer(const char *line, struct err *err)
{
    struct request r = {0};
    struct answer a = {0};
    struct json *json = json_parse(line, strlen(line), err);
    const struct encoding *kind = json ? encoding_find(json_string(json_get(json, "encoding")), err) : NULL;
    bool good = kind && request_read(json, &r, err) && quantity_answer(kind, &r, &a, err);
    request_done(&r);
    json_free(json);
    if (good)
        return a.values;
    assert_null(a.values);
    return NULL;
}

static void what_is_wrong_is_refused_by_name(void **state)
{
    (void)state;
    static const struct { const char *encoding, *rest, *says; } cases[] = {
        /* requests in general */
        {"rope", "\"output\":\"inv_freq\",\"params\":3", "params: must be an object"},
        {"rope", "\"output\":\"inv_freq\",\"params\":{\"a\":{}}", "a: must be a number, a text or a list"},
        {"rope", "\"output\":\"inv_freq\",\"params\":{\"head_dim\":1e999}", "head_dim: is too large for a number"},
        {"rope", "\"output\":\"inv_freq\",\"params\":{\"a\":[\"x\",1]}", "a: must hold texts or numbers, not both"},
        {"rope", "\"output\":\"cos\",\"positions\":[[[[[1]]]]]", "lists may be nested"},
        {"rope", "\"output\":\"cos\",\"positions\":[[1,2],[3,4]]", "positions: must be a list of numbers, or 1 lists"},
        {"sinusoidal", "\"output\":\"pe\",\"params\":{\"n\":0}", "n = 0: must be a whole number from 1"},
        {"alibi", "\"output\":\"pe\"", "alibi has no hook row"},
        {"t5_bias", "\"output\":\"spectrum\"", "t5_bias has no hook spectrum"},
        {"rope", "\"output\":\"rotated\",\"params\":{\"head_dim\":4,\"side\":\"value\"},\"positions\":[0],\"inputs\":{\"x\":[[1,2,3,4]]}",
         "side = value: allowed are query, key"},
        {"rope", "\"output\":\"rotated\",\"params\":{\"head_dim\":4,\"num_heads\":2,\"head\":2},\"positions\":[0],\"inputs\":{\"x\":[[1,2,3,4]]}",
         "head = 2: allowed is 0 to 1"},
        /* ALiBi, CoPE, DeBERTa, Shaw, T5, Transformer-XL */
        {"alibi", "\"output\":\"bias\",\"params\":{\"style\":\"bloomz\",\"n\":3}", "style = bloomz: allowed are bloom, falcon"},
        {"alibi", "\"output\":\"probs\",\"params\":{\"n\":3,\"max_bias\":-1}", "alibi_bias_max = -1: allowed is"},
        {"cope", "\"output\":\"bias\",\"params\":{\"head_dim\":2}", "inputs."},
        {"shaw", "\"output\":\"probs\",\"params\":{\"head_dim\":2}", "inputs."},
        {"deberta", "\"output\":\"c2p\",\"params\":{\"d_model\":4}", "inputs.x is needed"},
        {"t5_bias", "\"output\":\"bucket\"", "bucket: needs positions"},
        {"transformer_xl", "\"output\":\"rel_shift_bidirectional\",\"inputs\":{\"x\":[[1,2],[3,4]]}", "inputs.x has 2 columns: must be more than its 2 rows"},
        {"transformer_xl", "\"output\":\"rel_shift\"", "inputs.x is needed"},
        {"transformer_xl", "\"output\":\"rel_shift_bidirectional\"", "inputs.x is needed"},
        /* ggml */
        {"ggml_rope", "\"output\":\"spectrum\",\"params\":{\"head_dim\":16,\"mode\":\"mrope\",\"n_dims\":16,\"sections\":[1.5,2,3,0]}", "sections: 1.5 is no whole number"},
        {"ggml_rope", "\"output\":\"spectrum\",\"params\":{\"head_dim\":16,\"mode\":\"vision\",\"n_dims\":16,\"sections\":[4,4,0,0]}", "n_dims = 16: mode vision needs half"},
        {"ggml_rope", "\"output\":\"spectrum\",\"params\":{\"head_dim\":16,\"ext_factor\":1,\"freq_base\":1,\"n_ctx_orig\":4096}", "freq_base = 1: YaRN needs more than 1"},
        /* rows of tables */
        {"learned", "\"output\":\"pe\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"table_grid\":[2.5,2]}", "table_grid: must be two whole numbers"},
        {"learned", "\"output\":\"pe\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"table_grid\":[2,2],\"target_grid\":[3]}", "target_grid: must be two whole numbers"},
        {"learned", "\"output\":\"pe\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"table_grid\":[2,2],\"mode\":\"bilinear\"}", "resampled bicubically"},
        {"learned", "\"output\":\"pe\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"table_grid\":[2,2],\"align_corners\":1}", "resampled bicubically"},
        {"learned", "\"output\":\"pe\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"table_grid\":[2,2]},\"positions\":[[0,2],[0,0]]",
         "patch (2, 0) is not in the grid of 2 x 2"},
        {"learned", "\"output\":\"row_index\",\"params\":{\"d_model\":4,\"past_key_values_length\":0.5,\"n\":2}", "past_key_values_length = 0.5"},
        {"learned", "\"output\":\"row_index\",\"params\":{\"d_model\":4,\"style\":\"opt\",\"past_key_values_length\":4},\"inputs\":{\"attention_mask\":[[1,1,1]]}",
         "past_key_values_length = 4: attention_mask has only 3 tokens"},
        {"learned", "\"output\":\"row_index\",\"params\":{\"d_model\":4,\"style\":\"roberta\",\"max_position_embeddings\":2},\"inputs\":{\"input_ids\":[[5,5,5,5]]}",
         "row 4 is not in the table, whose rows are 0 to 3"},
        /* grids */
        {"rope_2d", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":16,\"style\":\"qwen2_vl\",\"grid_thw\":[2,2]}", "grid_thw: must be [frames, rows, columns]"},
        {"rope_2d", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":16,\"style\":\"qwen2_vl\",\"grid_thw\":[1,0.5,2]}", "a grid with a side of 0.5 patches"},
        {"rope_2d", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":16,\"style\":\"qwen2_vl\",\"grid_thw\":[1,3,4]}", "spatial_merge_size = 2: must divide the grid of 3 x 4"},
        {"rope_2d", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":64,\"style\":\"qwen2_vl\",\"grid_thw\":[1,21,21],\"spatial_merge_size\":1.5}",
         "spatial_merge_size = 1.5: must divide the grid of 21 x 21"},
        {"rope_2d", "\"output\":\"rotated\",\"params\":{\"head_dim\":4},\"inputs\":{\"x\":[[1,2,3,4]],\"row\":[0,1],\"col\":[0]}", "inputs.row"},
        {"rope_2d", "\"output\":\"rotated\",\"params\":{\"head_dim\":4},\"inputs\":{\"x\":[[1,2,3,4]]},\"positions\":[[0,1],[0,1]]", "inputs.x has 1 rows for 2 tokens"},
        {"sinusoidal_2d", "\"output\":\"pe\",\"params\":{\"style\":\"detr\",\"num_pos_feats\":0}", "num_pos_feats = 0: allowed is 1"},
        /* RoPE */
        {"rope", "\"output\":\"inv_freq\",\"params\":{\"head_dim\":8,\"mrope_section\":[1.5,1.5,1]}", "mrope_section: 1.5 is no whole number"},
        {"rope", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":8,\"pairs\":[4],\"n\":2}", "pairs: entry 0 is 4, allowed is 0 to 3"},
        {"rope", "\"output\":\"cos_sin\",\"params\":{\"head_dim\":8,\"pairs\":[0,1.5],\"n\":2}", "pairs: entry 1 is 1.5, allowed is 0 to 3"},
        {"rope", "\"output\":\"dot\",\"params\":{\"head_dim\":2},\"inputs\":{\"q\":[1,0],\"k\":[1,0]},\"positions\":[1,2]", "positions: must be a list of pairs"},
        {"rope", "\"output\":\"dot\",\"params\":{\"head_dim\":2},\"inputs\":{\"q\":[1,0]},\"positions\":[[1,2]]", "inputs.k is needed"},
        {"rope", "\"output\":\"inv_freq_per_call\",\"params\":{\"head_dim\":4}", "call_lengths: must be a list of numbers"},
        {"rope", "\"output\":\"inv_freq_per_call\",\"params\":{\"head_dim\":4,\"call_lengths\":[8,0]}", "length = 0: allowed is 1 to 1e12"},
        {"gguf_permute", "\"output\":\"source_row\",\"params\":{\"num_heads\":2,\"head_dim\":3,\"rotary_dim\":2}", "head_dim = 3: must be even"},
        {"gguf_permute", "\"output\":\"source_row\",\"params\":{\"num_heads\":2,\"head_dim\":4,\"tensor\":\"k\",\"num_kv_heads\":1.5}", "num_kv_heads = 1.5"},
        {"rope", "\"output\":\"position_ids\"", "token_types: must be a list"},
        {"rope", "\"output\":\"position_ids\",\"params\":{\"token_types\":[0,1]}", "image_grid_thw: must hold [frames, rows, columns] for image 1"},
        {"rope", "\"output\":\"position_ids\",\"params\":{\"token_types\":[1,1],\"image_grid_thw\":[1,3,4]}", "3 patches do not divide into cells of 2"},
        {"rope", "\"output\":\"position_ids\",\"params\":{\"token_types\":[1,1,1,1],\"image_grid_thw\":[1,3,3],\"spatial_merge_size\":1.5}",
         "do not divide into cells of 1.5"},
        {"rope", "\"output\":\"position_ids\",\"params\":{\"token_types\":[1,1],\"image_grid_thw\":[1,4,4]}", "image 1 has 4 cells, token_types holds fewer"},
        {"rope", "\"output\":\"inv_freq\",\"params\":{\"head_dim\":4,\"rope_type\":\"longrope\",\"factor\":2,\"original_max_position_embeddings\":1,"
                 "\"short_factor\":[1,1],\"long_factor\":[1,1]}", "original_max_position_embeddings = 1: longrope needs more than 1"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[600];
        struct err err = {.lang = LANG_EN};
        snprintf(line, sizeof line, "{\"encoding\":\"%s\",%s}", cases[i].encoding, cases[i].rest);
        struct table *t = answer(line, &err);
        if (t || !strstr(err.text, cases[i].says)) {
            print_error("%s\n    %s, wanted: %s\n", line, t ? "is answered" : err.text, cases[i].says);
            wrong++;
        }
        table_unref(t);
    }
    assert_int_equal(wrong, 0);
}

/* Small cases by hand. */
static void what_is_right_is_answered(void **state)
{
    (void)state;
    static const struct { const char *line; size_t n; double want[12]; } cases[] = {
        {"{\"encoding\":\"learned\",\"output\":\"row_index\",\"params\":{\"d_model\":4,\"n\":3}}", 3, {0, 1, 2}},
        {"{\"encoding\":\"learned\",\"output\":\"row_index\",\"params\":{\"d_model\":4,\"style\":\"opt\"},\"positions\":[0,7]}", 2, {2, 9}},
        {"{\"encoding\":\"learned\",\"output\":\"padding_idx\",\"params\":{\"d_model\":4,\"style\":\"roberta\"}}", 1, {1}},
        {"{\"encoding\":\"learned\",\"output\":\"table_grid\",\"params\":{\"d_model\":4,\"style\":\"vit\"}}", 2, {14, 14}},
        {"{\"encoding\":\"learned\",\"output\":\"target_grid\",\"params\":{\"d_model\":4,\"style\":\"vit\",\"target_grid\":[16,24]}}", 2, {16, 24}},
        {"{\"encoding\":\"deberta\",\"output\":\"scale_factor\",\"params\":{\"d_model\":4}}", 1, {3}},      /* content, c2p, p2c */
        {"{\"encoding\":\"rope\",\"output\":\"position_ids\",\"params\":{\"token_types\":[0,1,1,0],\"image_grid_thw\":[1,2,4]}}", 12,
         {0, 1, 1, 3, 0, 1, 1, 3, 0, 1, 2, 3}},
        {"{\"encoding\":\"rope_2d\",\"output\":\"rotated\",\"params\":{\"head_dim\":4},\"inputs\":{\"x\":[[1,2,3,4]]},\"positions\":[[0],[0]]}", 4, {1, 2, 3, 4}},
        {"{\"encoding\":\"transformer_xl\",\"output\":\"rel_shift_bidirectional\",\"inputs\":{\"x\":[[0,1,2,3],[4,5,6,7]]}}", 4, {2, 3, 5, 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {.lang = LANG_EN};
        struct table *t = answer(cases[i].line, &err);
        if (!t || t->n != cases[i].n)
            fail_msg("%s: %zu values; %s", cases[i].line, t ? t->n : 0, err.text);
        for (size_t k = 0; k < t->n; k++)
            if (t->v[k] != cases[i].want[k])
                fail_msg("%s: value %zu is %.17g, not %g", cases[i].line, k, t->v[k], cases[i].want[k]);
        table_unref(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_by_name),
        cmocka_unit_test(what_is_right_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
