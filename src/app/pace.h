/* pace.h - how fast an animation runs: as its view says and the terminal takes it, 12 frames a second at most over SSH; halved when
 * writing a frame takes more than half of its time, raised again when it is quick for long. */
#ifndef POSVIZ_APP_PACE_H
#define POSVIZ_APP_PACE_H

#include <stdbool.h>

struct pace {
    int most, fps;
    int quick;              /* frames in a row that were written quickly */
    double due;             /* ms: when the next frame is due */
};
void pace_init(struct pace *p, int fps);                /* looks at SSH_CONNECTION */
long pace_now(void);                                    /* ms, monotonic */
/* True when a frame is due at now, and then sets the time of the next. */
bool pace_due(struct pace *p, long now);
void pace_wrote(struct pace *p, long ms);               /* the time a frame took to reach the terminal */

#endif
