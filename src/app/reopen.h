/* reopen.h - figures as files that can be opened again: the command that a figure carries, written and read.
 *
 *     posviz similarity -m config.json --lang en -s n=300 # --size 100x40 --dpi 300 revision=0123... reading=0123...
 *
 * The words in front of '#' show the scenario (command_line.h). Behind it stand the options of `posviz render` that differ from the usual ones, and
 * what the model file was then: its revision in a store, and the fingerprint of what it said (facts.h). */
#ifndef POSVIZ_APP_REOPEN_H
#define POSVIZ_APP_REOPEN_H

#include "app/options.h"
#include "app/picture.h"
#include "export/export.h"

/* How a figure was drawn; 0, and -1 for the panel: as usual. */
struct drawn { int cols, rows, panel; double dpi; };

enum { DRAWN_DPI = 150, DRAWN_COLS = 80 };
/* Rows that a file has unless somebody asks for others. */
int drawn_rows(const struct export_format *format);

/* What a figure of s, drawn so, is to carry: fills o->command and o->model. */
void carried_write(struct export_options *o, const struct scenario *s, const struct drawn *d);

/* Puts s where the figure was taken, in the figure's language unless --lang asked for that of s. The file is untrusted: what it carries is read as words of the command line, those that
 * choose what to show and no other. */
bool reopen_scenario(const char *figure, struct scenario *s, struct err *err);
/* How it was drawn. */
bool reopen_drawn(const char *figure, struct drawn *d, struct err *err);
/* What is not as it was when the figure was made, as one line, NULL: nothing; s as reopen_scenario left it. The caller frees it. */
char *reopen_changes(const char *figure, const struct scenario *s);

#endif
