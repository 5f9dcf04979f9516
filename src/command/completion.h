/* completion.h - what a shell completes: scripts for bash, zsh and fish, and the words that they ask the program for, so that a script
 * once installed knows the models, presets and codes of today. */
#ifndef POSVIZ_COMMAND_COMPLETION_H
#define POSVIZ_COMMAND_COMPLETION_H

#include "base/buf.h"
#include "base/lang.h"

void completion_bash(struct buf *t, enum lang l);
void completion_zsh(struct buf *t, enum lang l);
void completion_fish(struct buf *t, enum lang l);

/* The words that may stand behind an option ("-p") or a verb ("explain"), one a line; nothing where any file may. */
void completion_words(struct buf *t, const char *behind);

#endif
