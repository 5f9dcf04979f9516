/* mem.h - allocation that does not fail: out of memory ends the program with a message after the terminal
 * has been restored. Sizes that a file or user chose are bounded before they come here. */
#ifndef POSVIZ_BASE_MEM_H
#define POSVIZ_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);          /* zeroed; count * size is checked */
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);                   /* NULL gives NULL */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Is there room for size bytes in one piece? Asked before libraries that crash or wait for ever where there is none. */
bool mem_has_room(size_t size);

/* Takes MEM_STACK bytes of stack for the calling thread now. A stack grows by itself, but not beyond a limit of memory that is met later:
 * a signal would then end the program where a message is due. Does nothing where the limits leave no room for it. */
enum { MEM_STACK = 1 << 20 };
void mem_keep_stack(void);

/* The message in the user's language, a constant; before that in English. */
void mem_words(const char *out_of_memory);

/* What to run before the message when memory is exhausted (restoring the terminal). NULL: nothing. */
void mem_before_exit(void (*restore)(void));

#endif
