/* load.c - reads and checks the wizard's data as a whole, and the copy that is built in. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/preset.h"
#include "wizard/reader.h"

/* A question whose answers change nothing: the result must say that it did not count. */
static bool weightless(const struct book *b, size_t question)
{
    const struct question *q = &b->question[question];
    if (q->branch != BRANCH_EVIDENCE)
        return false;
    for (size_t a = 0; a < q->n_answers; a++)
        for (size_t c = 0; c < b->n_criteria; c++)
            if (q->answer[a].weight[c] != 0)
                return false;
    const struct condition *all[2 * BOOK_MAX_RULES];
    size_t n = 0;
    for (size_t i = 0; i < b->n_constraints; i++)
        all[n++] = &b->constraint[i].when;
    for (size_t i = 0; i < b->n_overrides; i++)
        all[n++] = &b->override[i].when;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < all[i]->n; t++)
            if ((size_t)all[i]->term[t].question == question)
                return false;
    return true;
}

static void read_part(struct reader *r, const struct json *root, const struct part *p)
{
    const struct json *parent = p->parent ? member(r, root, p->parent, JSON_OBJECT) : root;
    struct place before = {strlen(r->path)};
    if (p->parent)
        before = enter(r, p->parent, 0);
    if (p->step) {
        p->step(r, parent);
    } else {
        char *book = (char *)r->book;
        void *array = xcalloc(count_of(r, parent, p->key, 1, p->max) + 1, p->size);
        memcpy(book + p->array, &array, sizeof array);
        fill(r, parent, p->key, array, p->size, (size_t *)(void *)(book + p->n), p->element);
    }
    leave(r, before);
}

static void read_parts(struct reader *r, const struct json *root, const struct part *p)
{
    for (; (p->key || p->step) && !r->failed; p++)
        read_part(r, root, p);
}

struct book *wizard_load(struct json *json, struct err *err)
{
    struct book *b = xcalloc(1, sizeof *b);
    b->json = json;
    struct reader r = {.book = b, .err = err};
    if (json_type(json) != JSON_OBJECT)
        wrong_type(&r, NULL, json, N_("an object"));
    read_parts(&r, json, engine_parts);
    read_parts(&r, json, guide_parts);
    if (!r.failed) {
        for (size_t q = 0; q < b->n_questions; q++)
            b->question[q].weightless = weightless(b, q);
        return b;
    }
    wizard_free(b);
    return NULL;
}

static struct book *built_in;
static struct err built_in_err;

static void load_built_in(void)
{
    const struct preset *p = presets;
    while (p->id && strcmp(p->id, "wizard") != 0)
        p++;
    struct json *json = p->id ? json_parse(p->text, p->size, &built_in_err) : NULL;
    if (json)
        built_in = wizard_load(json, &built_in_err);
}

const struct book *wizard_book(struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_built_in);
    if (!built_in)
        err_set(err, "%s", built_in_err.text);
    return built_in;
}
