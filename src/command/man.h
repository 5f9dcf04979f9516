/* man.h - the man page, in troff, from the tables that the program works by. */
#ifndef POSVIZ_COMMAND_MAN_H
#define POSVIZ_COMMAND_MAN_H

#include "base/buf.h"
#include "base/lang.h"

/* Its date is that of SOURCE_DATE_EPOCH, else of the commit that was built; none where neither is known. */
void man_page(struct buf *t, enum lang l);

#endif
