#include "app/pace.h"

#include <stdlib.h>
#include <time.h>

enum { FPS_SSH = 12, FPS_LEAST = 4, QUICK_FRAMES = 60 };

void pace_init(struct pace *p, int fps)
{
    const char *ssh = getenv("SSH_CONNECTION");
    *p = (struct pace){.most = ssh && *ssh && fps > FPS_SSH ? FPS_SSH : fps};
    p->fps = p->most;
}

long pace_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

bool pace_due(struct pace *p, long now)
{
    double frame = 1000.0 / p->fps, late = (double)now - p->due;
    if (late < 0)
        return false;
    p->due = late > frame ? (double)now + frame : p->due + frame;       /* keeps the beat, does not catch up */
    return true;
}

void pace_wrote(struct pace *p, long ms)
{
    if (ms > 500 / p->fps) {
        p->fps = p->fps / 2 > FPS_LEAST ? p->fps / 2 : p->fps < FPS_LEAST ? p->fps : FPS_LEAST;
        p->quick = 0;
    } else if (++p->quick >= QUICK_FRAMES) {
        p->fps = 2 * p->fps < p->most ? 2 * p->fps : p->most;
        p->quick = 0;
    }
}
