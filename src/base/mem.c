#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void (*before_exit)(void);

void mem_before_exit(void (*restore)(void))
{
    before_exit = restore;
}

static const char *words = "out of memory";

void mem_words(const char *out_of_memory)
{
    words = out_of_memory;
}

static void *checked(void *p)
{
    if (p)
        return p;
    if (before_exit)
        before_exit();
    fputs("posviz: ", stderr);
    fputs(words, stderr);
    fputs("\n", stderr);
    fflush(stdout);
    _exit(2);               /* libraries' own endings need memory too */
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
    if (!count || !size)
        count = size = 1;
    return checked(reallocarray(old, count, size));
}

char *xstrdup(const char *text)
{
    return text ? checked(strdup(text)) : NULL;
}

char *xvasprintf(const char *fmt, va_list ap)
{
    char *out;
    return checked(vasprintf(&out, fmt, ap) < 0 ? NULL : out);
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *out = xvasprintf(fmt, ap);
    va_end(ap);
    return out;
}

bool mem_has_room(size_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, size) == 0;
}

/* The system extends the stack down to the lowest byte that is touched; the pages between cost nothing before they are used. */
static __attribute__((noinline)) char touch_stack(void)
{
    volatile char room[MEM_STACK];
    room[0] = 0;
    return room[0];
}

void mem_keep_stack(void)
{
    struct rlimit stack;
    bool may_grow = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 2 > MEM_STACK;
    if (may_grow && mem_has_room(MEM_STACK))
        touch_stack();
}
