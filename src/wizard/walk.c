/* walk.c - one user's answers: which question is asked, which comes next, reading and writing. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "wizard/wizard.h"

void walk_init(struct walk *w)
{
    memset(w->answer, -1, sizeof w->answer);
    for (size_t c = 0; c < BOOK_MAX_CRITERIA; c++)
        w->weight[c] = NAN;
    w->trained = w->target = w->base = w->rotary_dim = NAN;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool walk_same(const struct walk *a, const struct walk *b)
{
    for (size_t c = 0; c < BOOK_MAX_CRITERIA; c++)
        if (!same_number(a->weight[c], b->weight[c]))
            return false;
    return !memcmp(a->answer, b->answer, sizeof a->answer) && same_number(a->trained, b->trained)
        && same_number(a->target, b->target) && same_number(a->base, b->base) && same_number(a->rotary_dim, b->rotary_dim);
}

/* ---- what is asked ------------------------------------------------------------------------------------- */

/* Questions stand in the order of asking and ask only about earlier ones, so one pass settles all. */
void walk_given(const struct book *b, const struct walk *w, signed char given[BOOK_MAX_QUESTIONS],
                bool asked_out[BOOK_MAX_QUESTIONS])
{
    memset(given, -1, BOOK_MAX_QUESTIONS);
    enum branch branch = BRANCH_NONE;
    for (size_t i = 0; i < b->n_questions; i++) {
        const struct question *q = &b->question[i];
        bool asked = false;
        for (size_t k = 0; k < q->n_ask; k++)
            asked |= condition_holds(&q->ask[k], given);
        asked &= q->branch == BRANCH_NONE || q->branch == branch;
        if (asked)
            given[i] = w->answer[i];
        if (given[i] >= 0 && q->branch == BRANCH_NONE)
            branch = q->answer[given[i]].leads_to;
        if (asked_out)
            asked_out[i] = asked;
    }
}

int walk_next(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    bool asked[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, asked);
    for (size_t i = 0; i < b->n_questions; i++)
        if (asked[i] && given[i] < 0)
            return (int)i;
    return WIZARD_DONE;
}

enum branch walk_branch(const struct book *b, const struct walk *w)
{
    for (size_t i = 0; i < b->n_questions; i++)
        if (b->question[i].branch == BRANCH_NONE && w->answer[i] >= 0)
            return b->question[i].answer[w->answer[i]].leads_to;
    return BRANCH_NONE;
}

/* Does the answer decide what is asked later? */
static bool decides(const struct book *b, int question)
{
    if (b->question[question].branch == BRANCH_NONE)
        return true;
    for (size_t i = 0; i < b->n_questions; i++)
        for (size_t k = 0; k < b->question[i].n_ask; k++)
            for (size_t t = 0; t < b->question[i].ask[k].n; t++)
                if (b->question[i].ask[k].term[t].question == question)
                    return true;
    return false;
}

static int count_given(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    int n = 0;
    walk_given(b, w, given, NULL);
    for (size_t i = 0; i < b->n_questions; i++)
        n += given[i] >= 0;
    return n;
}

/* Tries every answer of an open question that decides, and one of the others. */
void walk_span(const struct book *b, const struct walk *w, int *least, int *most)
{
    int next = walk_next(b, w);
    if (next == WIZARD_DONE) {
        *least = *most = count_given(b, w);
        return;
    }
    *least = BOOK_MAX_QUESTIONS;
    *most = 0;
    size_t tries = decides(b, next) ? b->question[next].n_answers : 1;
    for (size_t a = 0; a < tries; a++) {
        struct walk other = *w;
        int fewest, longest;
        other.answer[next] = (signed char)a;
        walk_span(b, &other, &fewest, &longest);
        *least = fewest < *least ? fewest : *least;
        *most = longest > *most ? longest : *most;
    }
}

/* ---- answering ----------------------------------------------------------------------------------------- */

/* "a, b, c" of the ids that next gives until NULL. */
static void list_ids(char *out, size_t size, const void *array, size_t n, size_t stride)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 *(const char *const *)(const void *)((const char *)array + i * stride));
}

bool walk_answer(const struct book *b, struct walk *w, const char *question, const char *answer, struct err *err)
{
    char allowed[300];
    int i = book_question(b, question);
    if (i < 0) {
        list_ids(allowed, sizeof allowed, b->question, b->n_questions, sizeof *b->question);
        return err_set(err, N_("question \"%s\": must be one of %s"), question, allowed);
    }
    const struct question *q = &b->question[i];
    for (size_t a = 0; a < q->n_answers; a++)
        if (strcmp(q->answer[a].id, answer) == 0) {
            w->answer[i] = (signed char)a;
            return true;
        }
    list_ids(allowed, sizeof allowed, q->answer, q->n_answers, sizeof *q->answer);
    return err_set(err, N_("%s = \"%s\": must be one of %s"), question, answer, allowed);
}

bool walk_weight(const struct book *b, struct walk *w, const char *criterion, double weight, struct err *err)
{
    char allowed[300];
    int c = book_criterion(b, criterion);
    if (c < 0) {
        list_ids(allowed, sizeof allowed, b->criterion, b->n_criteria, sizeof *b->criterion);
        return err_set(err, N_("criterion \"%s\": must be one of %s"), criterion, allowed);
    }
    if (!(weight >= 0 && weight <= 100))
        return err_set(err, N_("weight of %s = %g: must be between 0 and 100"), criterion, weight);
    w->weight[c] = weight;
    return true;
}

/* The answer that a ratio of lengths stands for, -1: the question is not about lengths. */
static int answer_of_ratio(const struct question *q, double ratio)
{
    for (size_t a = 0; a < q->n_answers; a++)
        if (ratio <= q->answer[a].up_to)
            return (int)a;
    return -1;
}

bool walk_lengths(const struct book *b, struct walk *w, double trained, double target, struct err *err)
{
    const double length[] = {trained, target};
    for (size_t i = 0; i < 2; i++)
        if (!(length[i] >= 1 && length[i] <= 1e9))
            return err_set(err, i ? N_("target length %g: must be between 1 and 1e9 tokens")
                                  : N_("trained length %g: must be between 1 and 1e9 tokens"), length[i]);
    w->trained = trained;
    w->target = target;
    for (size_t i = 0; i < b->n_questions; i++) {
        int a = answer_of_ratio(&b->question[i], target / trained);
        if (a >= 0)
            w->answer[i] = (signed char)a;
    }
    return true;
}

/* Gives question its answer if it has none; true if that was new. */
static bool presuppose(struct walk *w, size_t question, size_t answer)
{
    bool open = w->answer[question] < 0;
    if (open)
        w->answer[question] = (signed char)answer;
    return open;
}

static bool presuppose_branch(const struct book *b, struct walk *w, enum branch branch)
{
    for (size_t i = 0; i < b->n_questions; i++)
        for (size_t a = 0; b->question[i].branch == BRANCH_NONE && a < b->question[i].n_answers; a++)
            if (b->question[i].answer[a].leads_to == branch)
                return presuppose(w, i, a);
    return false;
}

/* Only what leaves no choice: conditions of one alternative whose terms allow one answer. Lengths answer questions of two
 * branches, so those questions presuppose nothing. */
void walk_infer(const struct book *b, struct walk *w)
{
    for (size_t i = b->n_questions; i-- > 0; ) {
        const struct question *q = &b->question[i];
        if (w->answer[i] < 0 || (!isnan(w->trained) && !isnan(q->answer[w->answer[i]].up_to)))
            continue;
        if (q->branch != BRANCH_NONE)
            presuppose_branch(b, w, q->branch);
        for (size_t t = 0; q->n_ask == 1 && t < q->ask[0].n; t++) {
            const struct clause *term = &q->ask[0].term[t];
            bool one = term->is && (term->answers & (term->answers - 1)) == 0;
            if (one)
                presuppose(w, (size_t)term->question, (size_t)__builtin_ctz(term->answers));
        }
    }
}

static bool check_asked(const struct book *b, const struct question *q, const struct walk *w, struct err *err)
{
    const char *branch = branch_names[walk_branch(b, w)];
    if (q->branch != BRANCH_NONE && q->branch != walk_branch(b, w))
        return err_set(err, N_("question \"%s\" belongs to the branch %s, but the answers lead to %s"), q->id,
                       branch_names[q->branch], branch[0] ? branch : "-");
    return err_set(err, N_("question \"%s\" is not asked here: only if %s"), q->id, q->ask[0].text);
}

bool walk_check(const struct book *b, const struct walk *w, struct err *err)
{
    bool asked[BOOK_MAX_QUESTIONS];
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, asked);
    for (size_t i = 0; i < b->n_questions; i++) {
        const struct question *q = &b->question[i];
        if (w->answer[i] < 0)
            continue;
        int by_length = isnan(w->trained) ? -1 : answer_of_ratio(q, w->target / w->trained);
        if (by_length < 0 && !asked[i])
            return check_asked(b, q, w, err);
        if (by_length >= 0 && asked[i] && by_length != w->answer[i])
            return err_set(err, N_("%s=%s contradicts target %g / trained %g = %g, which is %s=%s"), q->id,
                           q->answer[w->answer[i]].id, w->target, w->trained, w->target / w->trained, q->id,
                               q->answer[by_length].id);
    }
    return true;
}

/* ---- JSON and text ------------------------------------------------------------------------------------- */

/* The numbers of a walk by name. */
static const struct { const char *name; size_t at; } numbers[] = {
    {"trained", offsetof(struct walk, trained)}, {"target", offsetof(struct walk, target)},
    {"base", offsetof(struct walk, base)}, {"rotary_dim", offsetof(struct walk, rotary_dim)},
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static double *number(struct walk *w, size_t i)
{
    return (double *)(void *)((char *)w + numbers[i].at);
}

/* Lengths decide answers, so that what is said about them must agree; the rest must be usable as it is. */
static bool settle_numbers(const struct book *b, struct walk *w, struct err *err)
{
    if (!isnan(w->base) && !(w->base > 1 && w->base <= 1e12))
        return err_set(err, N_("base %g: must be greater than 1 and at most 1e12"), w->base);
    if (!isnan(w->rotary_dim) && !(w->rotary_dim >= 4 && w->rotary_dim <= 8192 && fmod(w->rotary_dim, 2) == 0))
        return err_set(err, N_("rotary_dim %g: must be an even number from 4 to 8192"), w->rotary_dim);
    if (isnan(w->trained) != isnan(w->target))
        return err_set(err, N_("trained and target length: give both or neither"));
    struct walk by_length = *w;
    if (isnan(w->trained))
        return true;
    if (!walk_lengths(b, &by_length, w->trained, w->target, err))
        return false;
    for (size_t i = 0; i < b->n_questions; i++)
        if (w->answer[i] < 0)
            w->answer[i] = by_length.answer[i];
    return true;
}

bool walk_settle(const struct book *b, struct walk *w, struct err *err)
{
    if (!settle_numbers(b, w, err))
        return false;
    walk_infer(b, w);
    return walk_check(b, w, err);
}

bool walk_from_json(const struct book *b, struct walk *w, const struct json *json, struct err *err)
{
    struct walk out;
    walk_init(&out);
    const struct json *answers = json_get(json, "answers");
    if (json_type(answers) != JSON_OBJECT)
        return err_set(err, N_("answers: must be an object {question: answer}"));
    for (const struct json *a = json_first(answers); a; a = json_next(a))
        if (!walk_answer(b, &out, json_key(a), json_string(a) ? json_string(a) : "", err))
            return err_prefix(err, "answers");
    for (const struct json *c = json_first(json_get(json, "your_weights")); c; c = json_next(c))
        if (!walk_weight(b, &out, json_key(c), json_number(c, NAN), err))
            return err_prefix(err, "your_weights");
    for (size_t i = 0; i < N_NUMBERS; i++)
        *number(&out, i) = json_number(json_get(json, numbers[i].name), NAN);
    if (!walk_settle(b, &out, err))
        return false;
    *w = out;
    return true;
}

void walk_to_json(const struct book *b, const struct walk *w, struct json *object)
{
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, NULL);
    struct json *answers = json_set(object, "answers", json_object());
    for (size_t i = 0; i < b->n_questions; i++)
        if (given[i] >= 0)
            json_set_string(answers, b->question[i].id, b->question[i].answer[given[i]].id);
    struct json *weights = NULL;
    for (size_t c = 0; c < b->n_criteria; c++)
        if (!isnan(w->weight[c])) {
            weights = weights ? weights : json_set(object, "your_weights", json_object());
            json_set_number(weights, b->criterion[c].id, w->weight[c]);
        }
    struct walk copy = *w;
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (!isnan(*number(&copy, i)))
            json_set_number(object, numbers[i].name, *number(&copy, i));
}

/* One word "name=value" of a walk's text. */
static bool take_word(const struct book *b, struct walk *w, const char *name, const char *value, struct err *err)
{
    char *end;
    double x = strtod(value, &end);
    if (!*value || *end)
        x = NAN;
    if (!strncmp(name, "weight.", 7))
        return walk_weight(b, w, name + 7, x, err);
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (!strcmp(numbers[i].name, name)) {
            *number(w, i) = x;
            return !isnan(x) || err_set(err, N_("%s = \"%s\": must be a number"), name, value);
        }
    return walk_answer(b, w, name, value, err);
}

bool walk_from_text(const struct book *b, struct walk *w, const char *text, struct err *err)
{
    struct walk out;
    char word[96];
    walk_init(&out);
    for (const char *at = text + strspn(text, " "); *at; ) {
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        char *equals = strchr(word, '=');
        if (!equals)
            return err_set(err, N_("\"%s\": must be QUESTION=ANSWER"), word);
        *equals = '\0';
        if (!take_word(b, &out, word, equals + 1, err))
            return false;
        at += n + strspn(at + n, " ");
    }
    *w = out;
    return true;
}

/* Answers that do not count now are kept too: a change of mind brings them back. */
char *walk_to_text(const struct book *b, const struct walk *w, char *out, size_t size)
{
    size_t used = 0;
    struct walk copy = *w;
    char text[DIGITS_TEXT];
    out[0] = '\0';
#define WORD(...) used += used < size ? (size_t)snprintf(out + used, size - used, __VA_ARGS__) : 0
    for (size_t i = 0; i < b->n_questions; i++)
        if (w->answer[i] >= 0)
            WORD("%s%s=%s", used ? " " : "", b->question[i].id, b->question[i].answer[w->answer[i]].id);
    for (size_t c = 0; c < b->n_criteria; c++)
        if (!isnan(w->weight[c]))
            WORD("%sweight.%s=%s", used ? " " : "", b->criterion[c].id, (digits_write(text, w->weight[c], 10), text));
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (!isnan(*number(&copy, i)))
            WORD("%s%s=%s", used ? " " : "", numbers[i].name, (digits_write(text, *number(&copy, i), 10), text));
#undef WORD
    return out;
}

/* ---- where a walk leads -------------------------------------------------------------------------------- */

const struct situation *walk_situation(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    const struct situation *found = NULL;
    walk_given(b, w, given, NULL);
    for (size_t q = 0; q < b->n_questions; q++)
        if (given[q] >= 0 && book_situation(b, b->question[q].answer[given[q]].id))
            found = book_situation(b, b->question[q].answer[given[q]].id);
    return found;
}

size_t walk_claims(const struct book *b, const struct walk *w, int scheme, const struct claim **out, size_t max)
{
    size_t n = 0;
    signed char given[BOOK_MAX_QUESTIONS];
    bool seen[1024] = {false};
    walk_given(b, w, given, NULL);
    for (size_t i = 0; i < b->scheme[scheme].n_claims && n < max; i++) {
        out[n++] = b->scheme[scheme].claim[i];
        seen[out[n - 1] - b->claim] = true;
    }
    for (size_t q = 0; q < b->n_questions; q++)
        for (size_t i = 0; given[q] >= 0 && i < b->question[q].n_claims && n < max; i++) {
            const struct claim *c = b->question[q].claim[i];
            if (!seen[c - b->claim])
                out[n++] = c;
            seen[c - b->claim] = true;
        }
    return n;
}
