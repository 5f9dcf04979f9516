/* dialogue_wizard.c - the wizard as a dialogue: a question with numbered answers and what each weighs, back, skip, why; then the report of
 * src/wizard, chapter by chapter. The answers are the scenario's walk, as on the screen. */
#include "app/dialogue.h"

#include <stdlib.h>
#include <string.h>

#include "app/dialogue_markdown.h"
#include "base/mem.h"
#include "figure/describe.h"
#include "wizard/wizard.h"

/* Where the walk stands. */
struct stand {
    const struct book *book;
    enum lang lang;
    struct walk w;
    signed char given[BOOK_MAX_QUESTIONS];
    bool asked[BOOK_MAX_QUESTIONS];
    int question;               /* -1: past the last */
    int number;                 /* of the question on this path, from 1 */
};

static const char *in(const struct stand *h, struct words w)
{
    return words_in(w, h->lang);
}

/* The n-th question of this path; -1: there are fewer. */
static int nth(const struct stand *h, int n)
{
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->asked[q] && --n == 0)
            return (int)q;
    return -1;
}

static int number_of(const struct stand *h, int question)
{
    int n = 0;
    for (int q = 0; q <= question; q++)
        n += h->asked[q];
    return n;
}

static bool find_stand(const struct dialogue *d, struct stand *h, struct err *err)
{
    *h = (struct stand){.book = wizard_book(err), .lang = d->app->s.lang};
    if (!h->book || !walk_from_text(h->book, &h->w, d->app->s.walk, err))
        return false;
    walk_given(h->book, &h->w, h->given, h->asked);
    h->question = d->question ? nth(h, d->question) : walk_next(h->book, &h->w);
    h->number = h->question >= 0 ? number_of(h, h->question) : number_of(h, (int)h->book->n_questions - 1) + 1;
    return true;
}

static void keep(struct dialogue *d, const struct stand *h, const struct walk *w)
{
    char text[SCENARIO_TEXT_MAX];
    history_push(&d->app->undo, &d->app->s);
    scenario_set_walk(&d->app->s, walk_to_text(h->book, w, text, sizeof text));
}

/* ---- a question ------------------------------------------------------------------------------------------------- */

/* "; weighs Uses distant content +4, Can be extended +2" */
static void add_weights(const struct stand *h, const struct dialogue *d, const struct choice *a, struct buf *out)
{
    bool any = false;
    for (size_t c = 0; c < h->book->n_criteria; c++) {
        if (a->weight[c] == 0)
            continue;
        buf_format(out, "%s%s %+g", any ? ", " : dialogue_text(d, N_("; weighs ")), in(h, h->book->criterion[c].name), a->weight[c]);
        any = true;
    }
}

static void say_question(const struct dialogue *d, const struct stand *h)
{
    const struct question *q = &h->book->question[h->question];
    int least, most;
    walk_span(h->book, &h->w, &least, &most);
    if (least == most)
        dialogue_say(d, N_("Question %d of %d. %s"), h->number, most, in(h, q->title));
    else
        dialogue_say(d, N_("Question %d of %d to %d. %s"), h->number, least, most, in(h, q->title));
    for (size_t a = 0; a < q->n_answers; a++) {
        struct buf line = {0};
        buf_format(&line, "%zu %s", a + 1, in(h, q->answer[a].label));
        if (h->given[h->question] == (int)a)
            buf_text(&line, dialogue_text(d, N_("; your answer so far")));
        add_weights(h, d, &q->answer[a], &line);
        char *text = buf_string(&line);
        dialogue_say(d, "%s.", text);
        free(text);
    }
    if (h->number == 1)
        dialogue_say(d, N_("Type a number, or: back, skip, why, restart, help, quit."));
}

static void say_why(const struct dialogue *d, const struct stand *h)
{
    const struct question *q = &h->book->question[h->question];
    dialogue_say(d, "%s", in(h, q->why));
    if (q->weightless)
        dialogue_say(d, N_("The answer does not count: no measurement separates the schemes by it."));
    for (size_t i = 0; i < q->n_claims; i++) {
        const struct claim *c = q->claim[i];
        char sources[600];
        dialogue_say(d, N_("The guide says: %s %s: %s"), in(h, c->says), dialogue_text(d, verdict_titles[c->verdict]), in(h, c->found));
        if (*evidence_text(sources, sizeof sources, &c->evidence, h->lang))
            dialogue_say(d, N_("Source: %s."), sources);
    }
}

/* What leads now, while the evidence is weighed. */
static void say_leader(const struct dialogue *d, const struct stand *h)
{
    struct ranking r;
    if (walk_branch(h->book, &h->w) != BRANCH_EVIDENCE)
        return;
    wizard_rank(h->book, &h->w, &r);
    if (r.n)
        dialogue_say(d, N_("Leading now: %s, %.0f percent."), in(h, h->book->scheme[r.row[0].scheme].name), r.row[0].percent);
}

/* ---- the result --------------------------------------------------------------------------------------------------- */

/* Questions were skipped: what is open, and what the answers say so far. */
static void say_open(const struct dialogue *d, const struct stand *h)
{
    struct ranking r;
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->asked[q] && h->given[q] < 0)
            dialogue_say(d, N_("Skipped: question %d. %s"), number_of(h, (int)q), in(h, h->book->question[q].title));
    dialogue_say(d, N_("Type open to answer them; back goes one question back."));
    if (walk_branch(h->book, &h->w) != BRANCH_EVIDENCE)
        return;
    wizard_rank(h->book, &h->w, &r);
    dialogue_say(d, N_("The ranking by what is answered:"));
    for (size_t i = 0; i < r.n; i++)
        dialogue_say(d, N_("%zu. %s: %g points, %.1f percent"), i + 1, in(h, h->book->scheme[r.row[i].scheme].name), r.row[i].points, r.row[i].percent);
}

static char *report(const struct stand *h, struct err *err)
{
    return wizard_markdown(h->book, &h->w, h->lang, err);
}

/* The chapter with the recommendation; the others by number. */
static void say_result(struct dialogue *d, const struct stand *h)
{
    struct err err = {.lang = h->lang};
    char *text = report(h, &err);
    if (!text) {
        dialogue_say(d, "%s", err.text);
        return;
    }
    struct chapter chapter[CHAPTERS_MAX];
    size_t n = markdown_chapters(text, chapter);
    for (size_t i = 1; i < n && i < 2; i++)
        dialogue_part(d, markdown_words(&chapter[i]), A_MESSAGE);
    struct buf list = {0};
    for (size_t i = 2; i < n; i++)
        buf_format(&list, "%s%zu %.*s", i > 2 ? "; " : "", i - 1, (int)chapter[i].title_size, chapter[i].title);
    char *titles = buf_string(&list);
    dialogue_say(d, N_("Chapters: %s. Other words: back, answers, restart, help, quit."), titles);
    free(titles);
    free(text);
}

/* Chapter 0: the answers. */
static bool say_chapter(struct dialogue *d, const struct stand *h, int number)
{
    struct chapter chapter[CHAPTERS_MAX];
    char *text = report(h, NULL);
    size_t n = text ? markdown_chapters(text, chapter) : 0, i = number ? (size_t)number + 1 : 0;
    if (i < n) {
        d->kind = PAGE_NEW;             /* asked for again, it is said again */
        dialogue_new_page(d);
        dialogue_part(d, markdown_words(&chapter[i]), A_MESSAGE);
        dialogue_say_left(d);
    }
    free(text);
    return i < n;
}

/* ---- pages and lines ------------------------------------------------------------------------------------------------- */

void dialogue_wizard_page(struct dialogue *d)
{
    struct err err = {.lang = d->app->s.lang};
    struct stand h;
    if (!find_stand(d, &h, &err))
        dialogue_say(d, "%s", err.text);
    else if (h.question >= 0)
        say_question(d, &h);
    else if (walk_next(h.book, &h.w) == WIZARD_DONE)
        say_result(d, &h);
    else
        say_open(d, &h);
}

static void go_to(struct dialogue *d, int number)
{
    d->question = number;
    dialogue_new_page(d);
    dialogue_wizard_page(d);
}

/* Takes the answer and goes to the next question that is open; those before were skipped on purpose. */
static void answer(struct dialogue *d, struct stand *h, int number)
{
    const struct question *q = &h->book->question[h->question];
    struct err err = {.lang = h->lang};
    struct walk w = h->w;
    if ((size_t)number > q->n_answers) {
        dialogue_say(d, N_("There is no answer %d; there are %zu."), number, q->n_answers);
        return;
    }
    if (!walk_answer(h->book, &w, q->id, q->answer[number - 1].id, &err)) {
        dialogue_say(d, "%s", err.text);
        return;
    }
    keep(d, h, &w);
    dialogue_say(d, N_("Taken: %s."), in(h, q->answer[number - 1].label));
    int next = h->number + 1;
    find_stand(d, h, NULL);
    say_leader(d, h);
    while (nth(h, next) >= 0 && h->given[nth(h, next)] >= 0)
        next++;
    go_to(d, next);
}

static void back(struct dialogue *d, const struct stand *h)
{
    if (h->number > 1)
        go_to(d, h->number - 1);
    else
        dialogue_say(d, N_("This is the first question; `view` and a name leaves the wizard, quit the program."));
}

static void restart(struct dialogue *d, const struct stand *h)
{
    struct walk none;
    walk_init(&none);
    keep(d, h, &none);
    go_to(d, 0);
}

static const struct { const char *words, *help; } own_words[] = {
    {"NUMBER", N_("take this answer; at the result say this chapter")},
    {"back", N_("one question back")},
    {"skip", N_("the next question, leaving this one open")},
    {"open", N_("the first question without an answer")},
    {"why", N_("why it is asked, what the guide says and what was found")},
    {"answers", N_("at the result: your answers")},
    {"restart", N_("begin again without answers")},
};

void dialogue_wizard_help(const struct dialogue *d)
{
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
        dialogue_say(d, "%s: %s.", own_words[i].words, dialogue_text(d, own_words[i].help));
}

bool dialogue_wizard_line(struct dialogue *d, const char *line)
{
    struct stand h;
    int number = dialogue_number(line);
    if (!find_stand(d, &h, NULL))
        return false;
    bool asking = h.question >= 0;
    if (number && asking)
        answer(d, &h, number);
    else if (number && walk_next(h.book, &h.w) != WIZARD_DONE)
        dialogue_say(d, N_("Type open to answer them; back goes one question back."));
    else if (number && !say_chapter(d, &h, number))
        dialogue_say(d, N_("There is no chapter %d."), number);
    else if (number)
        return true;
    else if (!strcmp(line, "answers") && !asking)
        say_chapter(d, &h, 0);
    else if (!strcmp(line, "back") || !strcmp(line, "b"))
        back(d, &h);
    else if ((!strcmp(line, "skip") || !strcmp(line, "s") || !strcmp(line, "next")) && asking)
        go_to(d, h.number + 1);
    else if ((!strcmp(line, "why") || !strcmp(line, "w")) && asking)
        say_why(d, &h);
    else if (!strcmp(line, "open"))
        go_to(d, 0);
    else if (!strcmp(line, "restart"))
        restart(d, &h);
    else
        return false;
    return true;
}
