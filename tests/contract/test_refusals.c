/* test_refusals.c - what is refused is said in the user's own words: every encoding, every parameter, values at and beyond its ends and no
 * values at all, alone and in pairs, in both languages. If this fails, a user who typed partial_rotary_factor=0 reads of a rotary_dim that he
 * never heard of, or a typed nan passes as if nothing were said. */
#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/encoding.h"
#include "core/layer.h"
#include "scenario/scenario.h"

enum { MAX_VALUES = 32, MISTAKES_SHOWN = 40 };

struct typed { const char *key; char value[60]; };
static size_t n_mistakes, n_shown, n_refusals;

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does text hold the word by itself, not as a part of another name? */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[n]))
            return true;
    return false;
}

static void mistake(const char *encoding, const struct typed *t, size_t n, const char *said)
{
    static char last[512];
    n_mistakes++;
    if (strcmp(last, said) && n_shown++ < MISTAKES_SHOWN)
        print_error("%s, %s=%s%s%s%s%s: %s\n", encoding, t[0].key, t[0].value, n > 1 ? ", " : "", n > 1 ? t[1].key : "", n > 1 ? "=" : "",
                    n > 1 ? t[1].value : "", said);
    snprintf(last, sizeof last, "%s", said);
}

/* Sets the parameters in turn and opens the layer; what is refused must name one that was set. */
static void try(const char *encoding, const struct scenario *plain, const struct typed *t, size_t n)
{
    struct scenario s;
    struct err err = {.lang = plain->lang};
    scenario_copy(&s, plain);
    bool good = true, named = false;
    for (size_t i = 0; i < n && good; i++)
        good = scenario_set(&s, t[i].key, t[i].value, &err);
    struct layer *layer = good ? scenario_layer(&s, &err) : NULL;
    for (size_t i = 0; i < n; i++)
        named = named || has_word(err.text, t[i].key);
    if (!layer && !named)
        mistake(encoding, t, n, err.text);
    n_refusals += !layer;
    layer_close(layer);
    scenario_done(&s);
}

static size_t add(struct typed *out, size_t n, const char *key, const char *value)
{
    out[n].key = key;
    snprintf(out[n].value, sizeof out[n].value, "%s", value);
    return n + 1;
}

static size_t add_number(struct typed *out, size_t n, const char *key, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", x);
    return add(out, n, key, text);
}

/* Values worth trying together with others. */
static size_t some_values(const struct param *p, struct typed *out)
{
    size_t n = 0;
    switch (p->type) {
    case PARAM_CHOICE:
        for (size_t i = 0; p->choices[i] && n < MAX_VALUES; i++)
            n = add(out, n, p->name, p->choices[i]);
        break;
    case PARAM_BOOL:
        n = add(out, n, p->name, "true");
        n = add(out, n, p->name, "false");
        break;
    case PARAM_TABLE:
        n = add(out, n, p->name, "/nonexistent");
        break;
    case PARAM_LIST:
        n = add(out, n, p->name, "1");
        n = add(out, n, p->name, "1,2,3");
        n = add(out, n, p->name, "2,2,2,2");
        break;
    default:
        n = add_number(out, n, p->name, p->min);
        n = add_number(out, n, p->name, fmin(p->max, 3));
        n = add_number(out, n, p->name, fmin(p->max, 6));
        break;
    }
    return n;
}

/* Values worth trying alone: those, and what is none. */
static size_t all_values(const struct param *p, struct typed *out)
{
    static const char *const odd[] = {"", "none", "nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "-1", "0", "-0", "0.5", "1.5", "abc", "1,2", ",", "0x10",
                                      "\x1b[31m\xff", "true"};
    size_t n = some_values(p, out);
    for (size_t i = 0; i < sizeof odd / sizeof *odd && n < 2 * MAX_VALUES; i++)
        n = add(out, n, p->name, odd[i]);
    return n;
}

/* The encoding's parameters and those of the shape. */
static size_t params_of(const struct scenario *s, const struct param *out[])
{
    struct param_ref refs[200];
    size_t all = scenario_params(s, refs, 200), n = 0;
    for (size_t i = 0; i < all; i++)
        if (refs[i].owner == OWNER_ENCODING || (refs[i].owner == OWNER_SCENARIO && refs[i].index <= GENERAL_D_MODEL))
            out[n++] = refs[i].param;
    return n;
}

static void try_encoding(const struct encoding *kind, enum lang lang)
{
    struct scenario s;
    const struct param *param[200];
    struct typed a[2 * MAX_VALUES], b[2 * MAX_VALUES];
    scenario_init(&s);
    s.lang = lang;
    assert_true(scenario_set_encoding(&s, kind->id, NULL));
    assert_true(scenario_set(&s, "n", "8", NULL));
    size_t n = params_of(&s, param);
    for (size_t i = 0; i < n; i++) {
        size_t n_a = all_values(param[i], a);
        for (size_t k = 0; k < n_a; k++)
            try(kind->id, &s, &a[k], 1);
        n_a = some_values(param[i], a);
        for (size_t j = 0; j < n; j++) {
            size_t n_b = j == i ? 0 : some_values(param[j], b);
            for (size_t k = 0; k < n_a * n_b; k++)
                try(kind->id, &s, (struct typed[]){a[k / n_b], b[k % n_b]}, 2);
        }
    }
    scenario_done(&s);
}

static void refusals_name_what_was_set(void **state)
{
    (void)state;
    for (enum lang lang = 0; lang < LANG_COUNT; lang++)
        for (size_t i = 0; encodings[i]; i++)
            try_encoding(encodings[i], lang);
    assert_true(n_refusals > 1000);
    if (n_mistakes)
        fail_msg("%zu of %zu refusals name nothing that was set", n_mistakes, n_refusals);
}

/* A number that is none is not taken for "not given", and what was typed is what is quoted. */
static void no_number_is_no_value(void **state)
{
    (void)state;
    static const char *const none[] = {"nan", "-nan", "inf", "1e999", "-1e999", "NAN(1)"};
    for (size_t i = 0; encodings[i]; i++) {
        for (size_t p = 0; p < encodings[i]->n_params; p++) {
            const struct param *param = &encodings[i]->params[p];
            for (size_t k = 0; k < sizeof none / sizeof *none && param->type <= PARAM_REAL; k++) {
                struct value v;
                struct err err = {.lang = LANG_EN};
                assert_false(param_parse(param, none[k], &v, &err));
                assert_true(has_word(err.text, param->name));
                assert_non_null(strstr(err.text, none[k]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_name_what_was_set),
        cmocka_unit_test(no_number_is_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
