/* The wizard: any bytes as its book of evidence, as a saved walk and as a walk in one line; what is taken must give its reports. */
#include "../support/fuzz.h"
#include "wizard/wizard.h"

static void report(const struct book *book, const struct walk *w)
{
    struct err err = {.lang = LANG_EN};
    json_free(wizard_json(book, w, &err));
    free(wizard_markdown(book, w, LANG_EN, &err));
    free(wizard_markdown(book, w, LANG_ZH, &err));
}

/* The first answer to every question. */
static void walk_through(const struct book *book)
{
    struct walk w;
    struct err err = {.lang = LANG_EN};
    walk_init(&w);
    report(book, &w);
    for (int i = 0, q; i < BOOK_MAX_QUESTIONS && (q = walk_next(book, &w)) != WIZARD_DONE; i++)
        w.answer[q] = 0;
    if (walk_settle(book, &w, &err))
        report(book, &w);
}

static void a_walk(const struct book *book, const struct walk *w)
{
    struct walk copy = *w;
    struct err err = {.lang = LANG_EN};
    char text[512];
    if (walk_settle(book, &copy, &err)) {
        report(book, &copy);
        walk_to_text(book, &copy, text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {.lang = LANG_EN};
    const struct book *builtin = wizard_book(&err);
    struct walk w;
    char *text = fuzz_text(data, size);
    walk_init(&w);
    if (walk_from_text(builtin, &w, text, &err))
        a_walk(builtin, &w);
    struct json *json = json_parse(text, size, &err);
    walk_init(&w);
    if (json && walk_from_json(builtin, &w, json, &err))
        a_walk(builtin, &w);
    struct book *book = json ? wizard_load(json, &err) : NULL;
    if (book)
        walk_through(book);
    wizard_free(book);
    free(text);
    return 0;
}
