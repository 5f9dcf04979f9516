/* view.h - a view turns a scenario into a figure. It draws nothing and keeps nothing: the scenario is all there is, so undo,
 * presets, lessons, compare, render and tests need nothing more from a view.
 *
 * plan runs on the main thread and is cheap: panels, axes, no numbers. The framework lays the panels out, so that compute knows
 * its size in samples. compute and probe run on the worker.
 *
 * Adding a view: one file in views/ that ends with `const struct view view_NAME`, and one line in views.def. */
#ifndef POSVIZ_APP_VIEW_H
#define POSVIZ_APP_VIEW_H

#include "figure/figure.h"
#include "scenario/scenario.h"

struct job;
/* False when the request is stale: return false at once. Call it at least every 10 ms. share: 0..1 done. */
bool job_tick(struct job *job, double share);
/* The ticks that follow are of one step of the work: share 0..1 of it is from..to of the whole. */
void job_step(struct job *job, double from, double to);
/* Shows a copy of the unfinished figure. */
void job_publish(struct job *job, const struct figure *preview);
int job_threads(const struct job *job);
/* Adapter for field_pool and attention_pool: ctx is the job. */
bool job_tick_fn(void *job, double share);

struct readout {
    bool known;                 /* false: nothing at this place */
    char name[128];             /* "pair 29", "query 12 -> key 3" (translated) */
    bool quotes;                /* name is made of the reader's words: it stays as it is */
    double value;
    char value_text[256];       /* instead of the number, if not empty */
    bool worded;                /* value_text is the value in other words: copied, it has all the digits of the value */
    char formula[256];          /* with the numbers put in */
    char source[320];           /* citation or "ENCODINGS" equation; where the number comes from */
};

struct action {                 /* the only place where a view's keys stand */
    int id;
    uint32_t key, key2;         /* 0: none */
    const char *name;           /* verb-noun, for `:` */
    const char *help;           /* N_(); for footer and help */
    bool footer;                /* shown in the line of keys */
};

/* What a view's picture depends on beside its own parameters. */
enum uses {
    USES_N = 1 << GENERAL_N, USES_HEADS = 1 << GENERAL_HEADS, USES_HEAD_DIM = 1 << GENERAL_HEAD_DIM, USES_D_MODEL = 1 << GENERAL_D_MODEL,
    USES_MASK = 1 << GENERAL_MASK | 1 << GENERAL_WINDOW, USES_MEMORY = 1 << GENERAL_MEMORY, USES_CONTENT = 1 << GENERAL_CONTENT,
    USES_SEED = 1 << GENERAL_SEED, USES_TRAINED = 1 << GENERAL_TRAINED, USES_TARGET = 1 << GENERAL_TARGET,
    USES_ENCODING = 1 << GENERAL_COUNT, USES_SHAPE = USES_N | USES_HEADS | USES_HEAD_DIM | USES_D_MODEL,
};

struct view {
    const char *id;
    const char *title;                                  /* N_(), short: the tab */
    const char *help;                                   /* N_(): "what am I looking at", one paragraph */
    const struct param *params; size_t n_params;        /* at most VIEW_MAX_PARAMS */
    unsigned uses;                                      /* enum uses; the rest changes nothing here and is not offered */
    unsigned (*spares)(const struct scenario *s);       /* what of uses changes nothing as things stand; or NULL */
    const char *const *idle;                            /* parameters of encodings that change nothing here: "layout", "xpos.offset"; or NULL */
    enum view_id (*inner)(const struct scenario *);     /* compare: the picture, and what it depends on, are those of this view; or NULL */
    const char *const *only;                            /* the only ones that change something here; NULL: all but the idle ones */
    const struct action *actions; size_t n_actions;
    int plays;                                          /* space animates: ACTION_TICK so many times a second at most; 0: nothing moves */
    bool follows_cursor;                                /* plan or compute read the cursor: a move asks for a new figure */
    bool compares;                                      /* shows s->other itself: the framework puts no comparison around it */
    bool placeless;                                     /* no token's place shows, or its places are the view's own */
    bool takes_clicks;                                  /* a click on a panel, which moved the cursor there, gives input ACTION_CLICK */
    const char *preset;                                 /* shows it at its best, or NULL */
    /* The value that one of its parameters has while it is absent; NAN: none. NULL: no parameter has one. */
    double (*derived)(const struct scenario *s, int param);
    /* NULL, or N_() why this view has nothing to show here and what to choose instead. */
    const char *(*suits)(const struct scenario *s);
    /* Edits the scenario for one of its actions (or ACTION_TICK); false if nothing changed. */
    bool (*input)(struct scenario *s, int action);
    /* Does the action do anything as things stand? Else the line of keys leaves it out. NULL: always. */
    bool (*offers)(const struct scenario *s, int action);
    bool (*plan)(const struct scenario *s, struct figure *f, struct err *err);
    bool (*compute)(const struct scenario *s, struct figure *f, struct job *job, struct err *err);
    /* The exact value under the cursor. x, y: real coordinates of the panel. */
    bool (*probe)(const struct scenario *s, int panel, double x, double y, struct readout *out);
    /* The text of a report instead of the figure, for a file with this extension ("md"); NULL without a message: no such report.
     * The caller frees it. */
    char *(*report)(const struct scenario *s, const char *extension, struct err *err);
};
enum { ACTION_TICK = -1, ACTION_TICK_BACK = -2,         /* one frame or step of time, and back (`.` and `,`) */
       ACTION_CLICK = -3 };

extern const struct view *const views[];        /* VIEW_COUNT entries in the order of views.def */
const struct view *view_find(const char *id);

/* The length that the pairs of a spectrum were trained on: said by the scenario, else by the spectrum, else the length n. */
double view_trained(const struct scenario *s, const struct spectrum *f);

/* Does a parameter change the picture that is shown? Contract: what does is offered, what does not is not. */
bool view_depends(const struct scenario *s, const struct param_ref *ref);

/* A window of an axis from..to: lo..hi (NAN: all), kept inside. Of things that are counted whole ones, at least one. */
struct span { double from, to; };
struct span view_window(double lo, double hi, double from, double to, bool counts);

/* The view's own parameter's value in a scenario. */
double view_num(const struct scenario *s, enum view_id view, int param);

/* The citations of the layer's encodings that give what is shown (gives NULL: all do), into out. */
void view_sources(const struct scenario *s, bool (*gives)(const struct encoding *), char *out, size_t size);

/* NULL, or N_() why the scenario's view has nothing to show: its own reason, or an encoding that the model's file does not let be computed. */
const char *view_unsuited(const struct scenario *s);
/* The two steps of every figure, for the loop: the view's plan and compute, or the reason why the view does not suit. */
bool view_plan(const struct scenario *s, struct figure *f, struct err *err);
bool view_compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err);
/* A job that nobody replaces or cancels, for view_figure; its previews go nowhere. (worker.c) */
struct job *job_new_alone(int threads);
void job_free_alone(struct job *job);

/* Plans, lays out and computes in one call, without a worker: render, reports, tests. NULL with a message on failure. When the
 * view does not suit, a figure with one text panel says why. */
struct figure *view_figure(const struct scenario *s, int rows, int cols, int heat_rows, int threads, struct err *err);

#endif
