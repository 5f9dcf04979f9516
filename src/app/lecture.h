/* lecture.h - what a lecturer has beside the screen: steps that go on by themselves (--play), notes on a second terminal (--notes),
 * and a recording (--cast).
 *
 * lecture_open, then lecture_turn in every turn of the loop and lecture_frame after every frame, lecture_close. lecture_record goes
 * through a lesson without a terminal. */
#ifndef POSVIZ_APP_LECTURE_H
#define POSVIZ_APP_LECTURE_H

#include "app/cast.h"
#include "scenario/scenario.h"

struct app;

struct lecture {
    double seconds;                 /* a step stands so long; NAN: until a key */
    bool loop;                      /* from the last step to the first, without end */
    const char *notes;              /* file, FIFO or terminal; NULL: none */
    const char *cast_path; bool force;              /* NULL: no recording */

    struct cast *cast;
    int notes_fd;                   /* -1: nobody reads yet */
    int notes_error;                /* errno of notes that were lost; 0: none */
    bool entered;                   /* at is there */
    struct lesson_place at;         /* the step that notes and recording know of */
    enum lang lang;                 /* of the notes there */
    long began, due;                /* ms */
};

/* False with a message if notes or recording could not be written. */
bool lecture_open(struct lecture *l, const char *title, struct err *err);
/* Writes the recording; false with a message if it or the notes could not be written. */
bool lecture_close(struct lecture *l, struct err *err);

void lecture_turn(struct app *app);                     /* a new step? time for the next? */
long lecture_due(const struct app *app);                /* ms when time brings a step; -1: never */
void lecture_frame(struct app *app);                    /* what has just been shown */
/* Plays the lesson that the program stands in, from there to its end, each step drawn when it is complete: the recording of a
 * lesson without anybody there, the same every time. */
void lecture_record(struct app *app);

#endif
