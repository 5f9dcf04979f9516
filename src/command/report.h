/* report.h - the text of a report for people, put together piece by piece: columns, headings, text that is wrapped. The width does not
 * ask the terminal, so that a report in a file is the same everywhere. */
#ifndef POSVIZ_COMMAND_REPORT_H
#define POSVIZ_COMMAND_REPORT_H

#include "base/buf.h"

enum { REPORT_WIDTH = 100 };

void report_pad(struct buf *out, int cells);
/* text, then blanks up to `cells` (at least two). */
void report_column(struct buf *out, const char *text, int cells);
/* Ends the line without blanks behind it. */
void report_end_line(struct buf *out);
/* A line by itself, with an empty one before. */
void report_heading(struct buf *out, const char *text);
/* Lines by the rules of wrap.h, each behind so many blanks, none beyond column `right`. */
void report_paragraph(struct buf *out, const char *text, int indent, int right);
/* Words from column `indent` on, no line beyond REPORT_WIDTH; the first line begins where the cursor is, at column `at`. */
void report_flow(struct buf *out, const char *text, int indent, int at);

#endif
