/* state.h - the running program, as the files of app/ share it: loop.c runs it; input.c, actions.c and the overlays change it through edit.c;
 * shown.c keeps figure and read-out true to it; screen.c draws it. Tests run it in a terminal in memory: app_open, app_handle with
 * events, app_settle, app_close. */
#ifndef POSVIZ_APP_STATE_H
#define POSVIZ_APP_STATE_H

#include "app/copy.h"
#include "app/finder.h"
#include "app/help.h"
#include "app/navigate.h"
#include "app/history.h"
#include "app/live.h"
#include "app/marks.h"
#include "app/lecture.h"
#include "app/options.h"
#include "app/pace.h"
#include "app/picture.h"
#include "app/prompt.h"
#include "app/save.h"
#include "app/worker.h"
#include "base/buf.h"
#include "figure/draw.h"
#include "term/term.h"

struct app;

/* A popup or line that takes all keys while it is open. */
struct overlay {
    void (*key)(struct app *app, uint32_t key);
    void (*draw)(struct app *app);
    void (*pick)(struct app *app, int index);               /* the mouse has, of its HIT_ENTRYs; or NULL */
    bool typing;                    /* keys are text, so that paste and Chinese input reach it */
};

/* What a click on a cell means; made anew with every frame. */
enum hit_kind { HIT_VIEW, HIT_KEY, HIT_PARAM, HIT_SLIDER, HIT_ENTRY };
struct hit {
    int y, x, cols;
    enum hit_kind kind;
    int index;                      /* view, key, parameter, entry of what is open */
};
enum { HITS_MAX = 256, MESSAGE_MAX = 512, TICK_KEY = 20 };      /* Ctrl-T: one frame with --test-clock */

struct app {
    struct scenario s;
    struct history undo, redo, jumps;
    bool playing;
    int only_panel;                 /* this panel alone, or -1 */
    bool panel_open;                /* parameters as a popup, where they have no place of their own */
    const struct overlay *overlay;  /* NULL: keys go to the view */
    struct prompt prompt;
    struct finder finder;
    struct help help;
    struct marks marks;
    struct live live;
    const char *copy_command;       /* takes what is copied; borrowed; NULL: tmux or the terminal does */
    struct copies copies;           /* on their way */
    struct buf *copied;             /* takes it where there is no screen (dialogue.h); borrowed; NULL: there is one */
    char message[MESSAGE_MAX];      /* in the line of the read-out until the next key; "": none */
    enum role message_role;
    bool quit;
    bool replaced;                  /* by undo, redo or a way back: that is no edit */

    struct worker *worker;
    struct figure *figure;          /* on the screen */
    struct figure *plan;            /* of the request in work: shown, without numbers, when it takes long; NULL once replaced */
    struct scenario asked;          /* what the figure was asked for */
    struct picture_room asked_room;
    bool asking;                    /* asked is there */
    bool stale;                     /* ask again even if nothing changed */
    bool complete;                  /* the figure on the screen is the finished one */
    char *export_path;              /* the request in work is for this file, not for the screen; NULL: none */
    bool export_force;
    long asked_at;                  /* ms */
    long wanted_at;                 /* ms: when figure or read-out were asked for last; a frame waits a little for them */
    bool hovering;
    struct place hover;             /* under the mouse */
    struct readout readout;
    struct place probed;            /* where the read-out was asked for */
    bool probe_stale, probe_waiting;
    bool probe_silent;              /* the view says nothing there: a table reads its own row out */
    bool dragging;                  /* the picture, by the mouse */
    int drag_y, drag_x;
    struct hit slider;              /* that the mouse holds, wherever it goes; cols 0: none */
    bool drag_edited;               /* what the mouse does until it lets go is one edit, and is in the history */

    struct lecture *lecture;        /* NULL: nobody lectures; borrowed */
    struct term *term;
    bool test_clock;
    struct canvas *canvas;
    int rows, cols;
    bool dirty;
    bool writing;                   /* the terminal has not taken all of the last frame */
    long drawn_at;                  /* ms */
    bool syncing;
    unsigned sync;
    struct pace pace;
    struct hit hit[HITS_MAX];
    size_t n_hits;
    int caret_y, caret_x;           /* where the terminal's cursor stands; y < 0: hidden */
};

/* Runs on a terminal that is already open, with a scenario that is already made: what comes through a pipe can be read once. Takes both over. */
bool app_open(struct app *app, struct term *term, const struct scenario *s, int threads, struct err *err);
void app_close(struct app *app);
void app_run(struct app *app);                  /* until the user leaves */
void app_handle(struct app *app, struct event event);
/* A line of words.h, with undo and all else that follows an edit. False with a message; then nothing has changed. */
bool app_line(struct app *app, const char *line, struct err *err);
/* One turn of the loop: events, news, what time brings, a frame. Never waits. */
void app_turn(struct app *app);
/* Waits for the worker until nothing is left to do, and draws. */
void app_settle(struct app *app);

/* ---- between the files ------------------------------------------------------------------------------------- */

void app_make_canvas(struct app *app);          /* of the terminal's size, theme and depth */
/* What follows from an edit wherever it came from: undo, the choice in the panel, the colours of the terminal. before is borrowed. */
void app_edited(struct app *app, struct scenario *before);
void app_tick(struct app *app);                 /* one frame of the animation; no edit of its own */
void shown_refresh(struct app *app);            /* asks for what no longer belongs to the scenario */
void shown_take_news(struct app *app);
void shown_figure(struct app *app, struct figure *f);           /* takes f over */

/* ---- lessons (lesson.c) ---------------------------------------------------------------------------------------- */

static inline bool app_in_lesson(const struct app *app)
{
    return *app->s.lesson.id != '\0';
}
/* To another step of the lesson, or the same anew (by 0). */
void lesson_step(struct app *app, int by);
/* Is it a key of the lesson, whatever the view takes: on, back, this step again, and the answers of a step that asks? */
bool lesson_claims(const struct app *app, uint32_t key);
/* Answers the step's quiz; false if the step asks nothing. */
bool lesson_answer(struct app *app, int answer);
/* Out of the lesson: the scenario stays as it is. */
void lesson_leave(struct app *app);

/* ---- for actions and overlays -------------------------------------------------------------------------- */

void app_say(struct app *app, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));     /* fmt is N_() */
void app_fail(struct app *app, const struct err *err);
const char *app_text(const struct app *app, const char *msgid) __attribute__((format_arg(2)));
/* Puts another scenario in the present one's place (undo, jumps): language and colours stay. Takes s over. */
void app_replace(struct app *app, struct scenario *s);
/* The view's actions and clock: false if nothing changed. */
bool app_input(struct app *app, int action);
void app_play(struct app *app, bool on);
void app_cancel(struct app *app);               /* what is being computed */
/* Computes the figure with the samples that the file's format wants, on the worker, and writes it when it comes. */
bool app_export(struct app *app, const char *path, bool force, struct err *err);
void app_compare(struct app *app, enum compare mode);           /* makes or drops the copy */

#endif
