/* copy.c - to the clipboard, by the way that works where the program runs. */
#include "app/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/state.h"
#include "base/buf.h"
#include "base/digits.h"
#include "base/mem.h"
#include "base/utf8.h"

extern char **environ;

enum { OSC_MAX = 74994 };               /* terminals drop longer sequences, some silently */

/* ---- ways ------------------------------------------------------------------------------------------------------------------ */

char *copy_base64(const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char *out = xmalloc((n + 2) / 3 * 4 + 1), *to = out;
    for (size_t i = 0; i < n; i += 3) {
        unsigned three = (unsigned)b[i] << 16 | (i + 1 < n ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = i + 1 < n ? digits[three >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[three & 63] : '=';
    }
    *to = '\0';
    return out;
}

/* ---- programs that take copies ----------------------------------------------------------------------------------------------- */

static int bell[2] = {-1, -1};          /* rung by SIGCHLD */

static void ring(int signal)
{
    int why = errno;
    (void)signal;
    if (write(bell[1], "", 1) < 0)
        errno = why;                    /* full: it is rung already */
    errno = why;
}

/* Before the first program is started. Without a bell its end is seen with the next key. */
static void hang_bell(void)
{
    struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    if (bell[0] >= 0 || pipe(bell))
        return;
    for (int i = 0; i < 2; i++) {
        fcntl(bell[i], F_SETFD, FD_CLOEXEC);
        fcntl(bell[i], F_SETFL, O_NONBLOCK);
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

int copy_fd(void)
{
    return bell[0];
}

static void free_run(struct copy_run *run)
{
    free(run->name);
    free(run->said);
}

/* status: its exit status (127: could not be started, 128: ended by a signal). What went well is said only where its beginning is still read. */
static void say_ended(struct app *app, const struct copy_run *run, int status)
{
    if (status != 0)
        app_say(app, ROLE_ERROR, N_("not copied: `%s` ended with status %d"), run->name, status);
    else if (!strcmp(run->said, app->message))
        app_say(app, ROLE_GOOD, N_("%zu bytes given to `%s`"), run->bytes, run->name);
    app->dirty = true;
}

/* Waits for no other children: a shell may have left us its own. */
void copy_take(struct app *app)
{
    char rung[64];
    while (bell[0] >= 0 && read(bell[0], rung, sizeof rung) > 0)
        ;
    for (size_t i = app->copies.n; i-- > 0;) {
        struct copy_run run = app->copies.run[i];
        int status;
        pid_t got = waitpid(run.pid, &status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR))
            continue;
        app->copies.run[i] = app->copies.run[--app->copies.n];
        say_ended(app, &run, got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : got > 0 ? 128 : 127);
        free_run(&run);
    }
}

void copy_done(struct copies *c)
{
    for (size_t i = 0; i < c->n; i++)
        free_run(&c->run[i]);
    free(c->run);
    *c = (struct copies){0};
}

/* The text as a file without a name, so that neither side waits for the other; NULL: there is no room for it. */
static FILE *file_of(const char *text)
{
    FILE *f = tmpfile();
    if (f && (fputs(text, f) < 0 || fflush(f) != 0 || lseek(fileno(f), 0, SEEK_SET) != 0)) {
        int why = errno;
        fclose(f);
        errno = why;
        f = NULL;
    }
    return f;
}

/* Starts a program with the file as its input and nothing of ours as its output; 0: it could not be. */
static pid_t start(const char *const *argv, FILE *input)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    hang_bell();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
        pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void feed(struct app *app, const char *name, const char *const *argv, const char *text)
{
    FILE *input = file_of(text);
    if (!input) {
        app_say(app, ROLE_ERROR, N_("not copied: no temporary file can be written: %s"), err_reason(&(struct err){.lang = app->s.lang}, errno));
        return;
    }
    struct copy_run run = {.pid = start(argv, input), .name = xstrdup(name), .bytes = strlen(text)};
    app_say(app, ROLE_TEXT, N_("%zu bytes given to `%s`, which still runs"), run.bytes, run.name);
    run.said = xstrdup(app->message);
    fclose(input);
    if (run.pid > 0) {
        app->copies.run = xreallocarray(app->copies.run, app->copies.n + 1, sizeof run);
        app->copies.run[app->copies.n++] = run;
    } else {
        say_ended(app, &run, 127);
        free_run(&run);
    }
}

static void send_osc(struct app *app, const char *text, size_t n)
{
    if (n > OSC_MAX) {
        app_say(app, ROLE_WARNING, N_("not copied: %zu bytes, and terminals take at most %d; :export writes a file"), n, OSC_MAX);
        return;
    }
    char *base64 = copy_base64(text, n), *sequence = xasprintf("\033]52;c;%s\007", base64);
    term_write(app->term, sequence, strlen(sequence));
    app_say(app, ROLE_GOOD, N_("%zu bytes sent to the terminal (OSC 52); whether it takes them only it knows"), n);
    free(sequence);
    free(base64);
}

/* Names come from files: what they hold must do nothing where it is pasted. */
void copy_text(struct app *app, const char *raw)
{
    char *text = utf8_harmless(raw);
    const char *const tmux[] = {"tmux", "load-buffer", "-w", "-", NULL};
    const char *const own[] = {"/bin/sh", "-c", app->copy_command, NULL};
    const char *in_tmux = getenv("TMUX");
    if (app->copied)
        buf_text(app->copied, text);
    else if (app->copy_command)
        feed(app, app->copy_command, own, text);
    else if (in_tmux && *in_tmux)
        feed(app, "tmux load-buffer -w -", tmux, text);
    else
        send_osc(app, text, strlen(text));
    free(text);
}

/* ---- value and row ------------------------------------------------------------------------------------------------------------ */

void copy_value(struct app *app)
{
    char text[DIGITS_TEXT];
    const struct readout *r = &app->readout;
    if (!r->known || app->probe_waiting) {
        app_say(app, ROLE_WARNING, N_("there is no value under the cursor"));
        return;
    }
    digits_write(text, r->value + 0.0, 6);          /* never "-0" */
    copy_text(app, *r->value_text && !(r->worded && isfinite(r->value)) ? r->value_text : text);
}

/* A panel with nothing of the heatmap but the row of y. Borrows. */
static void keep_heatmap_row(struct panel *p, double y)
{
    int row = axis_sample(&p->y, p->h, y);
    double from = axis_edge(&p->y, p->h, row), to = axis_edge(&p->y, p->h, row + 1);
    size_t word = (size_t)(from - p->y.from);
    p->y.n_ticks = word < p->y.n_ticks ? 1 : 0;
    p->y.tick = p->y.n_ticks ? p->y.tick + word : NULL;
    p->data += (size_t)row * (size_t)p->w;
    p->y.from = from;
    p->y.to = to;
    p->h = 1;
}

/* The heading and the row of y, as a table of its own in cells (2 x table_cols). */
static void keep_table_row(struct panel *p, double y, struct text_cell *cells)
{
    size_t cols = p->table_cols, row = y >= 1 && y < (double)p->table_rows ? (size_t)y : 1;
    if (p->table_rows < 2)
        return;
    memcpy(cells, p->cell, cols * sizeof *cells);
    memcpy(cells + cols, p->cell + row * cols, cols * sizeof *cells);
    p->cell = cells;
    p->table_rows = 2;
}

void copy_row(struct app *app)
{
    struct place at = navigate_pointer(app);
    struct export_options options = save_options(&app->s, NULL);
    struct err err = {.lang = app->s.lang};
    struct buf out = {0};
    if (!app->figure || at.panel < 0 || !app->complete) {
        app_say(app, ROLE_WARNING, N_("there are no numbers under the cursor"));
        return;
    }
    struct panel one = app->figure->panel[at.panel];
    struct figure alone = *app->figure;
    struct text_cell *cells = xcalloc(2 * (one.table_cols + 1), sizeof *cells);
    alone.n = 1;
    alone.panel = &one;
    if (one.kind == PANEL_HEATMAP && one.data)
        keep_heatmap_row(&one, at.y);
    if (one.kind == PANEL_TABLE)
        keep_table_row(&one, at.y, cells);
    if (export_csv.write(&alone, &options, &out, &err)) {
        char *text = buf_string(&out);
        copy_text(app, text);
        free(text);
    } else {
        app_fail(app, &err);
    }
    buf_done(&out);
    free(cells);
}

/* ---- words -------------------------------------------------------------------------------------------------------------------- */

static char *command_words(const struct scenario *s)
{
    bool exact;
    return command_line(s, &exact);
}

/* One a line. */
static char *citation_words(const struct scenario *s)
{
    struct buf out = {0};
    for (size_t i = 0; i < s->n_items; i++) {
        buf_text(&out, out.n ? "\n" : "");
        buf_text(&out, s->item[i].kind->cite ? s->item[i].kind->cite : "");
    }
    return out.n ? buf_string(&out) : NULL;
}

static char *finding_words(const struct scenario *s)
{
    struct buf out = {0};
    for (size_t i = 0; s->model && i < s->model->n_findings; i++) {
        const struct finding *x = &s->model->finding[i];
        char place[40] = "";
        if (x->line)
            snprintf(place, sizeof place, ":%d:%d", x->line, x->column);
        char *line = xasprintf("%s%s: %s [%s] %s\n", s->model->path, place, lang_text(s->lang, severity_names[x->severity]), x->code, x->message);
        buf_text(&out, line);
        free(line);
    }
    return out.n ? buf_string(&out) : NULL;
}

static char *(*const makers[])(const struct scenario *) = {command_words, citation_words, finding_words};
const char *const copy_whats[] = {"command", "citation", "finding", NULL};

bool copy_what(struct app *app, const char *what, struct err *err)
{
    for (size_t i = 0; copy_whats[i]; i++) {
        if (strcmp(copy_whats[i], what))
            continue;
        char *text = makers[i](&app->s);
        if (!text)
            return err_set(err, N_("copy %s: there is none here"), what);
        copy_text(app, text);
        free(text);
        return true;
    }
    return err_set(err, N_("copy %s: allowed are command, citation, finding"), what);
}
