/* replay.c - a fuzz target without libFuzzer, for the suite: every seed as it is, then seeds with bytes changed, cut, doubled and put
 * together. Deterministic. If it fails, some file or line crashes the program.
 *
 *     replay_NAME RUNS FILE...          POSVIZ_FUZZ_FILE: where the input being tried is kept, to look at after a crash */
#include "../support/fuzz.h"
#include "base/mem.h"
#include "base/rng.h"

enum { INPUT_MAX = 1 << 19 };

struct input { uint8_t *data; size_t size; };

static uint64_t step;

static size_t roll(size_t n)
{
    return n ? (size_t)(rng_bits(7, step++) % n) : 0;
}

static struct input load(const char *path)
{
    struct input in = {.data = xmalloc(INPUT_MAX)};
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    in.size = fread(in.data, 1, INPUT_MAX, f);
    fclose(f);
    return in;
}

static const char *const tokens[] = {"-1", "0", "1e308", "1e999", "-0", "null", "true", "[]", "{}", "\"\"", "\\u0000", "\x1b[2J", "\xff", "[[[[", "999",
                                     "nan", "=", "-", "--", "\n", "%n%s", "9223372036854775808"};

static void put_over(struct input *in, size_t at, const void *bytes, size_t n)
{
    n = n < INPUT_MAX - at ? n : INPUT_MAX - at;
    memmove(in->data + at, bytes, n);
    in->size = at + n > in->size ? at + n : in->size;
}

static void insert(struct input *in, size_t at, const void *bytes, size_t n)
{
    if (in->size + n > INPUT_MAX)
        return;
    memmove(in->data + at + n, in->data + at, in->size - at);
    memcpy(in->data + at, bytes, n);
    in->size += n;
}

static void remove_part(struct input *in, size_t at, size_t n)
{
    n = n < in->size - at ? n : in->size - at;
    memmove(in->data + at, in->data + at + n, in->size - at - n);
    in->size -= n;
}

static void mutate(struct input *in, const struct input *other)
{
    for (size_t i = 0, n = 1 + roll(4); i < n; i++) {
        size_t at = roll(in->size), from = roll(other->size), part = roll(other->size - from < 64 ? other->size - from : 64);
        const char *token = tokens[roll(sizeof tokens / sizeof *tokens)];
        uint8_t byte = (uint8_t)roll(256);
        switch (roll(6)) {
        case 0: put_over(in, at, &byte, 1); break;
        case 1: insert(in, at, token, strlen(token)); break;
        case 2: put_over(in, at, token, strlen(token)); break;
        case 3: remove_part(in, at, 1 + roll(32)); break;
        case 4: insert(in, at, other->data + from, part); break;
        case 5: in->size = roll(8) ? in->size : at; break;
        }
    }
}

static void try(const struct input *in)
{
    const char *path = getenv("POSVIZ_FUZZ_FILE");
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (f) {
        fwrite(in->data, 1, in->size, f);
        fclose(f);
    }
    uint8_t *exact = xmalloc(in->size);         /* of its own size, so that a read beyond it is seen */
    memcpy(exact, in->data, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

int main(int argc, char **argv)
{
    int n = argc - 2, runs = argc > 2 ? atoi(argv[1]) : 0;
    if (n < 1)
        return 2;
    struct input *seed = xcalloc((size_t)n, sizeof *seed);
    struct input in = {.data = xmalloc(INPUT_MAX)};
    for (int i = 0; i < n; i++)
        seed[i] = load(argv[2 + i]);
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 0; i < n + runs; i++) {
        const struct input *from = &seed[i < n ? (size_t)i : roll((size_t)n)];
        memcpy(in.data, from->data, from->size);
        in.size = from->size;
        if (i >= n)
            mutate(&in, &seed[roll((size_t)n)]);
        try(&in);
    }
    for (int i = 0; i < n; i++)
        free(seed[i].data);
    free(seed);
    free(in.data);
    return 0;
}
