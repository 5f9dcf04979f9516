/* term_curses.c - a real terminal; the only file that sees curses.h.
 *
 * curses finds the terminal's description, sets its modes and decodes its keys. It draws nothing: every cell goes through
 * frame.c. Measured at 120 x 40 in 24-bit colours, a screen of text in which every cell changes costs 0.4 ms and 24 kB a frame
 * here, 1.3 ms and 30 kB by curses; one changed line costs the same; a moving heatmap of 200 x 60 costs 1.4 ms here, 11 by
 * curses, which also sends it in nearly 200 writes and wants a pair number for each two colours. One writer for all cells is
 * less code than two that must not damage each other.
 *
 * Nothing here waits for the terminal. A frame is one run of bytes, written to an own open description of the terminal that
 * does not block, so that the shell's stays as it was. What the terminal does not take is kept; of the frames that wait only
 * the newest is ever sent. Signals write their number into a pipe and are read with the keys. However the program ends, the
 * terminal is put back by term_restore. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "term/backend.h"
#include "term/frame.h"
#include "term/terminfo.h"

/* What kind of terminal this is. */

struct kind {
    const char *name;               /* of the terminfo entry */
    const char *inline_entry;       /* one of ours, or NULL: from the system's database */
    int depth;                      /* enum color_depth, or -1: as many colours as the entry says */
};

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* name, or name-something */
static bool is_family(const char *term, const char *name)
{
    size_t n = strlen(name);
    return starts_with(term, name) && (term[n] == '\0' || term[n] == '-');
}

/* Terminals that understand what xterm does, 24-bit colours included where COLORTERM says so. */
static bool like_xterm(const char *term)
{
    static const char *const names[] = {"xterm", "alacritty", "foot", "kitty", "wezterm", "ghostty", "konsole",
                                        "vte", "gnome", "iterm2", "mintty", "contour", "st"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_family(term, names[i]))
            return true;
    return false;
}

static bool claims_truecolor(const char *term)
{
    size_t n = strlen(term);
    const char *hint = env("COLORTERM");
    return !strcmp(hint, "truecolor") || !strcmp(hint, "24bit") || (n > 7 && !strcmp(term + n - 7, "-direct"));
}

/* GNU screen has no 24-bit colours; tmux keeps them and converts for the terminal outside, so they are always safe there.
 * Elsewhere COLORTERM must say so: ssh and sudo often drop it, and then 256 colours are what is certain. */
static struct kind kind_of_terminal(void)
{
    const char *term = env("TERM");
    struct kind ours = {"posviz-xterm", terminfo_xterm, DEPTH_TRUECOLOR}, tmux = {"posviz-tmux", terminfo_tmux, DEPTH_TRUECOLOR};
    struct kind kind = {term, NULL, -1};
    if (*env("STY")) {
        kind = tmux;
        kind.depth = DEPTH_256;
    } else if (is_family(term, "tmux") || *env("TMUX")) {
        kind = like_xterm(term) ? ours : tmux;
    } else if (like_xterm(term) && claims_truecolor(term)) {
        kind = ours;
    }
    if (*env("NO_COLOR"))
        kind.depth = DEPTH_MONO;
    return kind;
}

static enum color_depth depth_from_colors(int colors)
{
    return colors >= 256 ? DEPTH_256 : colors >= 8 ? DEPTH_16 : DEPTH_MONO;
}

/* The locale names another encoding than UTF-8. C and POSIX name none: nearly every terminal in use is UTF-8. */
static bool locale_is_not_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    const char *codeset = nl_langinfo_l(CODESET, locale);
    bool other = strcmp(codeset, "UTF-8") != 0 && strcmp(codeset, "ANSI_X3.4-1968") != 0 && strcmp(codeset, "US-ASCII") != 0;
    freelocale(locale);
    return other;
}

/* Putting the terminal back, from anywhere. */

static struct {
    volatile sig_atomic_t taken;    /* the terminal is ours and must be put back */
    volatile sig_atomic_t cut;      /* a frame is half sent */
    int in, out;
    struct termios original;
    char bytes[512];
    size_t n;
} saved;

enum { RESTORE_WAIT_MS = 300 };

/* Sends all of it if the terminal takes it within the time; a terminal that does not read is not waited for. */
static void send_now(const char *bytes, size_t n)
{
    struct pollfd writable = {.fd = saved.out, .events = POLLOUT};
    while (n > 0 && poll(&writable, 1, RESTORE_WAIT_MS) > 0) {
        ssize_t sent = write(saved.out, bytes, n);
        if (sent <= 0)
            return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

void term_restore(void)
{
    if (!saved.taken)
        return;
    int error = errno;
    saved.taken = 0;
    struct pollfd writable = {.fd = saved.out, .events = POLLOUT};
    if (poll(&writable, 1, RESTORE_WAIT_MS) <= 0)
        tcflush(saved.out, TCOFLUSH);           /* stopped or not reading: what waits is lost, the end is not */
    if (saved.cut)
        send_now("\030", 1);                    /* CAN ends a sequence that was cut in its middle */
    send_now(saved.bytes, saved.n);
    tcflush(saved.in, TCIFLUSH);                /* mouse reports on their way are not for the shell */
    tcsetattr(saved.in, TCSANOW, &saved.original);
    errno = error;
}

/* Signals. */

static int signal_pipe[2] = {-1, -1};
static struct sigaction old_action[NSIG];

static void note_signal(int sig)
{
    int error = errno;
    unsigned char byte = (unsigned char)sig;
    ssize_t ignored = write(signal_pipe[1], &byte, 1);
    (void)ignored;
    errno = error;
}

static void crash(int sig)
{
    term_restore();
    sigaction(sig, &old_action[sig], NULL);
    raise(sig);
}

static const int noted_signals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP};
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSYS};

static void handle(int sig, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

/* Before newterm, which sets handlers of its own. */
static void save_signals(void)
{
    for (size_t i = 0; i < sizeof noted_signals / sizeof *noted_signals; i++)
        sigaction(noted_signals[i], NULL, &old_action[noted_signals[i]]);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        sigaction(crash_signals[i], NULL, &old_action[crash_signals[i]]);
}

static void handle_signals(void)
{
    static char crash_stack[65536];             /* the ordinary one may be what overflowed */
    sigaltstack(&(stack_t){.ss_sp = crash_stack, .ss_size = sizeof crash_stack}, NULL);
    for (size_t i = 0; i < sizeof noted_signals / sizeof *noted_signals; i++)
        handle(noted_signals[i], note_signal, SA_RESTART);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        handle(crash_signals[i], crash, SA_ONSTACK | SA_NODEFER);
}

static void unhandle_signals(void)
{
    for (size_t i = 0; i < sizeof noted_signals / sizeof *noted_signals; i++)
        sigaction(noted_signals[i], &old_action[noted_signals[i]], NULL);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        sigaction(crash_signals[i], &old_action[crash_signals[i]], NULL);
}

/* The terminal. */

struct curses {
    struct term term;
    SCREEN *screen;
    WINDOW *pad;                    /* keys are read from a pad, because reading from a window would draw it */
    FILE *in;
    struct termios modes;           /* as the program wants them */
    char screen_on[128], modes_on[128];         /* what takes the terminal */
    bool gone;                      /* hung up: nothing is written any more */

    struct codes codes;
    struct frame *frame;
    struct canvas *waiting;         /* the newest canvas, if its frame has not begun */
    int cursor_y, cursor_x;
    struct buf tail;                /* goes out after the waiting frame */
    struct buf out;                 /* going out: bytes [sent, n) are left */
    size_t sent;

    bool resized;                   /* report the size though no signal came */
    unsigned pings;
    char character[5];              /* bytes of a UTF-8 character that is not complete */
    int n_character;
    enum { PLAIN, IN_MOUSE, IN_UNKNOWN } sequence;
    int field, report[3];           /* of a mouse report */
    int pressed;
    struct event held;              /* read ahead while joining mouse movements */
};

static struct curses *curses_of(struct term *t)
{
    return (struct curses *)t;
}

enum { MAX_SIDE = 2048, DEFAULT_ROWS = 24, DEFAULT_COLS = 80 };

static int within(int value, int fallback)
{
    return value <= 0 ? fallback : value > MAX_SIDE ? MAX_SIDE : value;
}

static void read_size(struct curses *t)
{
    struct winsize size = {0};
    ioctl(saved.out, TIOCGWINSZ, &size);
    t->term.rows = within(size.ws_row, DEFAULT_ROWS);
    t->term.cols = within(size.ws_col, DEFAULT_COLS);
}

/* Writing. */

/* One write; what it does not take is for the next time. */
static void send(struct curses *t)
{
    ssize_t n = 0;
    if (t->sent < t->out.n && !t->gone)
        n = write(saved.out, t->out.data + t->sent, t->out.n - t->sent);
    if (n > 0)
        t->sent += (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        t->gone = true;
    if (t->gone)
        t->sent = t->out.n;
    saved.cut = t->sent < t->out.n;
}

/* Starts on what waits: the newest frame, then what was to follow it. */
static void begin(struct curses *t)
{
    t->out.n = t->sent = 0;
    if (t->waiting) {
        frame_compose(t->frame, &t->out, t->waiting, t->term.rows, t->term.cols, t->cursor_y, t->cursor_x);
        t->term.frame_bytes = t->out.n;
        canvas_free(t->waiting);
        t->waiting = NULL;
    }
    buf_put(&t->out, t->tail.data, t->tail.n);
    t->tail.n = 0;
}

static bool curses_flush(struct term *term)
{
    struct curses *t = curses_of(term);
    for (;;) {
        send(t);
        if (t->sent < t->out.n)
            return false;
        if (!t->waiting && t->tail.n == 0)
            return true;
        begin(t);
    }
}

static bool curses_present(struct term *term, const struct canvas *c, int cursor_y, int cursor_x)
{
    struct curses *t = curses_of(term);
    canvas_free(t->waiting);
    t->waiting = canvas_copy(c);
    t->cursor_y = cursor_y;
    t->cursor_x = cursor_x;
    return curses_flush(term);
}

static int curses_write_fd(const struct term *term)
{
    const struct curses *t = (const struct curses *)term;
    return t->sent < t->out.n ? saved.out : -1;
}

static void curses_write(struct term *term, const char *bytes, size_t n)
{
    buf_put(&curses_of(term)->tail, bytes, n);
    curses_flush(term);
}

static void curses_sync(struct term *term, unsigned number)
{
    char marker[64];
    int n = snprintf(marker, sizeof marker, "\033]7777;%u;%d;%d\a", number, term->rows, term->cols);
    curses_write(term, marker, (size_t)n);
}

/* Taking and leaving. */

static void take(struct curses *t)
{
    tcsetattr(saved.in, TCSANOW, &t->modes);
    saved.taken = 1;
    frame_invalidate(t->frame);
    t->resized = true;
    curses_write(&t->term, t->modes_on, strlen(t->modes_on));
}

static void curses_suspend(struct term *term)
{
    struct curses *t = curses_of(term);
    term_restore();
    t->sent = t->out.n;                         /* what was half sent is lost */
    saved.cut = 0;
    handle(SIGTSTP, SIG_DFL, 0);
    handle(SIGCONT, SIG_DFL, 0);
    raise(SIGTSTP);                             /* an orphaned process group is not stopped and goes on at once */
    handle(SIGTSTP, note_signal, SA_RESTART);
    handle(SIGCONT, note_signal, SA_RESTART);
    curses_write(term, t->screen_on, strlen(t->screen_on));
    take(t);
}

/* Reading. */

static struct event resize_event(struct curses *t)
{
    t->resized = false;
    read_size(t);
    return (struct event){.type = EVENT_RESIZE, .rows = t->term.rows, .cols = t->term.cols};
}

static struct event signal_event(struct curses *t, int sig)
{
    switch (sig) {
    case SIGWINCH:
        return resize_event(t);
    case SIGTSTP:
        return (struct event){.type = EVENT_SUSPENDED};
    case SIGCONT:                               /* the shell may have changed the modes: they and the screen are set again */
        take(t);
        return resize_event(t);
    case SIGHUP:
        return (struct event){.type = EVENT_HANGUP};
    default:
        return (struct event){.type = EVENT_QUIT};
    }
}

enum { CODE_SYNC = 40000, CODE_MOUSE };         /* curses numbers the keys of extended entries from KEY_MAX + 1 */

static const struct { int code; uint32_t key; } keys[] = {
    {KEY_UP, KEY_CODE_UP}, {KEY_DOWN, KEY_CODE_DOWN}, {KEY_LEFT, KEY_CODE_LEFT}, {KEY_RIGHT, KEY_CODE_RIGHT},
    {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN}, {KEY_HOME, KEY_CODE_HOME}, {KEY_END, KEY_CODE_END},
    {KEY_IC, KEY_CODE_INSERT}, {KEY_DC, KEY_CODE_DELETE}, {KEY_BACKSPACE, KEY_CODE_BACKSPACE}, {KEY_BTAB, KEY_CODE_SHIFT_TAB},
    {KEY_SR, KEY_CODE_SHIFT_UP}, {KEY_SF, KEY_CODE_SHIFT_DOWN}, {KEY_SLEFT, KEY_CODE_SHIFT_LEFT},
    {KEY_SRIGHT, KEY_CODE_SHIFT_RIGHT}, {KEY_ENTER, KEY_RETURN}, {'\n', KEY_RETURN}, {0x7f, KEY_CODE_BACKSPACE},
    {'\b', KEY_CODE_BACKSPACE},
};

/* Forms of the same keys that terminals send whatever mode their entry asked for. */
static const struct { const char *bytes; int code; } more_keys[] = {
    {"\033[A", KEY_UP}, {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT}, {"\033[H", KEY_HOME},
    {"\033[F", KEY_END}, {"\033[1~", KEY_HOME}, {"\033[4~", KEY_END}, {"\033[1;2A", KEY_SR}, {"\033[1;2B", KEY_SF},
    {"\033[1;2C", KEY_SRIGHT}, {"\033[1;2D", KEY_SLEFT}, {"\033[Z", KEY_BTAB},
};

static bool key_event(uint32_t key, struct event *event)
{
    *event = (struct event){.type = EVENT_KEY, .key = key};
    return true;
}

static bool coded_key(int code, struct event *event)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == code)
            return key_event(keys[i].key, event);
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return key_event(KEY_CODE_F1 + (uint32_t)(code - KEY_F(1)), event);
    return code < KEY_MIN && key_event((uint32_t)code, event);
}

/* A mouse report in SGR form is ESC [ < buttons ; x ; y, then M, or m for a release. Buttons: 0 to 2, 3 none, 32 moved, 64 wheel;
 * 4, 8, 16 are shift, meta, control. */
static bool mouse_event(struct curses *t, bool release, struct event *event)
{
    int buttons = t->report[0], button = buttons & 3;
    *event = (struct event){.type = EVENT_MOUSE, .x = t->report[1] - 1, .y = t->report[2] - 1, .button = button % 3 + 1};
    if (buttons & 64) {
        event->mouse = button == 0 ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
        event->button = 0;
        return button < 2;
    }
    if (buttons & 32) {
        event->mouse = button == 3 ? MOUSE_MOVE : MOUSE_DRAG;
        event->button = button == 3 ? 0 : event->button;
        return true;
    }
    event->mouse = release || button == 3 ? MOUSE_RELEASE : MOUSE_PRESS;
    return true;
}

static bool mouse_byte(struct curses *t, int ch, struct event *event)
{
    if (ch >= '0' && ch <= '9') {
        if (t->report[t->field] < 10000)
            t->report[t->field] = 10 * t->report[t->field] + ch - '0';
        return false;
    }
    if (ch == ';' && t->field < 2) {
        t->field++;
        return false;
    }
    t->sequence = PLAIN;
    return (ch == 'M' || ch == 'm') && t->field == 2 && mouse_event(t, ch == 'm', event);
}

/* An escape sequence that no key has: it is read to its end, so that its letters are not taken for keys. */
static bool unknown_byte(struct curses *t, int ch)
{
    if (ch < 0x20 || ch > 0x3f)
        t->sequence = PLAIN;
    return false;
}

static bool escape(struct curses *t, struct event *event)
{
    int next = wgetch(t->pad);
    if (next == '[') {
        t->sequence = IN_UNKNOWN;
        return false;
    }
    if (next != ERR)
        ungetch(next);
    return key_event(KEY_ESCAPE, event);
}

/* Bytes above ASCII join until they are a character; what cannot become one is dropped. */
static bool character_byte(struct curses *t, int ch, struct event *event)
{
    bool continues = (ch & 0xc0) == 0x80;
    if (!continues)
        t->n_character = 0;
    if (t->n_character == 4 || (continues && t->n_character == 0))
        return false;
    t->character[t->n_character++] = (char)ch;
    t->character[t->n_character] = '\0';
    const char *p = t->character;
    uint32_t c = utf8_next(&p);
    if (p - t->character < t->n_character || (c == 0xfffd && t->n_character == 1))
        return false;
    t->n_character = 0;
    return key_event(c, event);
}

/* What one code from curses means; false if nothing yet. */
static bool decode(struct curses *t, int ch, struct event *event)
{
    if (ch >= KEY_MIN)
        t->sequence = PLAIN;                    /* a whole key: what was begun has been given up */
    if (ch == CODE_SYNC) {
        *event = (struct event){.type = EVENT_SYNC, .sync = ++t->pings};
        return true;
    }
    if (ch == CODE_MOUSE) {
        t->sequence = IN_MOUSE;
        t->field = t->report[0] = t->report[1] = t->report[2] = 0;
        return false;
    }
    if (t->sequence == IN_MOUSE)
        return mouse_byte(t, ch, event);
    if (t->sequence == IN_UNKNOWN)
        return unknown_byte(t, ch);
    if (ch == KEY_ESCAPE)
        return escape(t, event);
    if (ch >= 0x80 && ch < KEY_MIN)
        return character_byte(t, ch, event);
    return coded_key(ch, event);
}

static bool hung_up(int error)
{
    struct pollfd in = {.fd = saved.in, .events = POLLIN};
    return error == EIO || (poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static struct event next_input(struct curses *t)
{
    struct event event;
    int ch;
    errno = 0;
    while ((ch = wgetch(t->pad)) != ERR)
        if (decode(t, ch, &event))
            return event;
    return (struct event){.type = t->gone || hung_up(errno) ? EVENT_HANGUP : EVENT_NONE};
}

static bool is_motion(const struct event *e)
{
    return e->type == EVENT_MOUSE && (e->mouse == MOUSE_MOVE || e->mouse == MOUSE_DRAG);
}

/* Movements that queued while the program was busy are one movement. */
static struct event input_event(struct curses *t)
{
    struct event event = t->held;
    t->held.type = EVENT_NONE;
    if (event.type == EVENT_NONE)
        event = next_input(t);
    while (is_motion(&event)) {
        t->held = next_input(t);
        if (!is_motion(&t->held) || t->held.mouse != event.mouse || t->held.button != event.button)
            break;
        event = t->held;
        t->held.type = EVENT_NONE;
    }
    return event;
}

static struct event curses_read(struct term *term)
{
    struct curses *t = curses_of(term);
    unsigned char sig;
    curses_flush(term);                         /* an answer or copied text may wait, of which no frame knows */
    if (read(signal_pipe[0], &sig, 1) == 1)
        return signal_event(t, sig);
    if (t->resized)
        return resize_event(t);
    return input_event(t);
}

static int curses_fds(const struct term *term, int fds[2])
{
    (void)term;
    fds[0] = saved.in;
    fds[1] = signal_pipe[0];
    return 2;
}

/* Opening and closing. */

/* A capability without its padding: no terminal in use needs it, and it must never make the program wait. */
static char *capability(const char *name)
{
    const char *code = tigetstr(name);
    if (!code || code == (char *)-1)
        return NULL;
    struct buf clean = {0};
    while (*code) {
        const char *end = code[0] == '$' && code[1] == '<' ? strchr(code, '>') : NULL;
        if (end)
            code = end + 1;
        else
            buf_put(&clean, code++, 1);
    }
    return buf_string(&clean);
}

static char *cursor_address;                    /* for move_by_terminfo, which has no other way to know it */

static void move_by_terminfo(struct buf *out, int y, int x)
{
    buf_text(out, tparm(cursor_address, (long)y, (long)x, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
}

/* The sixteen colours as the entry writes them; ours write 24 bits there, so for them as ECMA-48 does. */
static void read_colors(struct codes *codes, bool ours)
{
    char *set[2] = {ours ? NULL : capability("setaf"), ours ? NULL : capability("setab")};
    codes->bright = !set[0] || tigetnum("colors") >= 16;
    for (int i = 0; i < 16; i++)
        for (int back = 0; back < 2; back++) {
            char **code = back ? &codes->back[i] : &codes->fore[i];
            int sgr = (i < 8 ? 30 + i : 82 + i) + 10 * back;
            *code = set[back] ? xstrdup(tparm(set[back], (long)i, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L)) : xasprintf("\033[%dm", sgr);
        }
    free(set[0]);
    free(set[1]);
}

/* no_color_video: bits of attributes that colours would overwrite. */
static int not_with_color(void)
{
    int bits = tigetnum("ncv");
    return bits <= 0 ? 0 : (bits & 2 ? ATTR_UNDERLINE : 0) | (bits & 16 ? ATTR_DIM : 0) | (bits & 32 ? ATTR_BOLD : 0);
}

static void read_codes(struct codes *codes, enum color_depth depth, const struct kind *kind)
{
    *codes = (struct codes){
        .depth = depth,
        .clear = capability("clear"),
        .plain = capability("sgr0"),
        .bold = capability("bold"),
        .dim = capability("dim"),
        .underline = capability("smul"),
        .reverse = capability("rev"),
        .hide_cursor = capability("civis"),
        .show_cursor = capability("cnorm"),
        .not_with_color = not_with_color(),
        .ansi = strcmp(cursor_address, "\033[%i%p1%d;%p2%dH") == 0,
        .move = move_by_terminfo,
        .clears_in_color = tigetflag("bce") == 1,
        .scrolls_at_end = tigetflag("am") == 1 && tigetflag("xenl") != 1,
        .synchronized = tigetnum("colors") >= 256,
        .console_font = is_family(kind->name, "linux"),
    };
    read_colors(codes, kind->inline_entry != NULL);
}

static void free_codes(struct codes *codes)
{
    const char *const all[] = {codes->clear, codes->plain, codes->bold, codes->dim, codes->underline, codes->reverse,
                               codes->hide_cursor, codes->show_cursor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free((char *)all[i]);
    for (int i = 0; i < 16; i++) {
        free(codes->fore[i]);
        free(codes->back[i]);
    }
    free(cursor_address);
    cursor_address = NULL;
}

#ifdef __SANITIZE_ADDRESS__
/* newterm forgets 1.6 kB when it does not know the terminal; that is no leak of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:new_prescr";
}
#endif

/* newterm reads TERMINFO, where our entry stands as text; the user's own value comes back behind it. */
static SCREEN *new_screen(const struct kind *kind, FILE *in)
{
    if (!kind->inline_entry)
        return newterm(kind->name, stdout, in);
    const char *value = getenv("TERMINFO");
    char *old = xstrdup(value);
    setenv("TERMINFO", kind->inline_entry, 1);
    SCREEN *screen = newterm(kind->name, stdout, in);
    if (old)
        setenv("TERMINFO", old, 1);
    else
        unsetenv("TERMINFO");
    free(old);
    return screen;
}

/* A likeness of xterm that the database lacks gets our entry; a curses that cannot read ours gets the database's. */
static SCREEN *find_screen(struct kind *kind, FILE *in)
{
    SCREEN *screen = new_screen(kind, in);
    if (screen)
        return screen;
    if (kind->inline_entry)
        *kind = (struct kind){env("TERM"), NULL, kind->depth};
    else if (like_xterm(kind->name))
        *kind = (struct kind){"posviz-xterm", terminfo_xterm, kind->depth};
    else
        return NULL;
    return new_screen(kind, in);
}

/* The terminal again, as an open description of our own: not blocking is a property of the description, and the one that we
 * were given is the shell's too. */
static int open_own(void)
{
    const char *const paths[] = {"/proc/self/fd/1", ttyname(STDOUT_FILENO), "/dev/tty"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int fd = paths[i] ? open(paths[i], O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
        if (fd >= 0)
            return fd;
    }
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* Keys one by one, unechoed, Ctrl-C and Ctrl-Z as signals (which must not throw away a frame on its way), Ctrl-S and Ctrl-V as
 * keys. */
static void set_modes(struct curses *t)
{
    cbreak();
    noecho();
    nonl();
    tcgetattr(saved.in, &t->modes);
    t->modes.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
    t->modes.c_lflag = (t->modes.c_lflag & ~(tcflag_t)IEXTEN) | NOFLSH;
    tcsetattr(saved.in, TCSANOW, &t->modes);
    def_prog_mode();
}

static void read_keys_from_pad(struct curses *t, bool test_sync)
{
    set_escdelay(25);
    t->pad = newpad(1, 1);
    keypad(t->pad, TRUE);
    nodelay(t->pad, TRUE);
    for (size_t i = 0; i < sizeof more_keys / sizeof *more_keys; i++)
        define_key(more_keys[i].bytes, more_keys[i].code);
    define_key("\033[<", CODE_MOUSE);
    if (test_sync)
        define_key("\033[7777~", CODE_SYNC);
}

static void append(char *to, size_t size, const char *text)
{
    size_t n = strlen(to);
    if (text && n + strlen(text) < size)
        strcpy(to + n, text);
}

/* What takes the terminal, and what gives it back. Mouse modes are sent one by one: some terminals read only the first of
 * a combined sequence. Movement without a button is asked for on this machine only, for it would cross a slow line. */
static void prepare_restore(struct curses *t, bool mouse)
{
    char *code[] = {capability("smcup"), capability("smkx"), capability("rmkx"), capability("rmcup")};
    bool far = *env("SSH_CONNECTION");
    append(t->screen_on, sizeof t->screen_on, code[0]);
    append(t->modes_on, sizeof t->modes_on, code[1]);
    append(saved.bytes, sizeof saved.bytes, t->codes.synchronized ? "\033[?2026l" : NULL);
    if (mouse) {
        append(t->modes_on, sizeof t->modes_on, far ? "\033[?1006h\033[?1002h" : "\033[?1006h\033[?1003h");
        append(saved.bytes, sizeof saved.bytes, far ? "\033[?1002l\033[?1006l" : "\033[?1003l\033[?1006l");
    }
    append(saved.bytes, sizeof saved.bytes, t->codes.plain);
    append(saved.bytes, sizeof saved.bytes, t->codes.show_cursor);
    append(saved.bytes, sizeof saved.bytes, code[2]);
    if (!code[3]) {                             /* no second screen: the shell goes on below ours */
        append(saved.bytes, sizeof saved.bytes, tparm(cursor_address, 998L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
        append(saved.bytes, sizeof saved.bytes, "\r\n");
    }
    append(saved.bytes, sizeof saved.bytes, code[3]);
    saved.n = strlen(saved.bytes);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        free(code[i]);
}

static void close_pipe(void)
{
    close(signal_pipe[0]);
    close(signal_pipe[1]);
    signal_pipe[0] = signal_pipe[1] = -1;
}

static void curses_close(struct term *term)
{
    struct curses *t = curses_of(term);
    term_restore();
    unhandle_signals();
    delwin(t->pad);
    delscreen(t->screen);
    if (t->in != stdin)
        fclose(t->in);
    close(saved.out);
    close_pipe();
    frame_free(t->frame);
    free_codes(&t->codes);
    canvas_free(t->waiting);
    buf_done(&t->tail);
    buf_done(&t->out);
    free(t);
}

static void curses_feed(struct term *term, struct event event)
{
    (void)term;
    (void)event;
}

static const struct canvas *curses_shown(const struct term *term)
{
    (void)term;
    return NULL;
}

static const struct backend curses = {
    .close = curses_close,
    .fds = curses_fds,
    .read = curses_read,
    .feed = curses_feed,
    .present = curses_present,
    .flush = curses_flush,
    .write_fd = curses_write_fd,
    .sync = curses_sync,
    .write = curses_write,
    .suspend = curses_suspend,
    .shown = curses_shown,
};

/* Puts back what newterm changed, for a terminal that cannot be used. */
static void refuse(SCREEN *screen, FILE *in)
{
    tcsetattr(fileno(in), TCSANOW, &saved.original);
    if (screen)
        delscreen(screen);
    for (size_t i = 0; i < sizeof noted_signals / sizeof *noted_signals; i++)
        sigaction(noted_signals[i], &old_action[noted_signals[i]], NULL);
    if (in != stdin)
        fclose(in);
    close_pipe();
}

static struct term *start(const struct term_options *options, const struct kind *kind, SCREEN *screen, FILE *in)
{
    struct curses *t = xcalloc(1, sizeof *t);
    int colors = tigetnum("colors"), depth = options->depth >= 0 ? options->depth : kind->depth;
    const char *reports = tigetstr("kmous");
    bool mouse = options->mouse && (kind->inline_entry || (reports && reports != (char *)-1));
    t->screen = screen;
    t->in = in;
    t->term = (struct term){.backend = &curses, .theme = options->theme,
                            .depth = depth >= 0 ? (enum color_depth)depth : depth_from_colors(colors)};
    t->term.ascii = options->ascii || locale_is_not_utf8() || (colors < 8 && !kind->inline_entry);
    read_codes(&t->codes, t->term.depth, kind);
    t->frame = frame_new(&t->codes);
    saved.out = open_own();
    set_modes(t);
    prepare_restore(t, mouse);
    handle_signals();
    mem_before_exit(term_restore);
    saved.taken = 1;
    read_keys_from_pad(t, options->test_sync);  /* sends smcup and smkx */
    read_size(t);
    curses_write(&t->term, t->modes_on, strlen(t->modes_on));
    return &t->term;
}

struct term *term_open(const struct term_options *options, struct err *err)
{
    FILE *in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r+");
    if (!in || !isatty(STDOUT_FILENO)) {
        err_set(err, N_("standard output is no terminal"));
        return NULL;
    }
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        err_set(err, N_("cannot make a pipe for signals: %s"), strerror(errno));
        return NULL;
    }
    memset(&saved, 0, sizeof saved);
    saved.in = fileno(in);
    tcgetattr(saved.in, &saved.original);
    save_signals();
    struct kind kind = kind_of_terminal();
    SCREEN *screen = find_screen(&kind, in);
    cursor_address = screen ? capability("cup") : NULL;
    if (!cursor_address) {
        refuse(screen, in);
        err_set(err, !*env("TERM") ? N_("TERM is not set: it must name the terminal, for example xterm-256color")
                     : screen      ? N_("TERM = %s: this terminal cannot move its cursor; commands work without (posviz --help)")
                                   : N_("TERM = %s: no such terminal is known here; try TERM=xterm-256color"), env("TERM"));
        return NULL;
    }
    return start(options, &kind, screen, in);
}
