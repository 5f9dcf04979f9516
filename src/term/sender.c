#include "term/sender.h"

#include <errno.h>
#include <unistd.h>

#include "term/rescue.h"

void sender_done(struct sender *s)
{
    frame_free(s->frame);
    canvas_free(s->waiting);
    buf_done(&s->tail);
    buf_done(&s->out);
}

bool sender_waits(const struct sender *s)
{
    return s->sent < s->out.n;
}

/* One write; what it does not take is for the next time. */
static void send(struct sender *s)
{
    ssize_t n = 0;
    if (sender_waits(s) && !s->gone)
        n = write(rescue.out, s->out.data + s->sent, s->out.n - s->sent);
    if (n > 0)
        s->sent += (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        s->gone = true;
    if (s->gone)
        s->sent = s->out.n;
    rescue.cut = sender_waits(s);
}

/* Starts on what waits: the newest frame, then what was to follow it. */
static void begin(struct sender *s)
{
    s->out.n = s->sent = 0;
    if (s->waiting) {
        frame_compose(s->frame, &s->out, s->waiting, s->rows, s->cols, s->cursor_y, s->cursor_x);
        canvas_free(s->waiting);
        s->waiting = NULL;
    }
    buf_put(&s->out, s->tail.data, s->tail.n);
    s->tail.n = 0;
}

bool sender_flush(struct sender *s)
{
    for (;;) {
        send(s);
        if (sender_waits(s))
            return false;
        if (!s->waiting && s->tail.n == 0)
            return true;
        begin(s);
    }
}

bool sender_frame(struct sender *s, const struct canvas *c, int cursor_y, int cursor_x)
{
    canvas_free(s->waiting);
    s->waiting = canvas_copy(c);
    s->cursor_y = cursor_y;
    s->cursor_x = cursor_x;
    return sender_flush(s);
}

bool sender_bytes(struct sender *s, const char *bytes, size_t n)
{
    buf_put(&s->tail, bytes, n);
    return sender_flush(s);
}

void sender_drop(struct sender *s)
{
    s->sent = s->out.n;
}
