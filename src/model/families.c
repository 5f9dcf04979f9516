/* families.c - the families as data, from their published code (transformers 4 and 5, and the model code that
 * ships with checkpoints). A row serves every model type it names. */
#include "model/families.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const scheme_names[SCHEME_COUNT] = {
    [SCHEME_UNKNOWN] = "unknown",
    [SCHEME_NONE] = "none",
    [SCHEME_ROPE] = "rope",
    [SCHEME_ALIBI] = "alibi",
    [SCHEME_LEARNED] = "learned_absolute",
    [SCHEME_SINUSOIDAL] = "sinusoidal_absolute",
    [SCHEME_T5] = "t5_relative_bias",
    [SCHEME_TRANSFORMER_XL] = "transformer_xl_relative",
    [SCHEME_DEBERTA] = "deberta_disentangled",
    [SCHEME_SHAW] = "shaw_relative",
    [SCHEME_RELATIVE_2D] = "relative_bias_2d",
    [SCHEME_CONVOLUTIONAL] = "convolutional",
};

#define HALF .scheme = SCHEME_ROPE, .layout = "half"
#define INTERLEAVED .scheme = SCHEME_ROPE, .layout = "interleaved"
#define LEARNED .scheme = SCHEME_LEARNED
#define SHAPE(hidden, heads, layers) "hidden_size=" #hidden " num_attention_heads=" #heads " num_hidden_layers=" #layers " "
#define LENGTH(n) "max_position_embeddings=" #n " "
#define THETA(b) "rope_theta=" #b " "

static const struct family families[] = {
    /* ---- rotary, half-split ---------------------------------------------------------------------- */
    {.names = "llama code_llama yi xverse aquila skywork orion telechat telechat2 telechat3 solar minicpm minicpmv minicpmo idefics arcee "
              "chameleon hyperclovax nemotron-nas deci seed_llama open-llama plamo molmo cogvlm cogvlm2 aria aria_text llava llava_llama llava_next "
              "llava_next_video vipllava video_llava idefics3 smolvlm perception_lm janus multi_modality deepseek_vl deepseek_vl_hybrid evolla "
              "higgs_audio_v2 voxtral glmasr deepseek_ocr2 deepseek_ocr2_text", HALF,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32)},
    {.names = "emu3 emu3_text_model", HALF, .defaults = THETA(1000000) LENGTH(9216) SHAPE(4096, 32, 32)},
    {.names = "cwm", HALF,
     .defaults = THETA(1000000) LENGTH(131072) SHAPE(6144, 48, 64) "head_dim=128 sliding_window=8192 @pattern=4 @global_first=1"},
    {.names = "bitnet", HALF, .defaults = THETA(500000) LENGTH(2048) SHAPE(2560, 20, 30)},
    {.names = "doge", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(1024, 8, 32)},
    {.names = "jetmoe", HALF, .defaults = THETA(10000) LENGTH(4096) SHAPE(2048, 32, 12) "kv_channels=128"},
    {.names = "jais2", HALF, .defaults = THETA(500000) LENGTH(8192) SHAPE(3328, 26, 32)},
    /* Turns the other way, (x2, -x1): the score at every distance is the same as Llama's. */
    {.names = "nanochat", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(768, 6, 12)},
    {.names = "llada", HALF, .rules = FAMILY_ENCODER, .defaults = THETA(500000) "max_sequence_length=4096 d_model=4096 n_heads=32 n_layers=32"},
    {.names = "mistral mistral3 ministral", HALF, .defaults = THETA(10000) LENGTH(131072) SHAPE(4096, 32, 32) "sliding_window=4096"},
    {.names = "ministral3", HALF, .defaults = THETA(1000000) LENGTH(262144) SHAPE(4096, 32, 34) "head_dim=128"},
    {.names = "mixtral", HALF, .defaults = THETA(1000000) LENGTH(131072) SHAPE(4096, 32, 32)},
    {.names = "qwen", HALF, .rules = FAMILY_QWEN1,
     .defaults = "rotary_emb_base=10000 rotary_pct=1 kv_channels=128 seq_length=8192 " SHAPE(4096, 32, 32)},
    {.names = "qwen2 qwen2_audio llava_qwen llava_onevision got_ocr2 ovis2 ovis fast_vlm internvl internvl_chat audioflamingo3 video_llama_3 dream dots_ocr", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(4096, 32, 32) "use_sliding_window=0 sliding_window=4096 max_window_layers=28"},
    {.names = "qwen2_moe", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(2048, 16, 24) "use_sliding_window=0 sliding_window=4096 max_window_layers=28"},
    {.names = "qwen3 qwen3_asr lighton_ocr qwen3_omni_moe_talker_code_predictor", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(4096, 32, 32) "head_dim=128 use_sliding_window=0 sliding_window=4096 max_window_layers=28"},
    {.names = "qwen3_moe qwen3_omni_moe qwen3_omni_moe_thinker qwen3_omni_moe_text qwen3_omni_moe_talker qwen3_omni_moe_talker_text", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(2048, 32, 24) "use_sliding_window=0 sliding_window=4096 max_window_layers=28"},
    {.names = "qwen3_next", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(2048, 16, 48) "head_dim=256 partial_rotary_factor=0.25 full_attention_interval=4"},
    {.names = "qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text", HALF,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(4096, 16, 32) "head_dim=256 partial_rotary_factor=0.25 full_attention_interval=4"},
    {.names = "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text", HALF,
     .defaults = THETA(1000000) LENGTH(32768) SHAPE(8192, 64, 80) "use_sliding_window=0 sliding_window=4096 max_window_layers=80 @sections=1"},
    {.names = "qwen2_5_omni qwen2_5_omni_text qwen2_5_omni_thinker qwen2_5_omni_talker", HALF,
     .defaults = THETA(1000000) LENGTH(32768) SHAPE(3584, 28, 28) "use_sliding_window=0 sliding_window=32768 max_window_layers=28"},
    {.names = "qwen3_vl qwen3_vl_text", HALF, .defaults = THETA(5000000) LENGTH(128000) SHAPE(4096, 32, 32) "head_dim=128"},
    {.names = "qwen3_vl_moe qwen3_vl_moe_text", HALF, .defaults = THETA(5000000) LENGTH(128000) SHAPE(2048, 16, 24) "head_dim=128"},
    {.names = "gemma paligemma", HALF, .defaults = THETA(10000) LENGTH(8192) SHAPE(3072, 16, 28) "head_dim=256"},
    {.names = "gemma2 vaultgemma shieldgemma2_text", HALF,
     .defaults = THETA(10000) LENGTH(8192) SHAPE(2304, 8, 26) "head_dim=256 sliding_window=4096 @pattern=2 query_pre_attn_scalar=256"},
    {.names = "gemma3 gemma3_text shieldgemma2 t5gemma2 t5gemma2_decoder", HALF, .rules = FAMILY_LOCAL_UNSCALED | FAMILY_DECLARED_EXTENDED,
     .defaults = THETA(1000000) LENGTH(131072) SHAPE(2304, 8, 26) "head_dim=256 sliding_window=4096 rope_local_base_freq=10000 @pattern=6 query_pre_attn_scalar=256"},
    {.names = "t5gemma2_encoder t5gemma2_text", HALF, .rules = FAMILY_ENCODER | FAMILY_LOCAL_UNSCALED | FAMILY_DECLARED_EXTENDED,
     .defaults = THETA(1000000) LENGTH(131072) SHAPE(2304, 8, 26) "head_dim=256 sliding_window=4096 rope_local_base_freq=10000 @pattern=6 query_pre_attn_scalar=256"},
    {.names = "gemma3n gemma3n_text", HALF, .rules = FAMILY_LOCAL_UNSCALED | FAMILY_DECLARED_EXTENDED,
     .defaults = THETA(1000000) LENGTH(32768) SHAPE(2048, 8, 35) "head_dim=256 sliding_window=512 rope_local_base_freq=10000 @pattern=5 @scale=1"},
    {.names = "gemma4 gemma4_text diffusion_gemma diffusion_gemma_text", HALF, .rules = FAMILY_LOCAL_UNSCALED | FAMILY_DECLARED_EXTENDED,
     .defaults = THETA(1000000) LENGTH(131072) SHAPE(2304, 8, 30)
                 "head_dim=256 global_head_dim=512 sliding_window=512 rope_local_base_freq=10000 @pattern=6 @last_full=1 @proportional=0.25 @scale=1"},
    {.names = "gemma4_unified gemma4_unified_text", HALF, .rules = FAMILY_LOCAL_UNSCALED | FAMILY_DECLARED_EXTENDED,
     .defaults = THETA(1000000) LENGTH(262144) SHAPE(2304, 8, 30)
                 "head_dim=256 global_head_dim=512 sliding_window=1024 rope_local_base_freq=10000 @pattern=6 @last_full=1 @proportional=0.25 @scale=1"},
    {.names = "recurrent_gemma", HALF, .rules = FAMILY_NO_LIMIT | FAMILY_LOCAL_ONLY,
     .defaults = THETA(10000) SHAPE(2560, 10, 26) "partial_rotary_factor=0.5 attention_window_size=2048"},
    {.names = "phi", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(2048, 32, 24) "partial_rotary_factor=0.5"},
    {.names = "phi-msft mixformer-sequential", HALF, .rules = FAMILY_BASE_FIXED,
     .defaults = "rotary_dim=32 n_positions=2048 rope_theta=10000 " SHAPE(1024, 16, 20)},
    {.names = "phi3 phi4mm phi4_multimodal phi3_v", HALF, .rules = FAMILY_OUTER_ORIGINAL,
     .defaults = THETA(10000) LENGTH(4096) SHAPE(3072, 32, 32)},
    {.names = "phi3small", HALF, .rules = FAMILY_OUTER_ORIGINAL, .defaults = THETA(1000000) LENGTH(8192) SHAPE(4096, 32, 32) "mup_attn_multiplier=1"},
    {.names = "phimoe", HALF, .rules = FAMILY_OUTER_ORIGINAL, .defaults = THETA(1000000) LENGTH(131072) SHAPE(4096, 32, 32)},
    {.names = "gpt_neox", HALF, .defaults = "rotary_emb_base=10000 rotary_pct=0.25 " LENGTH(2048) SHAPE(6144, 64, 44)},
    {.names = "gpt_neox_japanese", HALF, .defaults = "rotary_emb_base=10000 rotary_pct=1 " LENGTH(2048) SHAPE(2560, 32, 32)},
    {.names = "stablelm stablelm_epoch stablelm_alpha", HALF,
     .defaults = THETA(10000) LENGTH(4096) SHAPE(2560, 32, 32) "partial_rotary_factor=0.25"},
    {.names = "persimmon fuyu", HALF, .defaults = THETA(25000) LENGTH(16384) SHAPE(4096, 64, 36) "partial_rotary_factor=0.5"},
    {.names = "starcoder2", HALF, .defaults = THETA(10000) LENGTH(4096) SHAPE(3072, 24, 30)},
    {.names = "codeshell", HALF, .rules = FAMILY_KEYED | FAMILY_BASE_FIXED, .defaults = THETA(10000) "n_positions=8192 " SHAPE(4096, 32, 42) "scale_attn_weights=1"},
    {.names = "olmo olmo2", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32)},
    {.names = "flex_olmo", HALF, .defaults = THETA(500000) LENGTH(4096) SHAPE(4096, 32, 32)},
    {.names = "olmoe", HALF, .defaults = THETA(10000) LENGTH(4096) SHAPE(2048, 16, 16)},
    {.names = "olmo3", HALF, .rules = FAMILY_LOCAL_UNSCALED,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32) "sliding_window=4096 @pattern=4 @published=500000"},
    /* Without a base in the file the full layers turn nothing: long contexts are trained so. */
    {.names = "olmo_hybrid", HALF, .rules = FAMILY_NONE_IF_KEYLESS,
     .defaults = THETA(10000) LENGTH(65536) SHAPE(3840, 30, 32) "full_attention_interval=4"},
    {.names = "hf_olmo", HALF, .rules = FAMILY_ALIBI_FLAG, .defaults = THETA(10000)},
    {.names = "falcon RefinedWeb RefinedWebModel", HALF, .rules = FAMILY_ALIBI_FLAG | FAMILY_ALIBI_SCALED | FAMILY_CONTEXT_FIXED,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4544, 71, 32)},
    {.names = "falcon_h1", HALF, .defaults = THETA(100000000000) LENGTH(8192) SHAPE(4096, 32, 32)},
    {.names = "baichuan", HALF, .rules = FAMILY_ALIBI_BY_SIZE | FAMILY_BASE_FIXED, .defaults = THETA(10000) SHAPE(4096, 32, 32)},
    {.names = "internlm internlm2 internlm3", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32)},
    {.names = "deepseek", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 30)},
    {.names = "minicpm3", HALF, .defaults = THETA(10000) "qk_nope_head_dim=64 qk_rope_head_dim=32 " SHAPE(2560, 40, 62)},
    /* Half-split although GLM-4 itself is interleaved: the GLM-4.5 code turns halves. */
    {.names = "glm4_moe glm4v_moe glm4v_moe_text", HALF,
     .defaults = THETA(10000) LENGTH(131072) SHAPE(4096, 96, 46) "head_dim=128 partial_rotary_factor=0.5"},
    {.names = "gpt_oss", HALF,
     .defaults = THETA(150000) LENGTH(131072) SHAPE(2880, 64, 36) "head_dim=64 sliding_window=128 @pattern=2 initial_context_length=4096"},
    {.names = "granite granitemoe granitemoeshared granite_swa granitemoe_swa granite_speech granite_speech_plus granite4_vision granite4_vision_text", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32) "attention_multiplier=1"},
    {.names = "granitemoehybrid", .scheme = SCHEME_NONE, .layout = "half", .rules = FAMILY_KEYED | FAMILY_NO_LIMIT,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32) "attention_multiplier=1"},
    {.names = "nemotron", HALF, .defaults = THETA(10000) LENGTH(4096) SHAPE(6144, 48, 32) "partial_rotary_factor=0.5"},
    {.names = "exaone", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32)},
    {.names = "exaone4 exaone4_5 exaone_moe", HALF, .rules = FAMILY_NOPE_FULL,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32) "sliding_window=4096 sliding_window_pattern=4"},
    {.names = "smollm3", HALF,
     .defaults = THETA(2000000) LENGTH(32768) SHAPE(2048, 16, 36) "use_sliding_window=0 no_rope_layer_interval=4"},
    {.names = "dbrx", HALF, .defaults = "attn_config.rope_theta=10000 max_seq_len=2048 " SHAPE(2048, 16, 24)},
    {.names = "hunyuan hunyuan_v1_dense hunyuan_v1_moe hunyuan_moe hunyuan_vl hunyuan_vl_text", HALF,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32)},
    /* Lightning attention in every layer but some: the file's attn_type_list or layer_types say which, else every second one attends. */
    {.names = "minimax minimax_m1 minimax_text_01", HALF,
     .defaults = THETA(1000000) LENGTH(131072) SHAPE(4096, 32, 32) "attn_layer_period=2 attn_layer_offset=0"},
    {.names = "minimax_m2", HALF, .defaults = THETA(5000000) LENGTH(196608) SHAPE(3072, 48, 62) "head_dim=128 rotary_dim=64"},
    {.names = "minimax_m3_vl minimax_m3_vl_text", HALF,
     .defaults = THETA(5000000) LENGTH(524288) SHAPE(6144, 64, 60) "head_dim=128 rotary_dim=64"},
    {.names = "laguna", HALF,
     .defaults = THETA(500000) LENGTH(131072) SHAPE(2048, 48, 40) "head_dim=128 sliding_window=512 rope_local_base_freq=10000 @all_full=1"},
    {.names = "mellum", HALF,
     .defaults = THETA(500000) LENGTH(131072) SHAPE(2304, 32, 28) "head_dim=128 sliding_window=1024 rope_local_base_freq=10000 @all_full=1"},
    {.names = "mimo", HALF, .defaults = THETA(10000) LENGTH(32768) SHAPE(4096, 32, 36)},
    /* 0.334 of 192 is 64.128: cut to 64. The first layer is full as well as every sixth. */
    {.names = "mimo_v2 mimo_v2_flash", HALF,
     .defaults = THETA(5000000) LENGTH(131072) SHAPE(4096, 64, 48) "head_dim=192 partial_rotary_factor=0.334 swa_rope_theta=10000 sliding_window=128 "
                 "@pattern=6 @first_full=1"},
    {.names = "bailing_moe bailing_moe_v2 bailing_moe_linear grok-1 step3_text arctic", HALF, .defaults = THETA(10000)},
    {.names = "dots1", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(4608, 32, 62) "sliding_window=4096 max_window_layers=62"},
    {.names = "afmoe", HALF, .rules = FAMILY_NOPE_FULL | FAMILY_BASE_KEPT,
     .defaults = THETA(10000) LENGTH(16384) SHAPE(2048, 16, 32) "head_dim=128 sliding_window=1024 global_attn_every_n_layers=4"},
    {.names = "solar_open", HALF, .defaults = THETA(1000000) LENGTH(131072) SHAPE(4096, 64, 48) "head_dim=128"},
    {.names = "hy_v3", HALF, .defaults = THETA(11158840) LENGTH(131072) SHAPE(4096, 64, 80) "head_dim=128"},
    {.names = "step3p5 step3p7", HALF, .rules = FAMILY_BY_LAYER,
     .defaults = THETA(10000) LENGTH(128000) SHAPE(4096, 64, 45) "head_dim=128"},
    {.names = "paddleocr_vl paddleocr_vl_text", HALF, .defaults = THETA(500000) LENGTH(131072) SHAPE(1024, 16, 18) "head_dim=128"},
    {.names = "seed_oss", HALF, .defaults = THETA(10000) LENGTH(524288) SHAPE(4096, 32, 64) "head_dim=128"},
    {.names = "apertus", HALF, .defaults = THETA(12000000) LENGTH(65536) SHAPE(4096, 32, 32)},
    {.names = "lfm2 lfm2_moe lfm2_vl", HALF, .defaults = THETA(1000000) LENGTH(128000) SHAPE(2560, 32, 32)},
    {.names = "mllama mllama_text_model", HALF, .defaults = THETA(500000) LENGTH(131072) SHAPE(4096, 32, 40)},
    {.names = "bamba", HALF, .defaults = THETA(10000) LENGTH(262144) SHAPE(4096, 32, 32) "partial_rotary_factor=0.5"},
    {.names = "openelm", HALF, .defaults = "rope_freq_constant=10000 max_context_length=2048 head_dim=64"},
    {.names = "moshi", HALF, .defaults = THETA(10000) LENGTH(3000) SHAPE(4096, 32, 32) "sliding_window=3000"},
    {.names = "mimi", HALF, .defaults = THETA(10000) LENGTH(8000) SHAPE(512, 8, 8) "sliding_window=250"},
    {.names = "csm", HALF, .defaults = THETA(500000) LENGTH(2048) SHAPE(2048, 32, 16)},
    {.names = "csm_depth_decoder_model", HALF, .defaults = THETA(500000) LENGTH(33) SHAPE(1024, 8, 4)},
    {.names = "kyutai_speech_to_text", HALF, .defaults = THETA(100000) LENGTH(750) SHAPE(2048, 32, 48) "sliding_window=375"},
    {.names = "t5gemma t5_gemma_module", HALF, .defaults = THETA(10000) LENGTH(8192) SHAPE(2304, 8, 26) "head_dim=256 sliding_window=4096 @pattern=2 query_pre_attn_scalar=256"},
    {.names = "t5gemma_encoder", HALF, .rules = FAMILY_ENCODER,
     .defaults = THETA(10000) LENGTH(8192) SHAPE(2304, 8, 26) "head_dim=256 sliding_window=4096 @pattern=2 @reach=-1 query_pre_attn_scalar=256"},
    {.names = "dia_encoder", HALF, .rules = FAMILY_ENCODER, .defaults = THETA(10000) LENGTH(1024) SHAPE(1024, 16, 12) "head_dim=128 @scale=1"},
    {.names = "dia dia_decoder", HALF, .defaults = THETA(10000) LENGTH(3072) SHAPE(2048, 16, 18) "head_dim=128 @scale=1"},
    {.names = "diffllama", HALF, .defaults = THETA(10000) LENGTH(2048) SHAPE(2048, 32, 16)},
    {.names = "modernbert modernvbert", HALF, .rules = FAMILY_ENCODER,
     .defaults = "global_rope_theta=160000 local_rope_theta=10000 global_attn_every_n_layers=3 local_attention=128 @global_first=1 "
                 LENGTH(8192) SHAPE(768, 12, 22)},
    {.names = "modernbert-decoder", HALF,
     .defaults = "global_rope_theta=160000 local_rope_theta=10000 global_attn_every_n_layers=3 local_attention=128 @global_first=1 "
                 LENGTH(8192) SHAPE(768, 12, 22)},
    {.names = "eurobert", HALF, .rules = FAMILY_ENCODER, .defaults = THETA(250000) LENGTH(8192) SHAPE(768, 12, 12)},
    {.names = "nomic_bert", HALF, .rules = FAMILY_ENCODER, .defaults = "rotary_emb_base=10000 rotary_emb_fraction=1 " SHAPE(768, 12, 12)},
    {.names = "jina_embeddings_v3", HALF, .rules = FAMILY_ENCODER, .defaults = THETA(20000) LENGTH(8194) SHAPE(1024, 16, 24)},
    {.names = "esmc", HALF, .rules = FAMILY_ENCODER | FAMILY_BASE_FIXED | FAMILY_NO_LIMIT, .defaults = THETA(10000) SHAPE(960, 15, 30)},
    {.names = "new", HALF, .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_NTK_OWN, .defaults = THETA(10000) LENGTH(2048) SHAPE(768, 12, 12)},

    /* ---- rotary, interleaved ---------------------------------------------------------------------- */
    {.names = "moss", INTERLEAVED, .rules = FAMILY_BASE_FIXED, .defaults = THETA(10000) "rotary_dim=64 n_positions=2048 " SHAPE(6144, 24, 34)},
    {.names = "gptj", INTERLEAVED, .rules = FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "rotary_dim=64 n_positions=2048 " SHAPE(4096, 16, 28)},
    {.names = "codegen", INTERLEAVED, .rules = FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "rotary_dim=64 n_positions=2048 " SHAPE(4096, 16, 28)},
    {.names = "openai_privacy_filter", INTERLEAVED, .rules = FAMILY_ENCODER,        /* gpt-oss, but for the pairs and without full layers */
     .defaults = THETA(150000) LENGTH(131072) SHAPE(640, 14, 8) "head_dim=64 sliding_window=128 @reach=0 initial_context_length=4096"},
    {.names = "roformer", INTERLEAVED, .rules = FAMILY_ENCODER | FAMILY_BASE_FIXED, .defaults = THETA(10000) LENGTH(1536) SHAPE(768, 12, 12)},
    {.names = "chatglm", INTERLEAVED, .rules = FAMILY_BASE_FIXED,
     .defaults = "rope_ratio=1 partial_rotary_factor=0.5 kv_channels=128 seq_length=2048 " SHAPE(4096, 32, 28)},
    {.names = "glm glm4", INTERLEAVED, .rules = FAMILY_BASE_KEPT,
     .defaults = THETA(10000) LENGTH(131072) SHAPE(4096, 32, 40) "head_dim=128 partial_rotary_factor=0.5"},
    {.names = "glm4v glm4v_text glm46v glmga glm_ocr glm_ocr_text glm_image_text", INTERLEAVED, .rules = FAMILY_BASE_KEPT,
     .defaults = THETA(10000) LENGTH(32768) SHAPE(4096, 32, 40) "partial_rotary_factor=0.5"},
    {.names = "glm_moe_dsa", INTERLEAVED, .defaults = THETA(10000) "qk_nope_head_dim=192 qk_rope_head_dim=64 " LENGTH(202752)},
    {.names = "glm4_moe_lite", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(202752) SHAPE(2048, 20, 47) "qk_nope_head_dim=192 qk_rope_head_dim=64 v_head_dim=256"},
    {.names = "cohere", INTERLEAVED, .defaults = THETA(10000) LENGTH(8192) SHAPE(8192, 64, 40)},
    {.names = "cohere2 cohere2_moe cohere2_vision aya_vision", INTERLEAVED, .rules = FAMILY_NOPE_FULL,
     .defaults = THETA(10000) LENGTH(8192) SHAPE(8192, 64, 40) "sliding_window=4096 sliding_window_pattern=4"},
    {.names = "llama4 llama4_text", INTERLEAVED,
     .defaults = THETA(500000) LENGTH(131072) SHAPE(5120, 40, 48) "head_dim=128 attention_chunk_size=8192 no_rope_layer_interval=4 "
                 "attn_temperature_tuning=1 floor_scale=8192 attn_scale=0.1"},
    {.names = "deepseek_v2", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(2048) SHAPE(4096, 32, 32) "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128"},
    {.names = "deepseek_v3 kimi_vl axk1", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(4096) SHAPE(7168, 128, 61) "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128"},
    {.names = "kimi_k2 kimi_k25", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(4096) SHAPE(7168, 128, 61) "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128 @published=50000"},
    {.names = "axk2", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(131072) SHAPE(2048, 32, 48) "qk_nope_head_dim=64 qk_rope_head_dim=32 v_head_dim=64"},
    {.names = "deepseek_v32", INTERLEAVED,         /* the attention; its indexer turns halves */
     .defaults = THETA(10000) LENGTH(163840) SHAPE(7168, 128, 61) "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128"},
    /* Two bases: layers that compress their keys turn with compress_rope_theta and the scaling, whose attention factor the code sets
     * to 1; layers of the window alone turn with rope_theta, unscaled. */
    {.names = "deepseek_v4", INTERLEAVED, .rules = FAMILY_LOCAL_UNSCALED,
     .defaults = "compress_rope_theta=160000 " THETA(10000) LENGTH(1048576) SHAPE(4096, 64, 43)
                 "head_dim=512 qk_nope_head_dim=448 qk_rope_head_dim=64 sliding_window=128 @attention_factor=1 @all_full=1"},
    {.names = "longcat_flash", INTERLEAVED,
     .defaults = THETA(10000000) LENGTH(131072) "hidden_size=6144 num_attention_heads=64 num_layers=28 qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128"},
    {.names = "mistral4", INTERLEAVED,
     .defaults = THETA(10000) LENGTH(1048576) SHAPE(4096, 32, 36) "qk_nope_head_dim=64 qk_rope_head_dim=64 v_head_dim=128"},
    {.names = "youtu", INTERLEAVED,
     .defaults = THETA(1600000) LENGTH(131072) SHAPE(2048, 16, 32) "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128"},
    {.names = "blt blt_local_decoder blt_local_encoder blt_global_transformer blt_patcher", INTERLEAVED, .defaults = THETA(500000) LENGTH(4096) SHAPE(1024, 16, 9)},
    {.names = "kimi_linear", .scheme = SCHEME_NONE, .layout = "interleaved", .rules = FAMILY_NO_LIMIT, .defaults = THETA(10000) LENGTH(4096)},
    {.names = "ernie4_5 ernie4_5_moe", INTERLEAVED, .defaults = THETA(500000) LENGTH(131072) SHAPE(1024, 16, 18) "head_dim=128"},
    /* mrope_section counts rows, columns, time, in this order: rows and columns take the faster pairs in turn, time the last ones. */
    {.names = "ernie4_5_moe_vl ernie4_5_vl_moe ernie4_5_vl_moe_text", INTERLEAVED, .style = "hwt", .defaults = THETA(500000) LENGTH(131072) SHAPE(2560, 20, 28)},
    {.names = "helium", INTERLEAVED, .defaults = THETA(100000) LENGTH(4096) SHAPE(2560, 20, 24) "head_dim=128"},
    {.names = "moonshine", INTERLEAVED, .defaults = THETA(10000) LENGTH(512) SHAPE(288, 8, 6) "partial_rotary_factor=0.9"},

    /* ---- linear biases ---------------------------------------------------------------------------- */
    {.names = "bloom", .scheme = SCHEME_ALIBI, .rules = FAMILY_CONTEXT_FIXED | FAMILY_NO_LIMIT, .defaults = "hidden_size=64 n_layer=2 n_head=8"},
    {.names = "mpt mosaic_gpt", LEARNED, .layout = "half", .rules = FAMILY_ALIBI_FLAG,
     .defaults = THETA(10000) "max_seq_len=2048 d_model=2048 n_heads=16 n_layers=24 attn_config.alibi_bias_max=8"},
    {.names = "jais btlm", LEARNED, .rules = FAMILY_KEYED, .defaults = "n_positions=2048 scale_attn_weights=1 mup_scale_qk_dot_by_d=0"},
    {.names = "gpt_refact", .scheme = SCHEME_ALIBI, .rules = FAMILY_NO_LIMIT},

    /* ---- no encoding ------------------------------------------------------------------------------ */
    {.names = "mamba mamba2 falcon_mamba rwkv rwkv5 rwkv6 rwkv6qwen2 rwkv7 xlstm zamba nemotron_h convnext convnextv2 resnet "
              "dinov3_convnext efficientnet mobilenet_v2 mobilenet_v1 regnet bit cvt dac encodec focalnet glpn hgnet_v2 mobilevit mobilevitv2 poolformer "
              "pvt_v2 rt_detr_resnet segformer swiftformer superpoint textnet timm_backbone timm_wrapper univnet align_vision_model gemma3n_vision "
              "superglue chameleon_vqgan emu3_vqgan janus_vqgan", .scheme = SCHEME_NONE, .rules = FAMILY_NO_LIMIT},
    {.names = "jamba", .scheme = SCHEME_NONE, .rules = FAMILY_NO_LIMIT, .defaults = "attn_layer_period=8 attn_layer_offset=4"},
    {.names = "zamba2", .scheme = SCHEME_NONE, .layout = "half", .rules = FAMILY_KEYED | FAMILY_NO_LIMIT, .defaults = THETA(10000) "@scale_share=0.5"},

    /* ---- learned tables --------------------------------------------------------------------------- */
    {.names = "bert mobilebert squeezebert megatron-bert layoutlm layoutlmv2 visual_bert splinter realm ernie "
              "tapas bert-generation dpr lxmert chinese_clip_text_model align_text_model flava_text_model chinese_clip align flava bros layoutxlm roc_bert "
              "vilt blip_2_qformer instructblip_qformer instructblipvideo_qformer", LEARNED,
     .rules = FAMILY_ENCODER | FAMILY_KEYED, .defaults = LENGTH(512) SHAPE(768, 12, 12)},
    {.names = "fnet", LEARNED, .rules = FAMILY_ENCODER, .defaults = LENGTH(512) "hidden_size=768 num_hidden_layers=12"},
    {.names = "perceiver", LEARNED, .rules = FAMILY_ENCODER, .defaults = LENGTH(2048) "d_model=768 num_self_attention_heads=8 num_hidden_layers=26"},
    {.names = "nystromformer mra yoso", LEARNED, .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_EXTRA_ROWS,
     .defaults = "@offset=2 " LENGTH(512) SHAPE(768, 12, 12)},
    {.names = "ernie_m", LEARNED, .rules = FAMILY_ENCODER | FAMILY_PAD_OFFSET, .defaults = "pad_token_id=1 " LENGTH(514) SHAPE(768, 12, 12)},
    {.names = "reformer", LEARNED, .style = "axial", .rules = FAMILY_NOT_COMPUTED, .defaults = LENGTH(4096) "hidden_size=256 num_attention_heads=12 num_hidden_layers=6 attention_head_size=64"},
    {.names = "electra", LEARNED, .rules = FAMILY_ENCODER | FAMILY_KEYED, .defaults = "embedding_size=128 " LENGTH(512) SHAPE(256, 4, 12)},
    {.names = "convbert", LEARNED, .rules = FAMILY_ENCODER, .defaults = "embedding_size=768 " LENGTH(512) SHAPE(768, 12, 12)},
    {.names = "albert", LEARNED, .rules = FAMILY_ENCODER | FAMILY_KEYED, .defaults = "embedding_size=128 " LENGTH(512) SHAPE(4096, 64, 12)},
    {.names = "rembert", LEARNED, .rules = FAMILY_ENCODER, .defaults = "input_embedding_size=256 " LENGTH(512) SHAPE(1152, 18, 32)},
    {.names = "big_bird", LEARNED, .rules = FAMILY_ENCODER, .defaults = LENGTH(4096) SHAPE(768, 12, 12)},
    {.names = "canine", LEARNED, .rules = FAMILY_ENCODER, .defaults = LENGTH(16384) SHAPE(768, 12, 12)},
    {.names = "nezha", .scheme = SCHEME_SHAW, .rules = FAMILY_ENCODER, .defaults = LENGTH(512) SHAPE(768, 12, 12) "max_relative_position=64"},
    {.names = "distilbert", LEARNED, .layout = "interleaved", .rules = FAMILY_ENCODER | FAMILY_KEYED,
     .defaults = LENGTH(512) "dim=768 n_heads=12 n_layers=6"},
    {.names = "xlm flaubert", LEARNED, .layout = "interleaved", .rules = FAMILY_ENCODER | FAMILY_KEYED,
     .defaults = LENGTH(512) "emb_dim=2048 n_heads=16 n_layers=12"},
    {.names = "roberta xlm-roberta xlm-roberta-xl xlm-roberta-flash camembert xmod data2vec-text ibert roberta-prelayernorm layoutlmv3 "
              "markuplm luke mluke lilt longformer clap_text_model clap phobert altclip altclip_text_model bridgetower bridgetower_text_model", LEARNED,
     .layout = "half", .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_PAD_OFFSET,
     .defaults = "rotary_emb_base=10000 pad_token_id=1 " LENGTH(512) SHAPE(768, 12, 12)},
    {.names = "mpnet", LEARNED, .rules = FAMILY_ENCODER | FAMILY_PAD_OFFSET,
     .defaults = "pad_token_id=1 relative_attention_num_buckets=32 " LENGTH(512) SHAPE(768, 12, 12)},
    {.names = "esm", LEARNED, .layout = "half", .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_PAD_OFFSET | FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "pad_token_id=1 " LENGTH(1026) SHAPE(768, 12, 12)},
    {.names = "gpt2 gpt-sw3 gpt_bigcode santacoder decision_transformer", LEARNED, .defaults = "n_positions=1024 n_embd=768 n_head=12 n_layer=12 scale_attn_weights=1"},
    {.names = "bark semantic coarse_acoustics fine_acoustics", LEARNED, .rules = FAMILY_CONTEXT_FIXED,
     .defaults = "n_positions=1024 hidden_size=768 num_heads=12 num_layers=12"},
    {.names = "openai-gpt", LEARNED, .defaults = "n_positions=512 n_embd=768 n_head=12 n_layer=12"},
    {.names = "imagegpt", LEARNED, .defaults = "n_positions=1024 n_embd=512 n_head=8 n_layer=24 scale_attn_weights=1"},
    {.names = "gpt_neo", LEARNED, .defaults = LENGTH(2048) "hidden_size=2048 num_heads=16 num_layers=24 @scale=1"},
    {.names = "opt", LEARNED, .rules = FAMILY_EXTRA_ROWS, .defaults = "@offset=2 " LENGTH(2048) SHAPE(768, 12, 12)},
    {.names = "biogpt", LEARNED, .rules = FAMILY_EXTRA_ROWS, .defaults = "@offset=2 " LENGTH(1024) SHAPE(1024, 16, 24)},
    {.names = "bart mbart plbart mvp florence2 florence2_language nougat pp_chart2table", LEARNED, .rules = FAMILY_EXTRA_ROWS,
     .defaults = "@offset=2 " LENGTH(1024) "d_model=1024 encoder_attention_heads=16 encoder_layers=12 decoder_layers=12"},
    {.names = "trocr", LEARNED, .rules = FAMILY_EXTRA_ROWS, .defaults = "@offset=2 " LENGTH(512) "d_model=1024 decoder_attention_heads=16"},
    {.names = "led", LEARNED, .defaults = "max_encoder_position_embeddings=16384 max_decoder_position_embeddings=1024 "
                                          "d_model=1024 encoder_attention_heads=16 encoder_layers=12 decoder_layers=12"},
    {.names = "blenderbot", LEARNED, .defaults = LENGTH(128) "d_model=2560 encoder_attention_heads=32 encoder_layers=2 decoder_layers=24"},
    {.names = "blenderbot-small", LEARNED, .defaults = LENGTH(512) "d_model=512 encoder_attention_heads=16 encoder_layers=8 decoder_layers=8"},
    {.names = "bigbird_pegasus", LEARNED,
     .defaults = LENGTH(4096) "d_model=1024 encoder_attention_heads=16 encoder_layers=16 decoder_layers=16"},
    {.names = "prophetnet xlm-prophetnet", LEARNED, .rules = FAMILY_PAD_OFFSET,
     .defaults = "pad_token_id=0 " LENGTH(512) "hidden_size=1024 num_encoder_attention_heads=16 num_encoder_layers=12"},
    {.names = "clip_text_model clip clipseg clipseg_text_model metaclip_2 metaclip_2_text_model xclip xclip_text_model aimv2 aimv2_text_model "
              "groupvit groupvit_text_model videoprism_text_model", LEARNED, .defaults = LENGTH(77) SHAPE(512, 8, 12)},
    {.names = "siglip_text_model siglip siglip2_text_model siglip2", LEARNED, .rules = FAMILY_ENCODER, .defaults = LENGTH(64) SHAPE(768, 12, 12)},
    {.names = "blip_text_model blip", LEARNED, .defaults = LENGTH(512) SHAPE(768, 8, 12)},
    {.names = "git", LEARNED, .defaults = LENGTH(1024) SHAPE(768, 12, 6)},
    {.names = "owlvit_text_model owlv2_text_model owlvit owlv2", LEARNED, .defaults = LENGTH(16) SHAPE(512, 8, 12)},

    /* ---- sinusoids -------------------------------------------------------------------------------- */
    {.names = "whisper", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .decoder = SCHEME_LEARNED, .rules = FAMILY_T2T,
     .defaults = "max_source_positions=1500 max_target_positions=448 d_model=384 encoder_attention_heads=6 encoder_layers=4 decoder_layers=4"},
    {.names = "marian pegasus", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos",
     .defaults = LENGTH(1024) "d_model=1024 encoder_attention_heads=16 encoder_layers=12 decoder_layers=12"},
    {.names = "m2m_100 nllb-moe seamless_m4t seamless_m4t_v2", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = "@offset=2 " LENGTH(1024) "d_model=1024 hidden_size=1024 encoder_attention_heads=16 encoder_layers=12 decoder_layers=12"},
    {.names = "fsmt", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = "@offset=2 " LENGTH(1024) "d_model=1024 encoder_attention_heads=16 encoder_layers=12 decoder_layers=12"},
    {.names = "xglm", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = "@offset=2 " LENGTH(2048) "d_model=1024 attention_heads=16 num_layers=24"},
    {.names = "speech_to_text", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = "@offset=2 max_source_positions=6000 max_target_positions=1024 d_model=256 encoder_attention_heads=4 encoder_layers=12"},
    {.names = "kosmos-2 kosmos_2_text_model kosmos-2.5 kosmos_2_5_text_model", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = "@offset=2 " LENGTH(2048) "embed_dim=2048 attention_heads=32 layers=24"},
    {.names = "pegasus_x", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T,
     .defaults = LENGTH(16384) "d_model=1024 encoder_attention_heads=16 encoder_layers=16 decoder_layers=16"},
    {.names = "autoformer informer time_series_transformer", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_NO_LIMIT,
     .defaults = "d_model=64 encoder_attention_heads=2 encoder_layers=2"},
    /* Cosines first, which the encoding here has no form for. */
    {.names = "musicgen musicgen_decoder musicgen_melody musicgen_melody_decoder", .scheme = SCHEME_SINUSOIDAL, .rules = FAMILY_NOT_COMPUTED,
     .defaults = LENGTH(2048) SHAPE(1024, 16, 24)},
    {.names = "ctrl", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .defaults = "n_positions=256 n_embd=1280 n_head=16 n_layer=48"},

    /* ---- relative --------------------------------------------------------------------------------- */
    {.names = "t5 mt5 umt5 longt5 switch_transformers pop2piano udop byt5 myt5 pix2struct pix2struct_text_model", .scheme = SCHEME_T5, .rules = FAMILY_NO_LIMIT,
     .defaults = "relative_attention_num_buckets=32 relative_attention_max_distance=128 d_model=512 d_kv=64 num_heads=8 num_layers=6 @scale=1"},
    {.names = "cpmant", .scheme = SCHEME_T5, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT,
     .defaults = "position_bias_num_buckets=512 position_bias_max_distance=2048 hidden_size=4096 num_attention_heads=32 num_hidden_layers=48"},
    {.names = "funnel", .scheme = SCHEME_TRANSFORMER_XL, .layout = "sin_then_cos", .rules = FAMILY_NO_LIMIT | FAMILY_ENCODER,
     .defaults = "d_model=768 n_head=12 d_head=64 clamp_len=-1"},
    {.names = "xlnet", .scheme = SCHEME_TRANSFORMER_XL, .layout = "sin_then_cos", .rules = FAMILY_NO_LIMIT | FAMILY_ENCODER,
     .defaults = "d_model=1024 n_head=16 n_layer=24 clamp_len=-1"},
    {.names = "transfo-xl", .scheme = SCHEME_TRANSFORMER_XL, .layout = "sin_then_cos", .rules = FAMILY_NO_LIMIT,
     .defaults = "d_model=1024 n_head=16 d_head=64 n_layer=18 mem_len=1600 clamp_len=1000"},
    {.names = "deberta", .style = "v1", .scheme = SCHEME_DEBERTA, .rules = FAMILY_ENCODER, .defaults = LENGTH(512) SHAPE(768, 12, 12) "max_relative_positions=-1"},
    {.names = "deberta-v2 sew-d", .style = "v2", .scheme = SCHEME_DEBERTA, .rules = FAMILY_ENCODER,
     .defaults = LENGTH(512) SHAPE(1536, 24, 24) "max_relative_positions=-1 position_buckets=-1"},

    /* ---- sound ------------------------------------------------------------------------------------ */
    {.names = "wav2vec2 hubert unispeech unispeech-sat data2vec-audio sew", .scheme = SCHEME_CONVOLUTIONAL,
     .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT, .defaults = SHAPE(768, 12, 12) "num_conv_pos_embeddings=128"},
    {.names = "wavlm", .scheme = SCHEME_T5, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT,
     .defaults = SHAPE(768, 12, 12) "num_buckets=320 max_bucket_distance=800"},
    {.names = "wav2vec2-conformer", .scheme = SCHEME_TRANSFORMER_XL, .layout = "half", .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_NO_LIMIT,
     .defaults = SHAPE(768, 12, 12) "rotary_embedding_base=10000 clamp_len=-1"},
    {.names = "wav2vec2-bert", .scheme = SCHEME_SHAW, .layout = "half", .rules = FAMILY_ENCODER | FAMILY_KEYED | FAMILY_NO_LIMIT,
     .defaults = SHAPE(1024, 16, 24) "left_max_position_embeddings=64 right_max_position_embeddings=8 rotary_embedding_base=10000"},
    {.names = "speecht5", .scheme = SCHEME_SHAW, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT,
     .defaults = SHAPE(768, 12, 12) "encoder_max_relative_position=160 @even_clip=1"},
    {.names = "granite_speech_encoder granite_speech_plus_encoder", .scheme = SCHEME_SHAW, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT,
     .defaults = "hidden_dim=1024 num_heads=8 num_layers=10 max_pos_emb=512"},
    {.names = "parakeet_ctc parakeet_encoder parakeet_rnnt fastspeech2_conformer gemma3n_audio lasr_encoder lasr_ctc nemotron_asr_streaming "
              "nemotron_asr_streaming_encoder", .scheme = SCHEME_TRANSFORMER_XL, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED},
    {.names = "vits", .scheme = SCHEME_SHAW, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED, .defaults = SHAPE(192, 2, 6)},
    {.names = "phi4_multimodal_audio", .scheme = SCHEME_T5, .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED, .defaults = SHAPE(1024, 16, 24)},
    {.names = "audioflamingo3_encoder voxtral_encoder", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T | FAMILY_ENCODER,
     .defaults = "max_source_positions=1500 hidden_size=1280 num_attention_heads=20 num_hidden_layers=32"},
    {.names = "glmasr_encoder", HALF, .rules = FAMILY_ENCODER, .defaults = THETA(10000) LENGTH(1500) SHAPE(1280, 20, 32) "partial_rotary_factor=0.5"},
    {.names = "audio-spectrogram-transformer", LEARNED, .rules = FAMILY_ENCODER | FAMILY_NOT_COMPUTED | FAMILY_NO_LIMIT, .defaults = SHAPE(768, 12, 12)},
    {.names = "qwen2_audio_encoder", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_T2T | FAMILY_ENCODER,
     .defaults = "max_source_positions=1500 d_model=1280 encoder_attention_heads=20 encoder_layers=32"},
    {.names = "qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos",
     .rules = FAMILY_T2T | FAMILY_ENCODER, .defaults = "max_source_positions=1500 d_model=1280 encoder_attention_heads=20 encoder_layers=32"},

    /* ---- pictures --------------------------------------------------------------------------------- */
    {.names = "vit vit_msn vit_hybrid dinov2 dinov2_with_registers flava_image_model dpt vitpose_backbone rf_detr_dinov2", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "deit", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=2 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "ijepa siglip_vision_model siglip_vision phi4_multimodal_vision janus_vision_model aimv2_vision_model groupvit_vision_model", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=0 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "siglip2_vision_model siglip2_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "num_patches=256 " SHAPE(768, 12, 12)},
    {.names = "idefics2 idefics2_vision idefics3_vision smolvlm_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=0 image_size=224 patch_size=32 " SHAPE(768, 12, 12)},
    {.names = "clip_vision_model clip_vision chinese_clip_vision_model chinese_clip_vision clipseg_vision_model metaclip_2_vision_model xclip_vision_model altclip_vision_model "
              "idefics_vision kosmos_2_vision_model bridgetower_vision_model", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=32 " SHAPE(768, 12, 12)},
    {.names = "owlvit_vision_model owlvit_vision owlv2_vision_model owlv2_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=768 patch_size=32 " SHAPE(768, 12, 12)},
    {.names = "blip_vision_model blip_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=1 image_size=384 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "blip_2_vision_model instructblip_vision_model", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=14 " SHAPE(1408, 16, 39)},
    {.names = "git_vision_model git_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=1 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "yolos", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=101 image_size=512 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "mgp-str", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=1 patch_size=4 " SHAPE(768, 12, 12)},
    {.names = "sam sam_hq sam_vision_model sam_hq_vision_model deepseek_ocr2_sam_vision_model", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=0 image_size=1024 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "mllama_vision_model mllama_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = "@extra=1 image_size=448 patch_size=14 " SHAPE(1280, 16, 32)},
    {.names = "hiera pvt florence_vision davit vitdet pix2struct_vision_model kosmos_2_5_vision_model timesformer vivit sam2_hiera_det_model sam2_vision_model", LEARNED,
     .rules = FAMILY_ENCODER | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED},
    {.names = "intern_vit_6b internvl_vision", LEARNED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=14 " SHAPE(3200, 25, 48)},
    {.names = "vit_mae", .style = "mae", .scheme = SCHEME_SINUSOIDAL, .layout = "sin_then_cos", .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "detr conditional_detr table-transformer", .style = "detr", .scheme = SCHEME_SINUSOIDAL, .layout = "interleaved",
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_KEYED | FAMILY_NO_LIMIT, .defaults = "d_model=256 encoder_attention_heads=8 encoder_layers=6"},
    {.names = "deformable_detr deta dab-detr grounding-dino mm-grounding-dino maskformer mask2former oneformer omdet-turbo rt_detr rt_detr_v2 d_fine "
              "deimv2 lw_detr rf_detr videomae", .scheme = SCHEME_SINUSOIDAL,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED},
    {.names = "levit dinat", .scheme = SCHEME_RELATIVE_2D, .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_NOT_COMPUTED},
    {.names = "swin donut-swin maskformer-swin clap_audio_model", .style = "swin", .scheme = SCHEME_RELATIVE_2D, .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT,
     .defaults = "window_size=7 "},
    {.names = "swinv2 swin2sr", .style = "swinv2", .scheme = SCHEME_RELATIVE_2D, .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT,
     .defaults = "window_size=7 "},
    {.names = "beit data2vec-vision", .style = "beit", .scheme = SCHEME_RELATIVE_2D, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = "@extra=1 image_size=224 patch_size=16 " SHAPE(768, 12, 12)},
    {.names = "dinov3_vit", .style = "dinov3", HALF, .rules = FAMILY_ENCODER | FAMILY_GRID, .defaults = THETA(100) "image_size=224 patch_size=16 " SHAPE(384, 6, 12)},
    {.names = "pixtral pixtral_vision", .style = "pixtral", HALF, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = THETA(10000) "image_size=1024 patch_size=16 " SHAPE(1024, 16, 24)},
    {.names = "llama4_vision llama4_vision_model", .style = "llama4", INTERLEAVED, .rules = FAMILY_ENCODER | FAMILY_GRID,
     .defaults = THETA(10000) "image_size=448 patch_size=14 " SHAPE(768, 16, 34)},
    {.names = "qwen2_vl_vision", .style = "qwen2_vl", HALF, .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "embed_dim=1280 num_heads=16 depth=32 patch_size=14"},
    {.names = "qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision qwen3_omni_moe_vision qwen3_omni_moe_vision_encoder", .style = "qwen2_vl", HALF,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "hidden_size=1152 num_heads=16 depth=27 patch_size=16 num_position_embeddings=2304"},
    {.names = "glm4v_vision glm4v_moe_vision glm_ocr_vision", .style = "qwen2_vl", HALF,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED, .defaults = THETA(10000) "hidden_size=1536 num_heads=12 depth=24 patch_size=14"},
    {.names = "ernie4_5_vl_moe_vision dfnrope_vision_transformer exaone4_5_vision", .style = "qwen2_vl", HALF,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED, .defaults = THETA(10000) "hidden_size=1280 num_heads=16 depth=32 patch_size=14"},
    {.names = "paddleocr_vl_vision video_llama_3_vision mlcd_vision_model", .style = "qwen2_vl", HALF,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED, .defaults = THETA(10000) "patch_size=14 " SHAPE(1152, 16, 27)},
    {.names = "moonvit kimi_k25_vision gemma4_vision vjepa2 step3p5_vision minimax_m3_vl_vision", HALF,
     .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED | FAMILY_NOT_COMPUTED},
    {.names = "qwen2_5_vl_vision qwen2_5_omni_vision_encoder", .style = "qwen2_vl", HALF, .rules = FAMILY_ENCODER | FAMILY_GRID | FAMILY_NO_LIMIT | FAMILY_BASE_FIXED,
     .defaults = THETA(10000) "hidden_size=1280 num_heads=16 depth=32 patch_size=14"},
};

/* Equal up to case, - and _; b ends at a blank or the end. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_.");
        b += strspn(b, "-_.");
        char end_b = *b == ' ' ? '\0' : *b;
        if (!*a || !end_b)
            return !*a && !end_b;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    }
}

const struct family *family_find(const char *model_type)
{
    if (!model_type || !*model_type)
        return NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const char *name = families[i].names; *name; name += strcspn(name, " "), name += strspn(name, " "))
            if (same_name(model_type, name))
                return &families[i];
    return NULL;
}

/* Class names are the model type in capitals, then the task: LlamaForCausalLM, T5EncoderModel, GPT2LMHeadModel. */
const struct family *family_of_architecture(const char *name)
{
    static const char *const tasks[] = {"For", "LMHead", "EncoderModel", "DoubleHeads", "MTModel", "WithLMHead", "Model", NULL};
    static const struct { const char *class_name, *model_type; } renamed[] = {
        {"RW", "falcon"}, {"GPTNeoX", "gpt_neox"}, {"GPTBigCode", "gpt_bigcode"}, {"OpenAIGPT", "openai-gpt"}, {"GPTRefact", "gpt_refact"},
        {"QWen", "qwen"}, {"HunYuan", "hunyuan"}, {"HunYuanMoEV1", "hunyuan_v1_moe"}, {"HunYuanDenseV1", "hunyuan_v1_dense"},
        {"JinaBert", "bert"},
    };
    if (!name)
        return NULL;
    for (size_t t = 0; tasks[t]; t++) {
        const char *end = strstr(name, tasks[t]);
        char stem[64];
        if (!end || end == name || (size_t)(end - name) >= sizeof stem)
            continue;
        snprintf(stem, sizeof stem, "%.*s", (int)(end - name), name);
        for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
            if (!strcmp(stem, renamed[i].class_name))
                return family_find(renamed[i].model_type);
        return family_find(stem);
    }
    return NULL;
}

const char *family_default_entry(const struct family *f, const char *keys)
{
    if (!f || !f->defaults)
        return NULL;
    for (const char *key = keys; *key; key += strcspn(key, " "), key += strspn(key, " ")) {
        size_t length = strcspn(key, " ");
        for (const char *d = f->defaults; *d; d += strcspn(d, " "), d += strspn(d, " "))
            if (!strncmp(d, key, length) && d[length] == '=')
                return d;
    }
    return NULL;
}

double family_default(const struct family *f, const char *keys)
{
    const char *entry = family_default_entry(f, keys);
    return entry ? strtod(strchr(entry, '=') + 1, NULL) : NAN;
}

const char *family_name(const struct family *f, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)strcspn(f->names, " "), f->names);
    return out;
}
