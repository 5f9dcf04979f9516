/* test_store.c - names are found in the stores of other programs, and nothing else is. If it fails, `posviz model Qwen/Qwen3-8B` reads another
 * model than the one asked for, guesses among several, or a hostile manifest leads out of its store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/wait.h>

#include "../support/findings.h"
#include "../support/gguf_file.h"
#include "model/store.h"

#define COMMIT_A "1111111111111111111111111111111111111111"
#define COMMIT_B "2222222222222222222222222222222222222222"
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *const variables[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "LLAMA_CACHE", "OLLAMA_MODELS", "MODELSCOPE_CACHE",
                                        "MS_CACHE_HOME", "POSVIZ_MODEL_PATH", "TRANSFORMERS_CACHE"};

/* A home of its own and no variables. */
static int home_open(void **state)
{
    if (scratch_open(state))
        return -1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return setenv("HOME", scratch, 1);
}

static void config_at(const char *path, double base)
{
    char text[240];
    snprintf(text, sizeof text, "{\"model_type\":\"qwen3\",\"hidden_size\":256,\"num_attention_heads\":4,\"num_hidden_layers\":2,\"max_position_embeddings\":4096,"
                                "\"rope_theta\":%.0f}", base);
    scratch_text(path, text);
}

static void gguf_at(const char *path, double base)
{
    struct gguf_file g = gguf_model("qwen3", 2, 256, 4, 4096);
    gguf_float(&g, "qwen3.rope.freq_base", base);
    gguf_write(&g, path);
}

static void link_at(const char *path, const char *to)
{
    scratch_text(path, "");             /* makes the folders */
    unlink(scratch_path(path));
    assert_int_equal(symlink(to, scratch_path(path)), 0);
}

/* The base that the model of a name has; fails unless it is found. */
static double base_of(const char *name)
{
    struct facts *f = facts_at(name);
    if (f->unreadable)
        fail_msg("%s: %s", name, f->n_findings ? f->finding[0].message : "");
    double base = f->base;
    facts_unref(f);
    return base;
}

static void assert_refused(const char *name, const char *says)
{
    struct facts *f = facts_at(name);
    if (!f->unreadable)
        fail_msg("%s was read", name);
    if (!strstr(f->finding[0].message, says))
        fail_msg("%s: %s", name, f->finding[0].message);
    facts_unref(f);
}

/* ---- Hugging Face ------------------------------------------------------------------------------------------------------ */

#define QWEN ".cache/huggingface/hub/models--Qwen--Qwen3-8B/"

static void names_in_the_cache(void **state)
{
    (void)state;
    config_at(QWEN "blobs/aa", 1000);
    config_at(QWEN "blobs/bb", 2000);
    scratch_text(QWEN "refs/main", COMMIT_A);
    scratch_text(QWEN "refs/v2", COMMIT_B "\n");            /* trimmed, though none is written */
    scratch_text(QWEN "refs/refs/pr/1", COMMIT_B);
    link_at(QWEN "snapshots/" COMMIT_A "/config.json", "../../blobs/aa");
    link_at(QWEN "snapshots/" COMMIT_B "/config.json", "../../blobs/bb");
    assert_true(base_of("Qwen/Qwen3-8B") == 1000);
    assert_true(base_of("hf:Qwen/Qwen3-8B") == 1000);
    assert_true(base_of("Qwen/Qwen3-8B@main") == 1000);
    assert_true(base_of("Qwen/Qwen3-8B@v2") == 2000);
    assert_true(base_of("Qwen/Qwen3-8B@refs/pr/1") == 2000);
    assert_true(base_of("Qwen/Qwen3-8B@" COMMIT_B) == 2000);
    assert_true(base_of("Qwen/Qwen3-8B@22222222") == 2000);
    assert_true(base_of("Qwen/Qwen3-8B/config.json") == 1000);
    scratch_text(QWEN "refs/v4.tmp", COMMIT_B);
    assert_refused("Qwen/Qwen3-8B@v4.tmp", "revision v4.tmp is not in the cache");
    assert_refused("Qwen/Qwen3-8B@v3", "revision v3 is not in the cache");
    assert_refused("Qwen/Qwen3-8B@3333333333333333333333333333333333333333", "is not in the cache");
    assert_refused("qwen/qwen3-8b", "Near it: Qwen/Qwen3-8B");       /* case counts in the cache */
    assert_refused("ollama:Qwen/Qwen3-8B", "ollama pull");
}

static void the_source_is_told(void **state)
{
    (void)state;
    config_at(QWEN "blobs/aa", 1000);
    scratch_text(QWEN "refs/main", COMMIT_A);
    link_at(QWEN "snapshots/" COMMIT_A "/config.json", "../../blobs/aa");
    struct facts *f = facts_at("Qwen/Qwen3-8B");
    struct json *o = facts_to_json(f);
    const struct json *source = json_get(o, "source");
    assert_string_equal(f->file, "Qwen/Qwen3-8B");
    assert_string_equal(json_string(json_get(source, "store")), "huggingface");
    assert_string_equal(json_string(json_get(source, "id")), "Qwen/Qwen3-8B");
    assert_string_equal(json_string(json_get(source, "revision")), COMMIT_A);
    assert_non_null(strstr(json_string(json_get(source, "path")), "snapshots/" COMMIT_A));      /* never the blob */
    json_free(o);
    facts_unref(f);
    f = facts_at(scratch_path(QWEN "snapshots/" COMMIT_A));              /* the path itself */
    assert_string_equal(f->source.id, "Qwen/Qwen3-8B");
    assert_string_equal(f->source.revision, COMMIT_A);
    facts_unref(f);
    config_at("plain/config.json", 1000);
    f = facts_at(scratch_path("plain/config.json"));
    o = facts_to_json(f);
    assert_int_equal(json_type(json_get(o, "source")), JSON_NULL);
    json_free(o);
    facts_unref(f);
    scratch_text("plain/.cache/huggingface/download/config.json.metadata", COMMIT_B "\n\"etag\"\n1700000000.0\n");      /* hf download --local-dir */
    f = facts_at(scratch_path("plain"));
    assert_string_equal(f->source.store, "folder");
    assert_string_equal(f->source.revision, COMMIT_B);
    facts_unref(f);
}

static void links_of_every_kind(void **state)
{
    (void)state;
    config_at(".cache/huggingface/hub/blobs/aa/aabb", 1000);           /* shared blobs: two links deep */
    link_at(QWEN "blobs/aabb", "../../blobs/aa/aabb");
    link_at(QWEN "snapshots/" COMMIT_A "/config.json", "../../blobs/aabb");
    scratch_text(QWEN "refs/main", COMMIT_A);
    assert_true(base_of("Qwen/Qwen3-8B") == 1000);
    unlink(scratch_path(QWEN "blobs/aabb"));
    assert_refused("Qwen/Qwen3-8B", "a link to a file that is not there");
    unlink(scratch_path(QWEN "snapshots/" COMMIT_A "/config.json"));
    config_at(QWEN "snapshots/" COMMIT_A "/config.json", 3000);         /* copies, as on Windows */
    assert_true(base_of("Qwen/Qwen3-8B") == 3000);
}

static void which_folder_is_the_cache(void **state)
{
    (void)state;
    static const char *const homes[] = {"a/models--X--m", "b/models--X--m", "c/hub/models--X--m", "d/huggingface/hub/models--X--m", ".cache/huggingface/hub/models--X--m"};
    static const char *const names[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"};
    char path[300];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/snapshots/" COMMIT_A "/config.json", homes[i]);
        config_at(path, 1000 + i);
        snprintf(path, sizeof path, "%s/refs/main", homes[i]);
        scratch_text(path, COMMIT_A);
    }
    assert_true(base_of("X/m") == 1004);
    for (int i = 3; i >= 0; i--) {              /* each comes before those set so far */
        snprintf(path, sizeof path, "%s", scratch_path((const char *[]){"a", "b", "c", "d"}[i]));
        setenv(names[i], path, 1);
        assert_true(base_of("X/m") == 1000 + i);
    }
    setenv("HF_HUB_CACHE", "", 1);              /* empty: as if it were not set */
    assert_true(base_of("X/m") == 1001);
    setenv("HF_HUB_CACHE", "~/c/hub", 1);
    assert_true(base_of("X/m") == 1002);
    setenv("HF_HUB_CACHE", "$HOME/d/huggingface/hub", 1);
    assert_true(base_of("X/m") == 1003);
    setenv("HF_HUB_CACHE", "${HOME}/a", 1);
    assert_true(base_of("X/m") == 1000);
}

static void a_snapshot_without_a_ref(void **state)
{
    (void)state;
    config_at(QWEN "snapshots/" COMMIT_A "/config.json", 1000);
    struct facts *f = facts_at("Qwen/Qwen3-8B");
    assert_true(f->base == 1000);
    assert_non_null(strstr(f->finding[0].message, "its only one, 11111111, is read"));
    facts_unref(f);
    config_at(QWEN "snapshots/" COMMIT_B "/config.json", 2000);
    assert_refused("Qwen/Qwen3-8B", "revision main is not in the cache");       /* two: none is guessed */
}

static void several_files_are_never_guessed(void **state)
{
    (void)state;
#define UNSLOTH ".cache/huggingface/hub/models--unsloth--Q-GGUF/"
    scratch_text(UNSLOTH "refs/main", COMMIT_A);
    gguf_at(UNSLOTH "snapshots/" COMMIT_A "/Q-Q4_K_M.gguf", 4000);
    assert_true(base_of("unsloth/Q-GGUF") == 4000);
    gguf_at(UNSLOTH "snapshots/" COMMIT_A "/Q-Q8_0.gguf", 8000);
    gguf_at(UNSLOTH "snapshots/" COMMIT_A "/BF16/Q-BF16-00001-of-00002.gguf", 16000);
    scratch_text(UNSLOTH "snapshots/" COMMIT_A "/BF16/Q-BF16-00002-of-00002.gguf", "GGUF");
    scratch_text(UNSLOTH "snapshots/" COMMIT_A "/mmproj-F16.gguf", "GGUF");
    assert_refused("unsloth/Q-GGUF", "3 models: BF16/Q-BF16-00001-of-00002.gguf, Q-Q4_K_M.gguf, Q-Q8_0.gguf");
    assert_true(base_of("unsloth/Q-GGUF:Q4_K_M") == 4000);
    assert_true(base_of("unsloth/Q-GGUF:q8_0") == 8000);
    assert_true(base_of("unsloth/Q-GGUF:BF16") == 16000);
    assert_true(base_of("unsloth/Q-GGUF@main:Q8_0") == 8000);
    assert_true(base_of("unsloth/Q-GGUF/Q-Q8_0.gguf") == 8000);
    assert_true(base_of("unsloth/Q-GGUF/BF16/Q-BF16-00001-of-00002.gguf") == 16000);
    assert_refused("unsloth/Q-GGUF:Q", "fits 3 files");
    assert_refused("unsloth/Q-GGUF:Q5_K_S", "no file here is called Q5_K_S");
}

static void a_configuration_that_is_not_fetched(void **state)
{
    (void)state;
    scratch_text(UNSLOTH "refs/main", COMMIT_A);
    gguf_at(UNSLOTH "snapshots/" COMMIT_A "/Q.gguf", 4000);
    struct facts *f = facts_at("unsloth/Q-GGUF");
    assert_int_equal(f->n_findings, 1);
    assert_non_null(strstr(f->finding[0].message, "whether this revision has one the cache does not say; `hf download unsloth/Q-GGUF config.json`"));
    facts_unref(f);
    scratch_text(UNSLOTH "trees/" COMMIT_A ".json", "[{\"path\": \"config.json\", \"size\": 700}]");
    f = facts_at("unsloth/Q-GGUF");
    assert_non_null(strstr(f->finding[0].message, "this revision has a config.json that is not in the cache"));
    facts_unref(f);
    scratch_text(UNSLOTH "trees/" COMMIT_A ".json", "[{\"path\": \"Q.gguf\", \"size\": 700}]");
    f = facts_at("unsloth/Q-GGUF");
    assert_int_equal(f->n_findings, 0);
    facts_unref(f);
    unlink(scratch_path(UNSLOTH "trees/" COMMIT_A ".json"));
    scratch_text(UNSLOTH ".no_exist/" COMMIT_A "/config.json", "");             /* known not to exist upstream */
    f = facts_at("unsloth/Q-GGUF");
    assert_int_equal(f->n_findings, 0);
    facts_unref(f);
}

static void names_that_lead_out(void **state)
{
    (void)state;
    config_at("secret/config.json", 666);
    config_at(".cache/huggingface/hub/models--x--y/snapshots/" COMMIT_A "/config.json", 1000);
    scratch_text(".cache/huggingface/hub/models--x--y/refs/main", "../../../../../secret");
    scratch_text(".cache/huggingface/hub/models--x--y/refs/evil", "../../../../secret\n" COMMIT_A);
    static const char *const names[] = {"hf:../../secret", "hf:x/y@../../../secret", "hf:x/y/../../secret/config.json", "x/y@evil", "hf:x--y/z", "hf:/etc/passwd", "hf:.hidden/x",
                                        "hf:", "ollama:../x", "lmstudio:a/../b", "modelscope:.a/b", "hf:a/b/c/d", "x/y:../../../../secret/config.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct facts *f = facts_at(names[i]);
        assert_true(f->unreadable);
        facts_unref(f);
    }
}

/* ---- Ollama --------------------------------------------------------------------------------------------------------------- */

static void manifest_at(const char *path, const char *layers)
{
    char text[1200];
    snprintf(text, sizeof text, "{\"schemaVersion\":2,\"layers\":[%s]}", layers);
    scratch_text(path, text);
}

#define LAYER(type, digest) "{\"mediaType\":\"application/vnd.ollama.image." type "\",\"digest\":\"" digest "\",\"size\":1}"
#define LIBRARY ".ollama/models/manifests/registry.ollama.ai/library/"

static void names_of_ollama(void **state)
{
    (void)state;
    gguf_at(".ollama/models/blobs/sha256-" HASH, 1000);
    manifest_at(LIBRARY "qwen3/latest", LAYER("template", "sha256:00") "," LAYER("model", "sha256:" HASH));
    manifest_at(".ollama/models/manifests/hf.co/Org/Repo/Q4_K_M", LAYER("model", "sha256:" HASH));
    assert_true(base_of("ollama:qwen3") == 1000);
    assert_true(base_of("ollama:qwen3:latest") == 1000);
    assert_true(base_of("qwen3:latest") == 1000);
    assert_true(base_of("ollama:Qwen3:LATEST") == 1000);                   /* case does not count */
    assert_true(base_of("ollama:library/qwen3") == 1000);
    assert_true(base_of("ollama:hf.co/org/repo:q4_k_m") == 1000);
    assert_refused("ollama:qwen3:8b", "has no tag 8b; there are: latest");
    assert_refused("ollama:llama3", "ollama pull llama3");
    struct facts *f = facts_at("ollama:qwen3");
    assert_string_equal(f->source.store, "ollama");
    assert_string_equal(f->source.revision, "latest");
    facts_unref(f);
    manifest_at(LIBRARY "two/7b", LAYER("model", "sha256:" HASH));
    manifest_at(LIBRARY "two/13b", LAYER("model", "sha256:" HASH));
    assert_refused("ollama:two", "there are: 13b, 7b");                        /* no latest: none is guessed */
}

static void layers_of_ollama(void **state)
{
    (void)state;
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
    config_at(".ollama/models/blobs/sha256-" OTHER, 2000);
    manifest_at(LIBRARY "tensors/latest", "{\"mediaType\":\"application/vnd.ollama.image.tensor\",\"digest\":\"sha256:" HASH "\",\"name\":\"a\"},"
                                          "{\"mediaType\":\"application/vnd.ollama.image.json\",\"digest\":\"sha256:" OTHER "\",\"name\":\"config.json\"}");
    assert_true(base_of("ollama:tensors") == 2000);
    gguf_at(".ollama/models/blobs/sha256-" HASH, 1000);
    scratch_text(".ollama/models/blobs/sha256-" OTHER, "{\"num_ctx\":2048,\"stop\":[\"x\"]}");
    manifest_at(LIBRARY "params/latest", LAYER("model", "sha256:" HASH) "," LAYER("params", "sha256:" OTHER));
    struct facts *f = facts_at("ollama:params");
    assert_non_null(strstr(f->finding[f->n_findings - 1].message, "context of 2048"));
    facts_unref(f);
}

static void manifests_that_lie(void **state)
{
    (void)state;
    config_at("secret/config.json", 666);
    manifest_at(LIBRARY "evil/latest", LAYER("model", "sha256:../../../../secret/config.json"));
    assert_refused("ollama:evil", "no SHA-256 digest");
    manifest_at(LIBRARY "long/latest", LAYER("model", "sha256:" HASH "00"));
    assert_refused("ollama:long", "no SHA-256 digest");
    manifest_at(LIBRARY "gone/latest", LAYER("model", "sha256:" HASH));
    assert_refused("ollama:gone", "is not there");
    manifest_at(LIBRARY "empty/latest", "");
    assert_refused("ollama:empty", "neither a model nor a config.json");
    scratch_text(LIBRARY "broken/latest", "{\"layers\":");
    assert_refused("ollama:broken", "JSON");
}

static void where_ollama_is(void **state)
{
    (void)state;
    char value[400];
    gguf_at("moved/blobs/sha256-" HASH, 3000);
    manifest_at("moved/manifests/registry.ollama.ai/library/qwen3/latest", LAYER("model", "sha256:" HASH));
    snprintf(value, sizeof value, "  \"%s\"  ", scratch_path("moved"));         /* blanks and quotes are trimmed */
    setenv("OLLAMA_MODELS", value, 1);
    assert_true(base_of("ollama:qwen3") == 3000);
    setenv("OLLAMA_MODELS", "  ", 1);
    assert_refused("ollama:qwen3", "no local store has it");
}

/* Nothing is closed to root, so another user asks. */
static int ask_as_nobody(const char *name, const char *says)
{
    enum { NOBODY = 65534 };
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(NOBODY) != 0)
            _exit(2);
        struct facts *f = facts_at(name);
        bool refused = f->unreadable && strstr(f->finding[0].message, says);
        facts_unref(f);
        _exit(refused ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void closed_folders(void **state)
{
    (void)state;
    manifest_at(LIBRARY "qwen3/latest", "");
    chmod(scratch, 0755);
    chmod(scratch_path(".ollama"), 0755);
    chmod(scratch_path(".ollama/models"), 0);
    assert_int_equal(ask_as_nobody("ollama:qwen3", "usermod -aG ollama"), 0);
    assert_int_equal(ask_as_nobody("some/other-model", "(ollama, permission denied)"), 0);
    chmod(scratch_path(".ollama/models"), 0755);
    chmod(scratch_path(".ollama/models/manifests"), 0);
    assert_int_equal(ask_as_nobody("ollama:qwen3", "usermod -aG ollama"), 0);
    chmod(scratch_path(".ollama/models/manifests"), 0755);
}

/* ---- LM Studio, ModelScope -------------------------------------------------------------------------------------------------- */

static void names_of_lmstudio(void **state)
{
    (void)state;
    gguf_at(".lmstudio/models/org/m-GGUF/m-Q4.gguf", 1000);
    config_at(".cache/lm-studio/models/mlx/n/config.json", 2000);
    config_at("elsewhere/me/o/config.json", 3000);
    scratch_text(".ollama/models/manifests/registry.ollama.ai/library/other/latest", "{}");
    struct facts *f = facts_examine("org/m-GGUF", NULL, 0, LANG_EN);
    assert_true(f->base == 1000);
    assert_string_equal(f->source.store, "lmstudio");
    assert_string_equal(f->source.revision, "");            /* Ollama, asked before, has tags */
    facts_unref(f);
    assert_true(base_of("lmstudio:mlx/n") == 2000);
    setenv("POSVIZ_MODEL_PATH", scratch_path("elsewhere"), 1);
    assert_true(base_of("me/o") == 3000);
}

static void names_of_modelscope(void **state)
{
    (void)state;
    config_at(".cache/modelscope/hub/models/Qwen/Qwen2___5-7B/config.json", 1000);      /* '.' is written ___ */
    config_at(".cache/modelscope/hub/Old/Model/config.json", 2000);                     /* before 2025 */
    config_at("ms/hub/models/A/b.c/config.json", 3000);
    assert_true(base_of("Qwen/Qwen2.5-7B") == 1000);
    assert_true(base_of("modelscope:Old/Model") == 2000);
    setenv("MODELSCOPE_CACHE", scratch_path("ms"), 1);
    assert_true(base_of("modelscope:A/b.c") == 3000);
}

/* Hugging Face comes before ModelScope; a prefix chooses. */
static void the_order_of_stores(void **state)
{
    (void)state;
    config_at(".cache/modelscope/hub/models/X/m/config.json", 2000);
    assert_true(base_of("X/m") == 2000);
    config_at(".cache/huggingface/hub/models--X--m/snapshots/" COMMIT_A "/config.json", 1000);
    scratch_text(".cache/huggingface/hub/models--X--m/refs/main", COMMIT_A);
    assert_true(base_of("X/m") == 1000);
    assert_true(base_of("modelscope:X/m") == 2000);
}

/* ---- paths ------------------------------------------------------------------------------------------------------------------- */

static void a_path_that_exists_wins(void **state)
{
    (void)state;
    config_at(".cache/huggingface/hub/models--X--m/snapshots/" COMMIT_A "/config.json", 1000);
    config_at("X/m/config.json", 5000);
    assert_int_equal(chdir(scratch), 0);
    assert_true(base_of("X/m") == 5000);
    assert_true(base_of("hf:X/m") == 1000);
    assert_int_equal(chdir("/"), 0);
    assert_refused("no-such-file.json", "cannot be opened");
    assert_refused("./Qwen/Qwen3-8B", "cannot be opened");
    assert_refused("/no/such/file", "cannot be opened");
    assert_refused("gone", "gone: no such file, and no model of a local store has this name.");
}

static void what_is_looked_at_is_said(void **state)
{
    (void)state;
    assert_refused("Some/Model", "posviz never downloads; `hf download Some/Model config.json` would fetch it");
    assert_refused("Some/Model", ".cache/huggingface/hub (huggingface)");
    assert_refused("Some/Model", ".ollama/models (ollama)");
    setenv("TRANSFORMERS_CACHE", scratch_path("old"), 1);
    config_at("old/models--Some--Model/snapshots/" COMMIT_A "/config.json", 1000);
    assert_refused("Some/Model", "not in TRANSFORMERS_CACHE");
    unsetenv("TRANSFORMERS_CACHE");
}

/* ---- lists --------------------------------------------------------------------------------------------------------------------- */

static void collect(const struct store_entry *entry, void *context)
{
    buf_text(context, entry->name);
    buf_text(context, "\n");
}

static void every_name_in_the_list_is_found(void **state)
{
    (void)state;
    config_at(QWEN "snapshots/" COMMIT_A "/config.json", 1000);
    config_at(QWEN "snapshots/" COMMIT_B "/config.json", 2000);
    scratch_text(QWEN "refs/main", COMMIT_A);
    scratch_text(".cache/huggingface/hub/models--Qwen--Qwen3-8B/.DS_Store", "");
    scratch_text(".cache/huggingface/hub/datasets--a--b/refs/main", COMMIT_A);
    scratch_text(".cache/huggingface/hub/.locks/x", "");
    scratch_text(".cache/huggingface/hub/CACHEDIR.TAG", "");
    gguf_at(".ollama/models/blobs/sha256-" HASH, 1000);
    manifest_at(LIBRARY "qwen3/8b", LAYER("model", "sha256:" HASH));
    config_at(".lmstudio/models/org/m/config.json", 3000);
    config_at(".cache/modelscope/hub/models/Q/q2___5/config.json", 4000);
    struct buf b = {0};
    store_list(collect, &b);
    char *names = buf_string(&b);
    assert_string_equal(names, "Qwen/Qwen3-8B\nQwen/Qwen3-8B@22222222\nmodelscope:Q/q2.5\nollama:qwen3:8b\nlmstudio:org/m\n");
    char *save = NULL;
    for (char *name = strtok_r(names, "\n", &save); name; name = strtok_r(NULL, "\n", &save))
        assert_true(base_of(name) > 0);
    free(names);
    struct json *o = store_list_json();
    assert_int_equal(json_size(json_get(o, "models")), 5);
    assert_true(json_size(json_get(o, "looked")) >= 4);
    json_free(o);
}

int main(void)
{
#define HOME(test) cmocka_unit_test_setup_teardown(test, home_open, scratch_close)
    const struct CMUnitTest tests[] = {
        HOME(names_in_the_cache), HOME(the_source_is_told), HOME(links_of_every_kind), HOME(which_folder_is_the_cache), HOME(a_snapshot_without_a_ref),
        HOME(several_files_are_never_guessed), HOME(a_configuration_that_is_not_fetched), HOME(names_that_lead_out), HOME(names_of_ollama), HOME(layers_of_ollama),
        HOME(manifests_that_lie), HOME(where_ollama_is), HOME(closed_folders), HOME(names_of_lmstudio), HOME(names_of_modelscope), HOME(the_order_of_stores),
        HOME(a_path_that_exists_wins), HOME(what_is_looked_at_is_said), HOME(every_name_in_the_list_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
