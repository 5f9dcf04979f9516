/* The wizard's rules against its own specification: if a weight, a constraint, a tie or a rule is applied wrongly, the user is
 * recommended a scheme that the evidence does not support, with reasons that look right. Expected values: the data's own check
 * values (made by two other implementations), and numbers worked out by hand where the comments say so. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/encoding.h"
#include "json/preset.h"
#include "wizard/wizard.h"

static const struct book *book;

static struct json *data(void)
{
    const struct preset *p = presets;
    while (strcmp(p->id, "wizard"))
        p++;
    return json_parse(p->text, p->size, NULL);
}

static int open_book(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    book = wizard_book(&err);
    if (!book)
        print_error("%s\n", err.text);
    return book ? 0 : -1;
}

/* A walk from its text; the test fails if it is not accepted. */
static struct walk walk_of(const char *text)
{
    struct walk w;
    struct err err = {.lang = LANG_EN};
    if (!walk_from_text(book, &w, text, &err) || !walk_settle(book, &w, &err))
        fail_msg("%s: %s", text, err.text);
    return w;
}

static const char *winner_of(const struct book *b, const struct walk *w)
{
    struct ranking r;
    wizard_rank(b, w, &r);
    return b->scheme[r.row[0].scheme].id;
}

/* ---- situations ---------------------------------------------------------------------------------------- */

static void document_mode_says_what_the_guide_says(void **state)
{
    (void)state;
    static const struct { const char *answer, *scheme, *label; } guide[] = {
        {"doc_scenario=S1", "rope", "RoPE旋转位置编码"}, {"doc_scenario=S2", "alibi", "ALiBi位置编码"},
        {"doc_scenario=S3", "learned", "可学习绝对位置编码"}, {"doc_scenario=S4", "t5_bias", "相对位置编码变体（T5 风格）"},
        {"doc_scenario=S5", "txl", "Transformer-XL + 相对位置编码"}, {"doc_case=C1", "learned", "可学习绝对位置编码"},
        {"doc_case=C2", "rope", "RoPE"}, {"doc_case=C3", "t5_bias", "相对位置编码"},
        {"doc_case=C4", "deberta", "改进的相对位置编码（如DeBERTa中的解耦位置编码）"},
        {"doc_consider=K1", "learned", "绝对位置编码（按场景3取可学习）"}, {"doc_consider=K2", "alibi", "RoPE、ALiBi（按场景2取 ALiBi）"},
        {"doc_consider=K3", "rope", "RoPE"}, {"doc_consider=K4", "rope", "RoPE"},
    };
    assert_int_equal(book->n_situations, sizeof guide / sizeof *guide);
    for (size_t i = 0; i < book->n_situations; i++) {
        struct walk w = walk_of(guide[i].answer);
        struct json *j = wizard_json(book, &w, NULL);
        const struct json *r = json_get(j, "recommendation");
        assert_string_equal(json_string(json_get(j, "branch")), "document");
        assert_string_equal(json_string(json_get(r, "scheme")), guide[i].scheme);
        assert_string_equal(json_string(json_get(r, "label_zh")), guide[i].label);
        json_free(j);
    }
}

static void presets_rank_as_the_data_says(void **state)
{
    (void)state;
    struct json *j = data();
    size_t i = 0;
    for (const struct json *s = json_first(json_get(j, "scenarios")); s; s = json_next(s), i++) {
        struct ranking r;
        wizard_rank(book, &book->situation[i].preset, &r);
        assert_string_equal(book->scheme[r.row[0].scheme].id, json_string(json_get(s, "evidence_expected")));
        assert_int_equal(r.close, json_bool(json_get(s, "close_call"), false));
        assert_int_equal(book->situation[i].agrees, r.row[0].scheme == book->situation[i].scheme);
        size_t k = 0;
        for (const struct json *row = json_first(json_get(s, "evidence_ranking")); row; row = json_next(row), k++) {
            assert_string_equal(book->scheme[r.row[k].scheme].id, json_string(json_get(row, "scheme")));
            assert_true(r.row[k].points == json_number(json_get(row, "points"), -1));
            assert_true(fabs(r.row[k].percent - json_number(json_get(row, "percent"), -1)) <= 0.05 + 1e-9);
        }
        assert_int_equal(k, 4);
    }
    assert_int_equal(i, 13);
    json_free(j);
}

/* S1 by hand: base quality 2 stability 1 cost 1 kernel 1 simple 1 adopt 2, general adds quality 1 and adopt 1, fused kernel 3:
 * weights 3 1 1 4 1 3 = 13; rope scores 4 4 3 4 3 4: 12 + 4 + 3 + 16 + 3 + 12 = 50 of 52. */
static void one_ranking_by_hand(void **state)
{
    (void)state;
    struct ranking r;
    struct walk w = walk_of("start=new arch=decoder task=general length=never compute=fused taste=balanced lang=one");
    wizard_rank(book, &w, &r);
    assert_true(r.weight_sum == 13);
    assert_true(r.row[0].points == 50);
    assert_true(fabs(r.row[0].percent - 100 * 50.0 / 52) < 1e-12);
    int reason[3];
    assert_int_equal(ranking_reasons(book, &r, r.row[0].scheme, reason, 3), 3);
    assert_string_equal(book->criterion[reason[0]].id, "kernel");
    assert_string_equal(book->criterion[reason[1]].id, "quality");
    assert_string_equal(book->criterion[reason[2]].id, "adopt");
}

/* ---- all paths ----------------------------------------------------------------------------------------- */

struct count { const char *id; int n; };
struct tally { struct count of[32]; size_t n; int total; unsigned constraints, overrides, ties; };

static void count_one(struct tally *t, const char *id)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->of[i].id, id))
        i++;
    if (i == t->n)
        t->of[t->n++] = (struct count){id, 0};
    t->of[i].n++;
    t->total++;
}

static void count_result(struct tally *t, const struct walk *w)
{
    if (walk_branch(book, w) == BRANCH_CHECKPOINT) {
        int rule = wizard_rule(book, w);
        assert_true(rule >= 0);
        count_one(t, book->rule[rule].id);
        return;
    }
    struct ranking r;
    wizard_rank(book, w, &r);
    count_one(t, book->scheme[r.row[0].scheme].id);
    t->overrides |= r.overrides;
    t->ties |= 1u << r.tie_rule;
    for (size_t s = 0; s < book->n_schemes; s++)
        t->constraints |= r.removed_by[s];
}

static void visit(struct tally *t, const struct walk *w)
{
    int next = walk_next(book, w);
    if (next == WIZARD_DONE)
        count_result(t, w);
    for (size_t a = 0; next != WIZARD_DONE && a < book->question[next].n_answers; a++) {
        struct walk other = *w;
        other.answer[next] = (signed char)a;
        visit(t, &other);
    }
}

static struct tally tally_of(const char *start, const char *expected)
{
    struct tally t = {0};
    struct walk w;
    walk_init(&w);
    assert_true(walk_answer(book, &w, "start", start, NULL));
    visit(&t, &w);
    struct json *j = data();
    const struct json *counts = json_get(json_get(j, "path_counts"), expected);
    assert_int_equal(t.n, json_size(counts));
    for (size_t i = 0; i < t.n; i++)
        assert_int_equal(t.of[i].n, (int)json_number(json_get(counts, t.of[i].id), -1));
    json_free(j);
    return t;
}

static void every_evidence_path_has_its_winner(void **state)
{
    (void)state;
    struct tally t = tally_of("new", "evidence");
    assert_int_equal(t.total, 12654);
    assert_int_equal(t.constraints, (1u << book->n_constraints) - 1);      /* each removes something somewhere */
    assert_int_equal(t.overrides, (1u << book->n_overrides) - 1);
    assert_true(t.ties & 2);
}

static void every_checkpoint_path_has_its_rule(void **state)
{
    (void)state;
    struct tally t = tally_of("checkpoint", "checkpoint");
    assert_int_equal(t.total, 93);
    assert_int_equal(t.n, 18);
}

static void path_lengths(void **state)
{
    (void)state;
    static const struct { const char *text; int least, most; } spans[] = {
        {"start=guide", 3, 3}, {"start=new", 7, 9}, {"start=checkpoint", 3, 6}, {"start=new arch=vision length=never", 7, 7},
        {"start=new arch=decoder length=x2", 9, 9},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        int least, most;
        struct walk w = walk_of(spans[i].text);
        walk_span(book, &w, &least, &most);
        assert_int_equal(least, spans[i].least);
        assert_int_equal(most, spans[i].most);
    }
}

/* ---- firmness ------------------------------------------------------------------------------------------ */

/* A copy of the book whose scores may be changed; free its cells. */
static struct book changeable(void)
{
    struct book b = *book;
    size_t n = b.n_schemes * b.n_criteria;
    b.cell = xcalloc(n, sizeof *b.cell);
    memcpy(b.cell, book->cell, n * sizeof *b.cell);
    return b;
}

/* Every cell one point up and down, inside 0..4: how often the winner changes. */
static void count_flips(const struct situation *s, const char *expected, int *tried, int *flips)
{
    struct book b = changeable();
    *tried = *flips = 0;
    for (size_t c = 0; c < b.n_schemes * b.n_criteria; c++)
        for (int step = -1; step <= 1; step += 2) {
            double score = book->cell[c].score + step;
            if (score < 0 || score > WIZARD_MAX_SCORE)
                continue;
            b.cell[c].score = score;
            ++*tried;
            *flips += strcmp(winner_of(&b, &s->preset), expected) != 0;
            b.cell[c].score = book->cell[c].score;
        }
    free(b.cell);
}

static void flips_under_one_point(void **state)
{
    (void)state;
    struct json *j = data();
    size_t i = 0;
    for (const struct json *s = json_first(json_get(j, "scenarios")); s; s = json_next(s), i++) {
        const struct json *expected = json_get(s, "sensitivity");
        int tried, flips;
        count_flips(&book->situation[i], json_string(json_get(s, "evidence_expected")), &tried, &flips);
        assert_int_equal(tried, (int)json_number(json_get(expected, "one_point_changes"), -1));
        assert_int_equal(flips, (int)json_number(json_get(expected, "flips"), -1));
    }
    json_free(j);
}

/* ---- ties and weights ---------------------------------------------------------------------------------- */

static void preset_k2_is_a_tie_for_the_first_rule(void **state)
{
    (void)state;
    struct ranking r;
    wizard_rank(book, &book_situation(book, "K2")->preset, &r);
    assert_true(r.row[0].points == 57 && r.row[1].points == 57);
    assert_int_equal(r.tie_rule, 1);
    assert_true(r.close);
    assert_string_equal(book->scheme[r.row[0].scheme].id, "hybrid");
    assert_string_equal(book->scheme[r.row[1].scheme].id, "rope_scaled");
}

/* Two schemes far ahead of all others, equal but for one criterion against another. */
static void each_tie_rule_decides(void **state)
{
    (void)state;
    static const struct { const char *plus, *against; double by_plus, by_against; const char *winner; int rule; } cases[] = {
        {"quality", "adopt", 1, 5, "sinusoidal", 1},        /* 5 x 1 = 1 x 5: the heaviest criterion decides */
        {"adopt", "simple", 1, 1, "sinusoidal", 2},
        {"simple", "cost", 1, 1, "sinusoidal", 3},
        {"cost", "cost", 1, 1, "learned", 4},               /* equal in all: the fixed order */
    };
    struct book b = changeable();
    struct walk w = walk_of("start=new weight.quality=5 weight.adopt=1 weight.simple=1 weight.cost=1 weight.kernel=0 "
                            "weight.stability=0");
    size_t n = b.n_criteria, learned = (size_t)book_scheme(&b, "learned"), sinusoidal = (size_t)book_scheme(&b, "sinusoidal");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ranking r;
        for (size_t c = 0; c < b.n_schemes * n; c++)
            b.cell[c].score = c / n == learned || c / n == sinusoidal ? 20 : 0;
        b.cell[sinusoidal * n + (size_t)book_criterion(&b, cases[i].plus)].score += cases[i].by_plus;
        b.cell[learned * n + (size_t)book_criterion(&b, cases[i].against)].score += cases[i].by_against;
        wizard_rank(&b, &w, &r);
        assert_true(r.row[0].points == r.row[1].points);
        assert_string_equal(b.scheme[r.row[0].scheme].id, cases[i].winner);
        assert_int_equal(r.tie_rule, cases[i].rule);
    }
    free(b.cell);
}

static void your_weights_replace_and_reset(void **state)
{
    (void)state;
    struct ranking r;
    struct walk w = book_situation(book, "S1")->preset, before = w;
    assert_true(walk_weight(book, &w, "kernel", 0, NULL));
    wizard_rank(book, &w, &r);
    assert_true(r.weight[book_criterion(book, "kernel")] == 0);
    assert_true(r.weight_sum == 9);
    assert_false(walk_same(&w, &before));
    w.weight[book_criterion(book, "kernel")] = NAN;
    assert_true(walk_same(&w, &before));
    struct err err = {.lang = LANG_EN};
    assert_false(walk_weight(book, &w, "kernel", -1, &err));
    assert_non_null(strstr(err.text, "between 0 and 100"));
    for (size_t c = 0; c < book->n_criteria; c++)
        assert_true(walk_weight(book, &w, book->criterion[c].id, 0, NULL));
    wizard_rank(book, &w, &r);                          /* nothing counts: no percent, the fixed order */
    assert_true(r.row[0].percent == 0);
    assert_int_equal(r.tie_rule > 0, 1);
}

static void the_floor_holds(void **state)
{
    (void)state;
    struct ranking r;
    struct book changed = *book;
    struct criterion criterion[BOOK_MAX_CRITERIA];
    memcpy(criterion, book->criterion, book->n_criteria * sizeof *criterion);
    criterion[book_criterion(book, "adopt")].base = 0;
    changed.criterion = criterion;
    struct walk w = walk_of("start=new taste=newer");
    wizard_rank(&changed, &w, &r);
    assert_true(r.weight[book_criterion(book, "adopt")] == 0);     /* 0 - 1 stays 0 */
}

/* ---- what would change it ------------------------------------------------------------------------------ */

static void one_other_answer(void **state)
{
    (void)state;
    struct change change[WIZARD_MAX_CHANGES];
    const struct situation *s = book_situation(book, "S2");
    size_t n = wizard_changes(book, &s->preset, change);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        const struct question *q = &book->question[change[i].question];
        struct walk other = s->preset;
        other.answer[change[i].question] = (signed char)change[i].answer;
        assert_string_equal(winner_of(book, &other), book->scheme[change[i].winner].id);
        assert_true(change[i].winner != book_scheme(book, "alibi"));
        found |= !strcmp(q->id, "beyond") && !strcmp(q->answer[change[i].answer].id, "far")
              && change[i].winner == book_scheme(book, "hybrid");
        assert_true(strcmp(q->id, "lang") != 0);        /* it carries no weight */
    }
    assert_true(found);
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

static bool is_asked(const struct walk *w, int question)
{
    signed char given[BOOK_MAX_QUESTIONS];
    bool asked[BOOK_MAX_QUESTIONS];
    walk_given(book, w, given, asked);
    return asked[question];
}

static void negation_is_false_when_not_asked(void **state)
{
    (void)state;
    struct walk w;
    int task = book_question(book, "task");
    walk_init(&w);
    assert_true(walk_answer(book, &w, "start", "new", NULL));
    assert_false(is_asked(&w, task));           /* arch!=vision, arch open */
    assert_true(walk_answer(book, &w, "arch", "decoder", NULL));
    assert_true(is_asked(&w, task));
    assert_true(walk_answer(book, &w, "arch", "vision", NULL));
    assert_false(is_asked(&w, task));
}

static void stale_answers_do_not_count(void **state)
{
    (void)state;
    struct ranking with, without;
    struct walk w = book_situation(book, "S5")->preset, fresh;
    assert_true(walk_answer(book, &w, "length", "never", NULL));
    fresh = w;
    fresh.answer[book_question(book, "beyond")] = fresh.answer[book_question(book, "budget")] = -1;
    wizard_rank(book, &w, &with);
    wizard_rank(book, &fresh, &without);
    assert_memory_equal(with.weight, without.weight, sizeof with.weight);
    struct err err = {.lang = LANG_EN};
    assert_false(walk_check(book, &w, &err));           /* but a command line that gives them is told so */
    assert_non_null(strstr(err.text, "beyond"));
    assert_non_null(strstr(err.text, "length!=never"));
}

static void answers_presuppose_their_branch(void **state)
{
    (void)state;
    struct walk w = walk_of("doc_scenario=S4");
    assert_int_equal(walk_branch(book, &w), BRANCH_DOCUMENT);
    assert_int_equal(walk_next(book, &w), WIZARD_DONE);
    w = walk_of("ck_scheme=alibi ck_ratio=s8");
    assert_int_equal(walk_branch(book, &w), BRANCH_CHECKPOINT);
    assert_string_equal(book->rule[wizard_rule(book, &w)].id, "R15");
    struct err err = {.lang = LANG_EN};
    assert_true(walk_from_text(book, &w, "start=guide arch=decoder", &err));
    assert_false(walk_settle(book, &w, &err));
    assert_non_null(strstr(err.text, "arch"));
}

static void wrong_answers_are_told_what_is_allowed(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct walk w;
    walk_init(&w);
    assert_false(walk_answer(book, &w, "arch", "rnn", &err));
    assert_string_equal(err.text, "arch = \"rnn\": must be one of decoder, encoder, encdec, vision");
    assert_false(walk_answer(book, &w, "kind", "x", &err));
    assert_non_null(strstr(err.text, "ck_budget"));
    assert_false(walk_from_text(book, &w, "arch", &err));
    assert_false(walk_from_text(book, &w, "trained=long", &err));
}

static void lengths_choose_the_ratio(void **state)
{
    (void)state;
    static const struct { double trained, target; const char *answer; } ratios[] = {
        {4096, 4096, "s1"}, {4096, 100, "s1"}, {4096, 4097, "s2"}, {4096, 8192, "s2"}, {4096, 8193, "s8"}, {4096, 32768, "s8"},
        {4096, 131072, "s32"}, {4096, 131073, "s512"}, {1, 1e9, "s512"},
    };
    int q = book_question(book, "ck_ratio");
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        struct walk w;
        walk_init(&w);
        assert_true(walk_lengths(book, &w, ratios[i].trained, ratios[i].target, NULL));
        assert_string_equal(book->question[q].answer[w.answer[q]].id, ratios[i].answer);
    }
}

static void lengths_must_make_sense(void **state)
{
    (void)state;
    struct walk w;
    struct err err = {.lang = LANG_EN};
    assert_true(walk_from_text(book, &w, "start=checkpoint ck_scheme=rope ck_ratio=s2 trained=4096 target=65536", &err));
    assert_false(walk_settle(book, &w, &err));
    assert_non_null(strstr(err.text, "s32"));
    walk_init(&w);
    assert_false(walk_lengths(book, &w, 0, 10, &err));
    assert_false(walk_lengths(book, &w, 10, NAN, &err));
    assert_true(walk_from_text(book, &w, "start=checkpoint trained=4096", &err));
    assert_false(walk_settle(book, &w, &err));          /* one length alone */
    assert_true(walk_from_text(book, &w, "start=checkpoint rotary_dim=63", &err));
    assert_false(walk_settle(book, &w, &err));
    assert_true(walk_from_text(book, &w, "start=checkpoint base=0", &err));
    assert_false(walk_settle(book, &w, &err));
}

static void expect_same_report(const struct walk *w, const struct walk *again)
{
    struct json *j = wizard_json(book, w, NULL), *k = wizard_json(book, again, NULL);
    char *one = json_print(j, true), *two = json_print(k, true);
    assert_string_equal(one, two);
    free(one);
    free(two);
    json_free(j);
    json_free(k);
}

static void saved_walks_load_again(void **state)
{
    (void)state;
    static const char *const walks[] = {
        "start=new arch=decoder task=longdoc length=more beyond=far budget=short compute=fused taste=balanced lang=one "
        "weight.far=2.5",
        "start=new arch=vision", "doc_case=C4",
        "start=checkpoint ck_scheme=rope trained=4096 target=131072 ck_family=other ck_budget=short ck_short=no base=500000 "
        "rotary_dim=64",
    };
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        struct walk w = walk_of(walks[i]), again, from_text;
        char text[512];
        struct err err = {.lang = LANG_EN};
        struct json *j = wizard_json(book, &w, NULL);
        char *printed = json_print(j, true);
        struct json *read = json_parse(printed, strlen(printed), NULL);
        if (!walk_from_json(book, &again, read, &err))
            fail_msg("%s", err.text);
        expect_same_report(&w, &again);
        assert_true(walk_from_text(book, &from_text, walk_to_text(book, &w, text, sizeof text), NULL));
        assert_true(walk_same(&w, &from_text));
        free(printed);
        json_free(j);
        json_free(read);
    }
}

static void unusable_saved_walks_are_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *message; } bad[] = {
        {"{}", "answers"}, {"{\"answers\": {\"arch\": \"rnn\"}}", "arch"}, {"{\"answers\": {\"arch\": 3}}", "arch"},
        {"{\"answers\": {}, \"your_weights\": {\"far\": -2}}", "far"}, {"{\"answers\": {}, \"trained\": 5}", "both"},
        {"{\"answers\": {\"beyond\": \"far\", \"length\": \"never\"}}", "beyond"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct walk w;
        struct err err = {.lang = LANG_EN};
        struct json *j = json_parse(bad[i].text, strlen(bad[i].text), NULL);
        assert_false(walk_from_json(book, &w, j, &err));
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s: \"%s\"", bad[i].text, err.text);
        json_free(j);
    }
}

/* ---- the checkpoint's numbers -------------------------------------------------------------------------- */

static double factor(const struct factors *f, const char *id)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->factor[i].id, id))
            return f->factor[i].value;
    fail_msg("no factor %s", id);
    return NAN;
}

static struct factors factors_of(const char *text)
{
    struct walk w = walk_of(text);
    struct factors f;
    struct err err = {.lang = LANG_EN};
    if (!wizard_factors(book, &w, &f, &err))
        fail_msg("%s: %s", text, err.text);
    return f;
}

static struct factors stretched(double s, double base, double d)
{
    char text[256];
    snprintf(text, sizeof text, "ck_scheme=rope ck_family=other ck_budget=short ck_short=little trained=4096 target=%g "
             "base=%g rotary_dim=%g",
             4096 * s, base, d);
    return factors_of(text);
}

static double at(const struct json *test, const char *key)
{
    return json_number(json_get(test, key), NAN);
}

static void computed_factors_are_the_published_ones(void **state)
{
    (void)state;
    struct json *j = data();
    const struct json *tests = json_get(json_get(j, "checkpoint"), "factor_tests");
    int n = 0;
    for (const struct json *t = json_first(json_get(tests, "ntk_base")); t; t = json_next(t), n++) {
        struct factors f = stretched(at(t, "s"), at(t, "b"), at(t, "d"));
        assert_true(fabs(factor(&f, "ntk_base") - at(t, "expect")) < 0.06);
    }
    for (const struct json *t = json_first(json_get(tests, "yarn_mscale")); t; t = json_next(t), n++) {
        struct factors f = stretched(at(t, "s"), 1e4, 128);
        assert_true(fabs(factor(&f, "yarn_attention_factor") - at(t, "expect")) < 6e-5);
        assert_true(fabs(factor(&f, "yarn_logit_factor") - at(t, "expect") * at(t, "expect")) < 2e-4);
    }
    for (const struct json *t = json_first(json_get(tests, "longrope_attention")); t; t = json_next(t), n++) {
        struct factors f = stretched(at(t, "s"), 1e4, 128);
        assert_true(fabs(factor(&f, "longrope_attention_factor") - at(t, "expect")) < 6e-5);
    }
    assert_int_equal(n, 20);
    json_free(j);
}

static void bands_and_turns(void **state)
{
    (void)state;
    /* YaRN, d 128, base 10 000, L 4 096: pairs 0-20 untouched, 46-63 divided: 21, 25, 18. */
    struct factors f = factors_of("ck_scheme=rope ck_family=other ck_budget=short ck_short=no trained=4096 target=16384");
    assert_true(factor(&f, "yarn_kept") == 21 && factor(&f, "yarn_blended") == 25 && factor(&f, "yarn_divided") == 18);
    assert_true(factor(&f, "factor") == 4);
    assert_string_equal(f.write, "{\"rope_type\": \"yarn\", \"factor\": 4, \"original_max_position_embeddings\": 4096}");
    /* Dynamic NTK, factor 4 at l = 4 L: 10 000 (4 x 4 - 3)^(128/126). */
    assert_true(fabs(factor(&f, "dynamic_base") / (1e4 * pow(13, 128.0 / 126)) - 1) < 1e-12);
    /* Llama 3.1: 29 kept, 6 blended, 29 divided. */
    f = factors_of("ck_scheme=rope ck_family=llama31 ck_short=no trained=8192 target=131072");
    assert_true(factor(&f, "llama3_kept") == 29 && factor(&f, "llama3_blended") == 6 && factor(&f, "llama3_divided") == 29);
    assert_true(factor(&f, "unfinished_pairs") == 29);
    f = factors_of("ck_scheme=rope ck_family=qwen ck_short=no trained=32768 target=131072");
    assert_true(factor(&f, "unfinished_pairs") == 24 && factor(&f, "factor") == 4);
    f = factors_of("ck_scheme=rope ck_family=other ck_budget=none ck_short=no trained=2048 target=4096");
    assert_true(factor(&f, "unfinished_pairs") == 23);
    assert_string_equal(f.write, "{\"rope_type\": \"dynamic\", \"factor\": 2}");
    /* DeepSeek-V3 ships factor 40 with equal mscales: 1 on q and k, (0.1 ln 40 + 1)^2 on the softmax. */
    f = factors_of("ck_scheme=rope ck_family=deepseek ck_short=no trained=4096 target=131072");
    assert_true(factor(&f, "factor") == 40 && fabs(factor(&f, "yarn_attention_factor") - 1) < 1e-12);
    assert_true(fabs(factor(&f, "yarn_logit_factor") - pow(0.1 * log(40) + 1, 2)) < 1e-12);
}

static void nothing_to_compute_without_lengths(void **state)
{
    (void)state;
    struct factors f = factors_of("ck_scheme=rope ck_ratio=s8 ck_family=other ck_budget=short ck_short=no");
    assert_int_equal(f.n, 0);
    f = factors_of("ck_scheme=alibi trained=2048 target=8192");
    assert_int_equal(f.n, 1);
    assert_true(factor(&f, "ratio") == 4);
}

static void short_inputs_are_guarded(void **state)
{
    (void)state;
    struct walk w = walk_of("ck_scheme=rope ck_ratio=s8 ck_family=other ck_budget=short ck_short=no");
    assert_true(wizard_short_rule(book, &w));
    w = walk_of("ck_scheme=rope ck_ratio=s8 ck_family=other ck_budget=short ck_short=little");
    assert_false(wizard_short_rule(book, &w));
    w = walk_of("ck_scheme=alibi ck_ratio=s8");
    assert_false(wizard_short_rule(book, &w));
}

/* ---- honesty of the data ------------------------------------------------------------------------------- */

static void must_be_cited(const char *what, struct words text, const struct evidence *e)
{
    const char *en = text.in[LANG_EN];
    if (en[strcspn(en, "0123456789")] && (e->n == 0 || !e->via))
        fail_msg("%s: a figure without a source: %s", what, en);
    for (size_t i = 0; i < e->n; i++)
        if (!e->source[i]->via || !e->source[i]->locator[0])
            fail_msg("%s: %s does not say where or how it was checked", what, e->source[i]->id);
}

static void every_figure_has_source_and_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < book->n_schemes * book->n_criteria; i++) {
        must_be_cited("cell", book->cell[i].reason, &book->cell[i].evidence);
        assert_int_equal(book->cell[i].evidence.unverified, strstr(book->cell[i].reason.in[LANG_EN], "unverified") != NULL);
    }
#define ALL(array, n, id, text) \
    for (size_t i = 0; i < book->n; i++) \
        must_be_cited(book->array[i].id, book->array[i].text, &book->array[i].evidence)
    ALL(claim, n_claims, id, found);
    ALL(constraint, n_constraints, id, reason);
    ALL(override, n_overrides, id, reason);
    ALL(situation, n_situations, id, note);
    ALL(method, n_methods, id, measured);
    ALL(rule, n_rules, id, text);
    ALL(trend, n_trends, id, measured);
    ALL(measurement, n_measurements, id, title);
    ALL(model, n_models, name, detail);
#undef ALL
    for (size_t i = 0; i < book->n_measurements; i++)
        assert_true(book->measurement[i].evidence.n > 0 && book->measurement[i].evidence.via);
    must_be_cited("short inputs", book->short_rule.measured, &book->short_rule.evidence);
}

static void verdicts_are_counted(void **state)
{
    (void)state;
    int count[VERDICT_COUNT] = {0};
    for (size_t i = 0; i < book->n_claims; i++)
        count[book->claim[i].verdict]++;
    assert_int_equal(book->n_claims, 43);
    assert_int_equal(count[VERDICT_SUPPORTED], 15);
    assert_int_equal(count[VERDICT_CONTESTED], 11);
    assert_int_equal(count[VERDICT_WRONG], 2);
    assert_int_equal(count[VERDICT_IMPRECISE], 11);
    assert_int_equal(count[VERDICT_UNVERIFIED], 4);
}

/* Claim G43: in all six rated rows of the guide's table RoPE is at least equal to relative. */
static void the_guides_table_favours_rope_everywhere(void **state)
{
    (void)state;
    int rated = 0;
    assert_int_equal(book->n_guide_rows, 7);
    for (size_t i = 0; i < book->n_guide_rows; i++)
        if (!isnan(book->guide_row[i].score[0])) {
            rated++;
            assert_true(book->guide_row[i].score[2] >= book->guide_row[i].score[1]);
        }
    assert_int_equal(rated, 6);
}

static void languages_did_not_count(void **state)
{
    (void)state;
    for (size_t q = 0; q < book->n_questions; q++)
        assert_int_equal(book->question[q].weightless, !strcmp(book->question[q].id, "lang"));
}

/* ---- broken data --------------------------------------------------------------------------------------- */

/* The data with one place of its text replaced must be refused with a message that names the place. */
static void broken(const char *from, const char *to, const char *message)
{
    struct json *j = data();
    char *text = json_print(j, false), *where = strstr(text, from);
    json_free(j);
    if (!where)
        fail_msg("the data has no %s", from);
    char *mutated = xasprintf("%.*s%s%s", (int)(where - text), text, to, where + strlen(from));
    struct err err = {.lang = LANG_EN};
    struct json *parsed = json_parse(mutated, strlen(mutated), NULL);
    assert_non_null(parsed);
    if (wizard_load(parsed, &err))
        fail_msg("%s: accepted", to);
    if (!strstr(err.text, message))
        fail_msg("%s: \"%s\" should say \"%s\"", to, err.text, message);
    free(text);
    free(mutated);
}

static void broken_data_names_its_place(void **state)
{
    (void)state;
    static const char score[] = "\"criterion\":\"quality\",\"score\":2", when[] = "\"when\":\"length!=never\"";
    broken(score, "\"criterion\":\"quality\",\"score\":5", "matrix[0].score: 5: must be between 0 and 4");
    broken(score, "\"criterion\":\"quality\",\"score\":1.5", "matrix[0].score: 1.5: must be a whole number");
    broken(score, "\"criterion\":\"quality\",\"score\":\"2\"", "matrix[0].score: is a string, must be a number");
    broken("\"criterion\":\"stability\",\"score\":3", "\"criterion\":\"quality\",\"score\":3",
           "matrix[1]: sinusoidal quality stands twice");
    broken(when, "\"when\":\"length=nevr\"", "hard_constraints[0].when: \"length=nevr\"");
    broken(when, "\"when\":\"lenth=never\"", "hard_constraints[0].when: \"lenth=never\"");
    broken(when, "\"when\":\"length in {never\"", "hard_constraints[0].when");
    broken(when, "\"when\":\"length=never &arch=encoder\"", "hard_constraints[0].when");
    broken(when, "\"when\":\"length=\"", "hard_constraints[0].when");
    broken(when, "\"when\":\"\"", "hard_constraints[0].when: is empty");
    broken("\"exclude\":[\"learned\"", "\"exclude\":[\"lerned\"", "hard_constraints[0].exclude: \"lerned\" is not known");
    broken("\"weights\":{\"short\":1}", "\"weights\":{\"shrt\":1}", "weights.shrt: \"shrt\" is not known");
    broken("\"cite\":[\"vaswani2017\"]", "\"cite\":[\"vaswani\"]", "\"vaswani\" is not known");
    broken("\"cite\":[\"vaswani2017\"]", "\"cite\":[]", "cite: 0 entries");
    broken("\"tie_order\":[\"rope\",", "\"tie_order\":[", "tie_order: 11 schemes: must name all 12");
    broken("\"tie_order\":[\"rope\",", "\"tie_order\":[\"alibi\",", "tie_order: \"alibi\" stands twice");
    broken("\"arch\":[\"G01\"]", "\"arch\":[\"G99\"]", "claims_by_question.arch: \"G99\" is not known");
    broken("\"arch\":[\"G01\"]", "\"arhc\":[\"G01\"]", "claims_by_question.arhc: \"arhc\" is not known");
    broken("\"verdict\":\"imprecise\"", "\"verdict\":\"perhaps\"", "guide_claims[0].verdict: \"perhaps\" is not known");
    broken("\"name_zh\":\"正弦绝对位置编码\"", "\"nom_zh\":\"\"", "schemes[0].name_zh: is missing");
    broken("\"ask_if\":\"doc_kind=case\"", "\"ask_if\":\"doc_kind=caze\"", "ask_if: \"doc_kind=caze\"");
    broken("\"ask_if\":\"start=new\"", "\"ask_if\":\"lang=one\"", "comes later");
    broken("\"evidence_preset\":{\"arch\":\"decoder\",", "\"evidence_preset\":{\"arch\":\"decodr\",",
           "scenarios[0].evidence_preset.arch");
    broken("\"evidence_preset\":{\"arch\":\"decoder\",\"task\":\"general\",", "\"evidence_preset\":{\"arch\":\"decoder\",",
           "leaves question \"task\" open");
    broken("\"id\":\"learned\"", "\"id\":\"sinusoidal\"", "schemes[1]: \"sinusoidal\" stands twice");
    broken("\"close_call_percent\":4", "\"close_call_percent\":-4", "scoring.close_call_percent: -4");
    broken("\"verified_via\":\"paper\",\"fact\"", "\"verified_via\":\"rumour\",\"fact\"",
           "citations[0].verified_via: \"rumour\" is not known");
    broken("\"series\":{\"sinusoidal\":[19.34,", "\"series\":{\"sinusoidal\":[",
           "measurements[0].series.sinusoidal: 8 values for 9 columns");
}

static void every_part_is_needed(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "meta", "schemes", "criteria", "matrix", "citations", "questions", "scoring", "claims_by_scheme", "claims_by_question",
        "hard_constraints", "score_overrides", "tie_order", "tie_rules", "guide_table", "scenarios", "checkpoint", "models",
        "trends",
        "guide_claims", "measurements", "computed_checks", "gaps",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct err err = {.lang = LANG_EN};
        struct json *j = data();
        json_free(json_detach(j, parts[i]));
        assert_null(wizard_load(j, &err));
        if (!strstr(err.text, parts[i]))
            fail_msg("without %s: \"%s\"", parts[i], err.text);
    }
    struct err err = {.lang = LANG_EN};
    assert_null(wizard_load(json_array(), &err));
    assert_non_null(strstr(err.text, "an object"));
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static void must_contain(char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("\"%s\" is missing in:\n%s", *parts, text);
    free(text);
}

/* One line a factor, and one for the base that they were computed with. */
static void markdown_lists_each_factor_once(void **state)
{
    (void)state;
    struct walk w = walk_of("ck_scheme=rope ck_family=other ck_budget=short ck_short=no trained=4096 target=65536");
    struct factors f;
    assert_true(wizard_factors(book, &w, &f, NULL) && f.n > 1);
    char *text = wizard_markdown(book, &w, LANG_EN, NULL), *at = strstr(text, "## Computed for your lengths\n\n");
    size_t n = 0;
    assert_non_null(at);
    for (at += strlen("## Computed for your lengths\n\n"); !strncmp(at, "- ", 2); at = strchr(at, '\n') + 1)
        n++;
    assert_int_equal(n, f.n + 1);
    free(text);
}

static void markdown_in_both_languages(void **state)
{
    (void)state;
    struct walk w = book_situation(book, "K2")->preset;
    must_contain(wizard_markdown(book, &w, LANG_EN, NULL),
                 (const char *const[]){"Hybrid: RoPE local + NoPE global layers", "close call", "67.9", "H1",
                                       "Gelberg et al. 2025",
                                       "did not count", "decided by", NULL});
    must_contain(wizard_markdown(book, &w, LANG_ZH, NULL),
                 (const char *const[]){"混合", "67.9", "H1", "Gelberg et al. 2025", "从哪里开始", NULL});
    w = walk_of("ck_scheme=rope ck_family=other ck_budget=short ck_short=no trained=4096 target=65536");
    must_contain(wizard_markdown(book, &w, LANG_EN, NULL),
                 (const char *const[]){"YaRN", "R8", "167198.", "1.277", "\"factor\": 16", "Peng et al. 2024", "## Sources\n\n- ", NULL});
    w = walk_of("ck_scheme=rope ck_ratio=s8 ck_family=other ck_budget=short ck_short=no");
    must_contain(wizard_markdown(book, &w, LANG_EN, NULL), (const char *const[]){"YaRN", "R8", "Give --trained and --target", NULL});
    w = walk_of("doc_scenario=S4");
    must_contain(wizard_markdown(book, &w, LANG_EN, NULL),
                 (const char *const[]){"`t5_bias`", "`rope_md`", "contested", "4.2-4", "| Extrapolation |",
                                       "very strong (contested)", NULL});
}

static void json_has_the_agreed_fields(void **state)
{
    (void)state;
    static const char *const fields[] = {"schema", "branch", "answers", "recommendation", "close_call", "ranking", "excluded",
                                         "reasons",
                                         "claims", "changes"};
    static const char *const walks[] = {"doc_scenario=S4", "ck_scheme=rope ck_family=other ck_budget=short ck_short=no trained=4096 target=65536",
        "start=new arch=decoder task=general length=never compute=fused taste=balanced lang=one"};
    for (size_t i = 0; i < 3; i++) {
        struct walk w = walk_of(walks[i]);
        struct json *j = wizard_json(book, &w, NULL);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            if (!json_get(j, fields[k]))
                fail_msg("%s: no %s", walks[i], fields[k]);
        assert_int_equal(json_get(j, "method") != NULL, i == 1);
        assert_null(json_get(j, "next"));
        json_free(j);
    }
}

/* What takes a scheme away, or turns a weight round, says by what evidence. */
static void json_cites_what_excludes(void **state)
{
    (void)state;
    static const char *const lists[] = {"excluded", "overrides"};
    size_t seen[2] = {0};
    for (size_t i = 0; i < book->n_situations; i++) {
        struct walk w = book->situation[i].preset;
        struct json *j = wizard_json(book, &w, NULL);
        for (size_t k = 0; k < 2; k++)
            for (const struct json *row = json_first(json_get(j, lists[k])); row; row = json_next(row), seen[k]++)
                assert_true(json_size(json_get(row, "cite")) > 0 && json_get(row, "verified_via") && json_get(row, "unverified"));
        json_free(j);
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    assert_null(book_situation(book, "Z9"));
}

static void an_incomplete_walk_names_the_next_question(void **state)
{
    (void)state;
    struct walk w = walk_of("start=new");
    struct json *j = wizard_json(book, &w, NULL);
    assert_string_equal(json_string(json_get(json_get(j, "next"), "question")), "arch");
    assert_int_equal(json_size(json_get(json_get(j, "next"), "answers")), 4);
    assert_int_equal(json_type(json_get(j, "recommendation")), JSON_NULL);
    json_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_mode_says_what_the_guide_says), cmocka_unit_test(presets_rank_as_the_data_says),
        cmocka_unit_test(one_ranking_by_hand), cmocka_unit_test(every_evidence_path_has_its_winner),
        cmocka_unit_test(json_cites_what_excludes), cmocka_unit_test(every_checkpoint_path_has_its_rule), cmocka_unit_test(path_lengths),
        cmocka_unit_test(flips_under_one_point),
        cmocka_unit_test(preset_k2_is_a_tie_for_the_first_rule), cmocka_unit_test(each_tie_rule_decides),
        cmocka_unit_test(your_weights_replace_and_reset), cmocka_unit_test(the_floor_holds), cmocka_unit_test(one_other_answer),
        cmocka_unit_test(negation_is_false_when_not_asked), cmocka_unit_test(stale_answers_do_not_count),
        cmocka_unit_test(answers_presuppose_their_branch), cmocka_unit_test(wrong_answers_are_told_what_is_allowed),
        cmocka_unit_test(lengths_choose_the_ratio), cmocka_unit_test(lengths_must_make_sense),
        cmocka_unit_test(saved_walks_load_again),
        cmocka_unit_test(unusable_saved_walks_are_refused), cmocka_unit_test(computed_factors_are_the_published_ones),
        cmocka_unit_test(bands_and_turns), cmocka_unit_test(nothing_to_compute_without_lengths),
        cmocka_unit_test(short_inputs_are_guarded), cmocka_unit_test(every_figure_has_source_and_status),
        cmocka_unit_test(verdicts_are_counted), cmocka_unit_test(the_guides_table_favours_rope_everywhere),
        cmocka_unit_test(languages_did_not_count), cmocka_unit_test(broken_data_names_its_place),
        cmocka_unit_test(every_part_is_needed), cmocka_unit_test(markdown_in_both_languages),
        cmocka_unit_test(markdown_lists_each_factor_once),
        cmocka_unit_test(json_has_the_agreed_fields), cmocka_unit_test(an_incomplete_walk_names_the_next_question),
    };
    return cmocka_run_group_tests(tests, open_book, NULL);
}
