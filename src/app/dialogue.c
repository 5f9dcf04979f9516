/* dialogue.c - a page, a line typed, the next page: what lines do, and which page follows. */
#include "app/dialogue.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/keys.h"
#include "base/near.h"
#include "figure/describe.h"

/* ---- words ------------------------------------------------------------------------------------------------------ */

static void run_panel(struct dialogue *d, const char *rest)
{
    int n = d->app->figure ? (int)d->app->figure->n : 0, number = dialogue_number(rest);
    if (number < 1 || number > n) {
        dialogue_say(d, N_("panel %s: allowed is 1 to %d"), *rest ? rest : "-", n);
        return;
    }
    d->app->s.focus = number - 1;
    struct buf out = {0};
    describe_panel(&d->app->figure->panel[number - 1], NULL, d->app->s.lang, &out);
    fwrite(out.data, 1, out.n, stdout);
    buf_done(&out);
}

/* of_figure: the wizard has no figure, and steps of its own. */
static const struct { const char *words, *help; bool of_figure; } own_words[] = {
    {"more", N_("say the rest of this page"), false},
    {"repeat", N_("say this page again"), false},
    {"next", N_("the next view; in a lesson the next step"), true},
    {"back", N_("where you were before; in a lesson the step before"), true},
    {"panel NUMBER", N_("say all of a panel, and read there from now on"), true},
    {"read PLACE", N_("the exact value at a place, with its formula; a heatmap takes column and row"), true},
    {"set", N_("change a parameter: asks which, and the value"), false},
    {"set KEY VALUE", N_("the same at once"), false},
    {"view, encoding, preset", N_("choose one: asks which, or takes its name"), false},
    {"params", N_("all parameters and their values"), false},
    {"find TEXT", N_("views, encodings, models, parameters and words that match"), false},
    {"undo, redo", N_("take the last change back, and make it again"), false},
    {"export FILE", N_("write the figure: png svg pdf txt ansi csv npy json"), false},
    {"copy WHAT", N_("say the command line, the citation or the findings"), false},
    {"quit", N_("leave the program"), false},
};

/* Does the wizard itself speak, not a lesson about it? */
static bool in_wizard(const struct dialogue *d)
{
    return d->app->s.view == VIEW_wizard && !app_in_lesson(d->app);
}

static void run_help(struct dialogue *d)
{
    const struct view *v = views[d->app->s.view];
    bool wizard = in_wizard(d);
    dialogue_say(d, "%s. %s", dialogue_text(d, v->title), dialogue_text(d, v->help));
    dialogue_say(d, N_("What can be typed, besides numbers:"));
    if (wizard)
        dialogue_wizard_help(d);
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
        if (!wizard || !own_words[i].of_figure)
            dialogue_say(d, "%s: %s.", own_words[i].words, dialogue_text(d, own_words[i].help));
    for (size_t i = 0; i < v->n_actions && !wizard; i++)
        dialogue_say(d, "%s: %s.", v->actions[i].name, dialogue_text(d, v->actions[i].help));
    dialogue_say(d, N_("All words of the command line `:` and options such as -e alibi -s n=64 work too."));
}

static void run_params(struct dialogue *d)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&d->app->s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++) {
        struct buf line = {0};
        buf_format(&line, "%s: ", refs[i].param->name);
        dialogue_append_param(d, &refs[i], "", &line);
        char *text = buf_string(&line);
        dialogue_say_numbers(text);
        free(text);
    }
}

static bool is(const char *line, const char *word)
{
    return !strcmp(line, word);
}

/* ---- running a line ------------------------------------------------------------------------------------------------ */

/* A key by itself or by its name, as on the screen: the lesson's, the view's own, else the program's. */
static const char *name_of_key(const struct dialogue *d, const char *line)
{
    uint32_t key = keys_named(line);
    const struct action *a = keys_view(views[d->app->s.view], key);
    const struct app_action *framework = keys_framework(key);
    return a && !lesson_claims(d->app, key) ? a->name : framework ? framework->name : NULL;
}

/* Actions that ask on the screen, and the word that asks here. */
static const char *spoken(const char *action)
{
    static const struct { const char *action, *word; } words[] = {{"param-type", "set"}, {"parameters", "params"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(action, words[i].action))
            return words[i].word;
    return action;
}

/* Actions that show only where the cursor is: its value is said. */
static bool moves_cursor(const char *action)
{
    static const char *const moves[] = {"left", "right", "up", "down", "first", "last", "next-panel", NULL};
    return name_among(action, moves);
}

static void say_copied(struct dialogue *d, struct buf *copied)
{
    char *text = buf_string(copied);
    for (char *line, *rest = text; (line = strsep(&rest, "\n"));)
        dialogue_say(d, "%s", line);
    free(text);
}

/* A line of `:`. True: the page has changed. */
static bool run_command(struct dialogue *d, const char *line)
{
    struct app *app = d->app;
    struct err err = {.lang = app->s.lang};
    struct scenario before;
    struct buf copied = {0};
    scenario_copy(&before, &app->s);
    app->copied = &copied;
    bool good = app_line(app, line, &err);
    app->copied = NULL;
    if (app->playing) {             /* time passes step by step here */
        app_play(app, false);
        app_tick(app);
    }
    if (app->overlay) {
        app->overlay = NULL;
        app_say(app, ROLE_WARNING, N_("%s asks on the screen only; help lists the words that do the same."), line);
    }
    bool changed = !scenario_same(&before, &app->s), said = copied.n > 0;
    scenario_done(&before);
    say_copied(d, &copied);
    if (!good)
        dialogue_say(d, "%s", err.text);
    else if (*app->message)
        dialogue_say(d, "%s", app->message);
    else if (!changed && !said && !app->quit)
        dialogue_say(d, N_("Nothing has changed."));
    return changed;
}

/* Back from a jump; at the first page there is nothing before. */
static const char *back_command(const struct dialogue *d)
{
    const struct app *app = d->app;
    return app->s.other || app->jumps.n ? "back" : NULL;
}

/* Lines that say something and leave the page as it is. True: it was one. */
static bool run_saying(struct dialogue *d, const char *line)
{
    const char *rest;
    if (is(line, "more"))
        dialogue_say_more(d);
    else if (is(line, "help") || is(line, "?"))
        run_help(d);
    else if (is(line, "params"))
        run_params(d);
    else if ((rest = dialogue_rest(line, "read")))
        dialogue_read(d, rest);
    else if ((rest = dialogue_rest(line, "panel")))
        run_panel(d, rest);
    else if ((rest = dialogue_rest(line, "export")) && *rest)
        dialogue_export(d, rest, false);
    else if ((rest = dialogue_rest(line, "export!")) && *rest)
        dialogue_export(d, rest, true);
    else
        return false;
    return true;
}

/* The general choices, by number where the view does not number things itself. */
static const struct { const char *line, *label; } choices[] = {
    {"more", N_("more")}, {"next", N_("next view")}, {"view", N_("another view")}, {"encoding", N_("another encoding")},
    {"set", N_("change a parameter")}, {"read", N_("read the value here")}, {"help", N_("help")}, {"quit", N_("quit")},
};
enum { N_CHOICES = sizeof choices / sizeof *choices };

static bool view_numbers(const struct dialogue *d)
{
    return keys_view(views[d->app->s.view], '1') || app_in_lesson(d->app);
}

static void say_choices(const struct dialogue *d)
{
    struct buf list = {0};
    bool numbered = !view_numbers(d);
    for (size_t i = 0; i < N_CHOICES; i++) {
        buf_text(&list, i ? "; " : "");
        if (numbered)
            buf_format(&list, "%zu ", i + 1);
        buf_text(&list, numbered ? dialogue_text(d, choices[i].label) : choices[i].line);
    }
    char *text = buf_string(&list);
    dialogue_say(d, numbered ? N_("Choices: %s.") : N_("Words: %s."), text);
    free(text);
}

static void say_page(struct dialogue *d)
{
    struct app *app = d->app;
    bool plain = !app_in_lesson(app) && !in_wizard(d);
    dialogue_new_page(d);
    if (app_in_lesson(app))
        dialogue_lesson_page(d);
    if (in_wizard(d))
        dialogue_wizard_page(d);
    else
        dialogue_figure(d);
    dialogue_say_left(d);
    if (d->talk && plain && d->kind == PAGE_NEW)
        say_choices(d);
}

/* What kind of page comes next, in lesson or view. */
static enum page_kind next_kind(const struct dialogue *d, const struct lesson_place *lesson, enum view_id view)
{
    const struct scenario *s = &d->app->s;
    bool same = s->view == view && !strcmp(s->lesson.id, lesson->id);
    return same ? PAGE_CHANGED : PAGE_NEW;
}

/* A number that chooses, or a key, becomes the word that it stands for. Returns the name of the action if it was a key. */
static const char *put_word(const struct dialogue *d, char *line, size_t size)
{
    int number = dialogue_number(line);
    const struct action *own = number && number <= 10 ? keys_view(views[d->app->s.view], (uint32_t)('0' + number % 10)) : NULL;
    const char *key = number ? NULL : name_of_key(d, line);
    if (key)
        snprintf(line, size, "%s", spoken(key));
    else if (own)
        snprintf(line, size, "%s", own->name);
    else if (number >= 1 && number <= N_CHOICES && !view_numbers(d))
        snprintf(line, size, "%s", choices[number - 1].line);
    return key;
}

/* Words that stand alone: says so where something follows one. */
static bool says_too_much(const struct dialogue *d, const char *line)
{
    static const char *const alone[] = {"more", "repeat", "next", "back", "quit", "exit", "params"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        const char *rest = dialogue_rest(line, alone[i]);
        if (!rest || !*rest)
            continue;
        dialogue_say(d, N_("%s takes nothing after it; '%s' is too much"), alone[i], rest);
        return true;
    }
    return false;
}

/* DONE_FINDING: the line was answered with another one, which is to be done now. */
enum done { DONE, DONE_PAGE, DONE_FINDING };

/* Does the line, which becomes what it stands for: is the page to be said? */
static enum done do_line(struct dialogue *d, char *line, size_t size)
{
    struct app *app = d->app;
    bool page;
    if (!*line || is(line, "repeat")) {
        d->kind = PAGE_AGAIN;
        return DONE_PAGE;
    }
    if (app_in_lesson(app) && dialogue_lesson_line(d, line, &page))
        return page ? DONE_PAGE : DONE;
    if (app_in_lesson(app))
        dialogue_lesson_symbol(d, line, size);
    if (in_wizard(d) && dialogue_wizard_line(d, line))
        return DONE;
    const char *key = put_word(d, line, size);
    app->quit = is(line, "quit") || is(line, "exit");
    if (app->quit || says_too_much(d, line) || run_saying(d, line))
        return DONE;
    if (key && moves_cursor(key)) {
        if (run_command(d, key))
            dialogue_read(d, "");
        return DONE;
    }
    bool finding = dialogue_rest(line, "find");
    if (!dialogue_complete(d, line, size))
        return DONE;
    if (finding)
        return DONE_FINDING;
    if (is(line, "next"))
        snprintf(line, size, "next-view");
    if (is(line, "back") && !back_command(d)) {
        dialogue_say(d, N_("There is nothing before this; quit leaves."));
        return DONE;
    }
    return run_command(d, line) && !app->quit ? DONE_PAGE : DONE;
}

static bool run_line(struct dialogue *d, const char *typed)
{
    char line[LINE_TYPED_MAX];
    enum done done;
    snprintf(line, sizeof line, "%s", typed);
    do
        done = do_line(d, line, sizeof line);
    while (done == DONE_FINDING);
    return done == DONE_PAGE;
}

/* The name before the prompt's ">". */
static const char *place_name(const struct dialogue *d)
{
    return app_in_lesson(d->app) ? dialogue_text(d, N_("lesson")) : views[d->app->s.view]->id;
}

void dialogue_run(struct app *app, int threads, bool talk)
{
    struct dialogue d = {.app = app, .threads = threads, .talk = talk, .echo = !isatty(STDIN_FILENO)};
    app->test_clock = true;             /* nothing moves by itself */
    if (*app->message)
        dialogue_say(&d, "%s", app->message);
    say_page(&d);
    while (talk && !app->quit) {
        struct lesson_place lesson = app->s.lesson;
        enum view_id view = app->s.view;
        const char *line = dialogue_ask(&d, place_name(&d));
        d.kind = PAGE_CHANGED;
        if (!line || !run_line(&d, line))
            continue;
        if (d.kind != PAGE_AGAIN)
            d.kind = next_kind(&d, &lesson, view);
        say_page(&d);
    }
    dialogue_new_page(&d);
    dialogue_new_page(&d);
}
