/* tour.h - lessons: a list of steps, each a text beside a live view set to exact parameters. A lesson is a JSON file:
 *
 *     {
 *       "id": "waves", "title": {"en": "...", "zh": "..."}, "minutes": 10,
 *       "start": {...},                        a scenario's edits on the defaults (from_json.c), where step 1 begins
 *       "steps": [
 *         {
 *           "title": {"en", "zh"}, "text": {"en", "zh"},      the idea of the step; at most 60 columns wide when shown large
 *           "notes": {"en", "zh"},                            for the presenter's second terminal (--notes)
 *           "set": {...},                                     edits on the scenario of the step before
 *           "panel": 0,                                       the panel that large-cell mode shows, absent: the first
 *           "quiz": {
 *             "answers": [{"text": {"en", "zh"}, "right": true}, {"text": ..., "why": {"en", "zh"}, "set": {...}}]
 *           }                                                  a wrong answer's "set" leads to the view that corrects it
 *         }
 *       ]
 *     }
 *
 * Steps build on each other: the scenario of step n is the start with the edits of steps 1 to n, so a lesson gives the same screens every
 * time. tour_load, tour_scenario for a step, tour_free. */
#ifndef POSVIZ_SCENARIO_TOUR_H
#define POSVIZ_SCENARIO_TOUR_H

#include "scenario/scenario.h"

enum { TOUR_MAX_STEPS = 64, TOUR_MAX_ANSWERS = 6 };

struct tour_answer {
    const char *text[LANG_COUNT], *why[LANG_COUNT];     /* why: NULL where there is none */
    bool right;
    const struct json *set;                             /* or NULL */
};
struct tour_step {
    const char *title[LANG_COUNT], *text[LANG_COUNT], *notes[LANG_COUNT];
    const struct json *set;
    int panel;
    struct tour_answer answer[TOUR_MAX_ANSWERS]; size_t n_answers;      /* 0: no quiz */
};
struct tour {
    char id[64];
    const char *title[LANG_COUNT];
    double minutes;
    const struct json *start;                           /* or NULL */
    struct tour_step *step; size_t n_steps;
    struct json *root;                                  /* owns every text above */
};

/* The name of the built-in lesson that a preset is, "02-waves"; NULL: it is none. */
const char *tour_of(const struct preset *p);
/* The built-in lesson of this name, with its number, without, or by its number ("02-waves", "waves", "2"); NULL if there is none. */
const struct preset *tour_find(const char *name);
/* A built-in lesson (tour_find), or a path to a file (a name with a dot or a slash). Every key must be known and both languages there; a
 * message names step and key. */
struct tour *tour_load(const char *name, struct err *err);
void tour_free(struct tour *t);                         /* NULL is allowed */
/* Opens every step with every answer: false and a message that names step and key if one does not open. */
bool tour_check(const struct tour *t, struct err *err);

/* The scenario of a step (from 0), with language, colours and large-cell mode from like. answer: -1, or the quiz answer that was given. *out is
 * uninitialised storage; filled only on success. */
bool tour_scenario(const struct tour *t, size_t step, int answer, const struct scenario *like, struct scenario *out, struct err *err);

/* Puts *s at a step of a lesson (name as for tour_load), with s's display; step is cut to the lesson's. */
bool tour_enter(struct scenario *s, const char *name, int step, int answer, struct err *err);
/* The step where *s stands; t is the lesson of s->lesson. */
const struct tour_step *tour_step_of(const struct tour *t, const struct scenario *s);
/* The step and its lesson's title for the text panel: title, text, then the quiz or what was answered; t is the lesson of s->lesson. Appended to
 * out, at most size bytes. */
void tour_write(const struct tour *t, const struct scenario *s, char *out, size_t size);
/* What the presenter should see: where in the lesson, the step's notes, the right answer, what comes next. Appended likewise. */
void tour_notes(const struct tour *t, const struct scenario *s, char *out, size_t size);

#endif
