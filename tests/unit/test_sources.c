/* Figures and where they are from, in everything that is said outside of the wizard's data (test_wizard.c has that): lessons and messages. If
 * this fails, a lecturer says a number of a paper that nobody can look up, or calls supported what the evidence calls contested. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "core/encoding.h"
#include "json/json.h"
#include "scenario/tour.h"
#include "wizard/wizard.h"

static const struct book *book;
static regex_t paper, figure, place, verdict;

static void compile(regex_t *r, const char *pattern)
{
    assert_int_equal(regcomp(r, pattern, REG_EXTENDED), 0);
}

static int setup(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    book = wizard_book(&err);
    /* The last word of a name, whether many authors or one group. */
    compile(&paper, "([A-Z][A-Za-z-]+)( et al\\.| 等)? ((19|20)[0-9][0-9])");
    /* What papers measure, with a number somewhere. */
    compile(&figure, "[Pp]erplexit|\\<ppl\\>|[Aa]ccurac|[Nn]eedle|BLEU|[Pp]asskey|words a second|tokens a second|困惑度|准确率|每秒|大海捞针");
    compile(&place, "(19|20)[0-9][0-9]\\)?|G[0-9][0-9]|table [0-9]|section [0-9]|lesson [0-9]|[Cc]omputed|config|表 [0-9]");
    compile(&verdict, "[Cc]laims? (G[0-9][0-9])( and (G[0-9][0-9]))?: ([a-z]+)");
    return book ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    regfree(&paper);
    regfree(&figure);
    regfree(&place);
    regfree(&verdict);
    return 0;
}

/* ---- what is said ------------------------------------------------------------------------------------------- */

typedef void (*said_fn)(const char *where, const char *text);

/* A step is one: its notes may hold the source of its text. */
static void each_step(said_fn fn)
{
    for (const struct preset *p = presets; p->id; p++) {
        struct err err = {.lang = LANG_EN};
        struct tour *t = strncmp(p->id, "tours/", 6) ? NULL : tour_load(p->id + 6, &err);
        for (size_t i = 0; t && i < t->n_steps; i++) {
            const struct tour_step *step = &t->step[i];
            for (int lang = 0; lang < LANG_COUNT; lang++) {
                struct buf all = {0};
                char where[80];
                buf_text(&all, step->text[lang]);
                buf_text(&all, " ");
                buf_text(&all, step->notes[lang] ? step->notes[lang] : "");
                for (size_t a = 0; a < step->n_answers; a++) {
                    buf_text(&all, " ");
                    buf_text(&all, step->answer[a].why[lang] ? step->answer[a].why[lang] : "");
                }
                snprintf(where, sizeof where, "%s, step %zu, %s", p->id, i + 1, lang_name((enum lang)lang));
                char *text = buf_string(&all);
                fn(where, text);
                free(text);
            }
        }
        tour_free(t);
    }
}

/* The messages of the program and their Chinese: the quoted lines of the catalogue, joined. */
static void each_message(said_fn fn)
{
    struct err err = {.lang = LANG_EN};
    size_t size;
    char *po = file_read("po/zh.po", 1 << 24, &size, &err), *rest = po;
    struct buf one = {0};
    if (!po)
        fail_msg("%s", err.text);
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *open = strchr(line, '"'), *close = strrchr(line, '"');
        if (!strncmp(line, "msg", 3) || close == open) {
            char *text = buf_string(&one);
            fn("a message", text);
            free(text);
            one = (struct buf){0};
        }
        if (close > open)
            buf_put(&one, open + 1, (size_t)(close - open - 1));
    }
    buf_done(&one);
    free(po);
}

/* ---- the rules ----------------------------------------------------------------------------------------------- */

static int wrong;

static bool cited_by_an_encoding(const char *name, const char *year)
{
    for (size_t e = 0; encodings[e]; e++) {
        const char *at = strstr(encodings[e]->cite, name);
        if (at && strstr(at, year))
            return true;
    }
    return false;
}

static bool in_the_book(const char *name, const char *year)
{
    for (size_t i = 0; i < book->n_sources; i++)
        if (strstr(book->source[i].name, name) && strstr(book->source[i].name, year))
            return true;
    return cited_by_an_encoding(name, year);
}

static void is_known(const char *where, const char *text)
{
    regmatch_t m[5];
    for (const char *p = text; regexec(&paper, p, 5, m, 0) == 0; p += m[0].rm_eo) {
        char name[60], year[5];
        snprintf(name, sizeof name, "%.*s", (int)(m[1].rm_eo - m[1].rm_so), p + m[1].rm_so);
        snprintf(year, sizeof year, "%.4s", p + m[3].rm_so);
        bool group = m[2].rm_so < 0;            /* "In 2019" is no paper */
        if (!in_the_book(name, year) && !(group && strlen(name) < 3)) {
            print_error("%s: %s %s is no source of the book: %s\n", where, name, year, text);
            wrong++;
        }
    }
}

static void every_paper_named_is_in_the_book(void **state)
{
    (void)state;
    wrong = 0;
    each_step(is_known);
    each_message(is_known);
    assert_int_equal(wrong, 0);
}

static void has_a_place(const char *where, const char *text)
{
    if (regexec(&figure, text, 0, NULL, 0) || !text[strcspn(text, "0123456789")] || !regexec(&place, text, 0, NULL, 0))
        return;
    print_error("%s: a measured figure without its source: %s\n", where, text);
    wrong++;
}

static void every_measured_figure_names_its_source(void **state)
{
    (void)state;
    wrong = 0;
    each_step(has_a_place);
    each_message(has_a_place);
    assert_int_equal(wrong, 0);
}

static const struct claim *claim_at(const char *text, regmatch_t m)
{
    char id[4];
    snprintf(id, sizeof id, "%.3s", text + m.rm_so);
    return book_claim(book, id);
}

static int verdicts;

static void agrees(const char *where, const char *text)
{
    regmatch_t m[5];
    for (const char *p = text; regexec(&verdict, p, 5, m, 0) == 0; p += m[0].rm_eo)
        for (int i = 1; i <= 3; i += 2) {
            const struct claim *claim = m[i].rm_so < 0 ? NULL : claim_at(p, m[i]);
            const char *says = p + m[4].rm_so;
            if (m[i].rm_so < 0)
                continue;
            verdicts++;
            if (!claim || strncmp(says, verdict_ids[claim->verdict], strlen(verdict_ids[claim->verdict]))) {
                print_error("%s: the book says %s: %s\n", where, claim ? verdict_ids[claim->verdict] : "no such claim", text);
                wrong++;
            }
        }
}

static void verdicts_are_those_of_the_book(void **state)
{
    (void)state;
    wrong = verdicts = 0;
    each_step(agrees);
    assert_int_equal(wrong, 0);
    assert_true(verdicts >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_paper_named_is_in_the_book),
        cmocka_unit_test(every_measured_figure_names_its_source),
        cmocka_unit_test(verdicts_are_those_of_the_book),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
