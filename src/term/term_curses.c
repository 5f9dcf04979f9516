/* term_curses.c - a real terminal; with codes.c the only file that sees curses.h.
 *
 * curses finds the terminal's description, sets its modes and decodes its keys. It draws nothing: every cell goes through
 * frame.c. Measured at 120 x 40 in 24-bit colours, a screen of text in which every cell changes costs 0.4 ms and 24 kB a frame
 * here, 1.3 ms and 30 kB by curses; one changed line costs the same; a moving heatmap of 200 x 60 costs 1.4 ms here, 11 by
 * curses, which also sends it in nearly 200 writes and wants a pair number for each two colours. One writer for all cells is
 * less code than two that must not damage each other.
 *
 * Nothing here waits for the terminal. A frame is one run of bytes (sender.c), written to an own open description of the
 * terminal that does not block, so that the shell's stays as it was. Signals write their number into a pipe and are read with
 * the keys. However the program ends, the terminal is put back by term_restore. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "term/backend.h"
#include "term/codes.h"
#include "term/decode.h"
#include "term/kind.h"
#include "term/rescue.h"
#include "term/sender.h"

struct curses {
    struct term term;
    SCREEN *screen;
    WINDOW *pad;                    /* keys are read from a pad, because reading from a window would draw it */
    FILE *in;
    struct termios modes;           /* as the program wants them */
    char screen_on[128], modes_on[64];          /* what takes the terminal */
    const char *mouse_on, *mouse_off;           /* NULL: it has no mouse to report */

    struct codes codes;
    struct sender sender;
    bool resized;                   /* report the size though no signal came */
    struct decoder decoder;
    int pause;                      /* ms after which a lone Escape is a key; 0: none waits */
    struct event held;              /* read ahead while joining mouse movements */
};

static struct curses *curses_of(struct term *t)
{
    return (struct curses *)t;
}

/* No screen is larger, whatever a terminal says of itself: frames stay within a second. */
enum { MAX_ROWS = 512, MAX_COLS = 2048, DEFAULT_ROWS = 24, DEFAULT_COLS = 80 };

static int within(int value, int most, int fallback)
{
    return value <= 0 ? fallback : value > most ? most : value;
}

static void read_size(struct curses *t)
{
    struct winsize size = {0};
    ioctl(rescue.out, TIOCGWINSZ, &size);
    t->term.rows = t->sender.rows = within(size.ws_row, MAX_ROWS, DEFAULT_ROWS);
    t->term.cols = t->sender.cols = within(size.ws_col, MAX_COLS, DEFAULT_COLS);
}

/* Writing. */

static bool curses_flush(struct term *term)
{
    return sender_flush(&curses_of(term)->sender);
}

/* A terminal that is not ours is the shell's, and nothing is written there. */
static bool curses_present(struct term *term, const struct canvas *c, int cursor_y, int cursor_x)
{
    return !rescue.taken || sender_frame(&curses_of(term)->sender, c, cursor_y, cursor_x);
}

static int curses_write_fd(const struct term *term)
{
    const struct curses *t = (const struct curses *)term;
    return sender_waits(&t->sender) ? rescue.out : -1;
}

static void curses_write(struct term *term, const char *bytes, size_t n)
{
    if (rescue.taken)
        sender_bytes(&curses_of(term)->sender, bytes, n);
}

static void curses_sync(struct term *term, unsigned number)
{
    char marker[64];
    int n = snprintf(marker, sizeof marker, "\033]7777;%u;%d;%d\a", number, term->rows, term->cols);
    curses_write(term, marker, (size_t)n);
}

/* Taking and leaving. */

static void send_modes(struct curses *t)
{
    curses_write(&t->term, t->modes_on, strlen(t->modes_on));
    if (t->term.mouse)
        curses_write(&t->term, t->mouse_on, strlen(t->mouse_on));
}

/* The terminal is ours again; a program in the background is stopped here until it is called to the front. */
static void take(struct curses *t, bool screen_too)
{
    rescue.taken = rescue_modes(&t->modes);
    if (!rescue.taken)
        return;
    rescue_hush();
    frame_invalidate(t->sender.frame);
    t->resized = true;
    if (screen_too)
        curses_write(&t->term, t->screen_on, strlen(t->screen_on));
    send_modes(t);
}

/* Margins, origin, insertion and the character set as they are at first: what another program may have left behind. */
static void curses_redraw(struct term *term)
{
    static const char usual[] = "\033[r\033[?6l\033[4l\017";
    struct curses *t = curses_of(term);
    if (t->codes.ansi)
        curses_write(term, usual, sizeof usual - 1);
    take(t, false);
}

static bool curses_set_mouse(struct term *term, bool ours)
{
    struct curses *t = curses_of(term);
    if (!t->mouse_on)
        return false;
    term->mouse = ours;
    curses_write(term, ours ? t->mouse_on : t->mouse_off, strlen(ours ? t->mouse_on : t->mouse_off));
    return true;
}

static void curses_suspend(struct term *term)
{
    struct curses *t = curses_of(term);
    rescue_stop();
    sender_drop(&t->sender);
    take(t, true);
}

/* Continued from a stop that could not be noticed: the shell may have changed the modes, and other programs the screen. It is left and taken anew,
 * so that the shell's own cursor stays where it was. */
static void continued(struct curses *t)
{
    rescue.taken = rescue_modes(&t->modes);
    curses_write(&t->term, rescue.bytes, strlen(rescue.bytes));
    take(t, true);
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
    case SIGCONT:
        continued(t);
        return resize_event(t);
    case SIGHUP:
        return (struct event){.type = EVENT_HANGUP};
    default:
        return (struct event){.type = EVENT_QUIT};
    }
}

enum { CODE_MOUSE = 40000 };                    /* curses numbers the keys of extended entries from KEY_MAX + 1 */

static const struct { int code; uint32_t key; } keys[] = {
    {KEY_UP, KEY_CODE_UP}, {KEY_DOWN, KEY_CODE_DOWN}, {KEY_LEFT, KEY_CODE_LEFT}, {KEY_RIGHT, KEY_CODE_RIGHT},
    {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN}, {KEY_HOME, KEY_CODE_HOME}, {KEY_END, KEY_CODE_END},
    {KEY_IC, KEY_CODE_INSERT}, {KEY_DC, KEY_CODE_DELETE}, {KEY_BACKSPACE, KEY_CODE_BACKSPACE}, {KEY_BTAB, KEY_CODE_SHIFT_TAB},
    {KEY_SR, KEY_CODE_SHIFT_UP}, {KEY_SF, KEY_CODE_SHIFT_DOWN}, {KEY_SLEFT, KEY_CODE_SHIFT_LEFT},
    {KEY_SRIGHT, KEY_CODE_SHIFT_RIGHT}, {KEY_ENTER, KEY_RETURN},
};

static bool coded_key(int code, struct event *event)
{
    uint32_t key = code >= KEY_F(1) && code <= KEY_F(12) ? KEY_CODE_F1 + (uint32_t)(code - KEY_F(1)) : 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == code)
            key = keys[i].key;
    *event = (struct event){.type = EVENT_KEY, .key = key};
    return key;
}

/* What a key of curses means; false if nothing yet. */
static bool key_of_curses(struct curses *t, int code, struct event *event)
{
    if (code == CODE_MOUSE)
        decode_mouse(&t->decoder);
    return coded_key(code, event);
}

/* The same of any code: a key, or a byte. */
static bool decode(struct curses *t, int ch, struct event *event)
{
    bool again = false, known;
    if (ch < KEY_MIN) {
        known = decode_byte(&t->decoder, ch, event, &again);
    } else {
        decode_key(&t->decoder);
        again = decode_held(&t->decoder, event);            /* an Escape before it */
        known = again || (key_of_curses(t, ch, event) && !(t->decoder.pasting && event->type == EVENT_KEY));
    }
    if (again)
        ungetch(ch);
    return known;
}

static bool hung_up(int error)
{
    struct pollfd in = {.fd = rescue.in, .events = POLLIN};
    return error == EIO || (poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static struct event next_input(struct curses *t)
{
    struct event event;
    int ch;
    if (decode_held(&t->decoder, &event))
        return event;
    errno = 0;
    while ((ch = wgetch(t->pad)) != ERR)
        if (decode(t, ch, &event) || decode_held(&t->decoder, &event))
            return event;
    int error = errno;
    t->pause = decode_pause(&t->decoder);
    if (decode_held(&t->decoder, &event))
        return event;
    return (struct event){.type = t->sender.gone || hung_up(error) ? EVENT_HANGUP : EVENT_NONE};
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

/* Ambiguous characters are twice as wide as we draw them: none is drawn. */
static void doubt_widths(struct curses *t)
{
    t->term.certain = !t->term.ascii;
    t->term.ascii = true;
    frame_invalidate(t->sender.frame);
}

static struct event curses_read(struct term *term)
{
    struct curses *t = curses_of(term);
    unsigned char sig;
    if (read(rescue.signals, &sig, 1) == 1)
        return signal_event(t, sig);
    if (t->resized)
        return resize_event(t);
    struct event event = input_event(t);
    if (event.type == EVENT_GLYPHS)
        doubt_widths(t);
    return event;
}

static int curses_patience(const struct term *term)
{
    const struct curses *t = (const struct curses *)term;
    return t->pause ? t->pause : -1;
}

/* On this machine the answers come before the first frame is ready. */
static int curses_asking(const struct term *term)
{
    return kind_is_far() ? ask_patience(&((const struct curses *)term)->decoder.ask) : 0;
}

static int curses_fds(const struct term *term, int fds[2])
{
    (void)term;
    fds[0] = rescue.in;
    fds[1] = rescue.signals;
    return 2;
}

/* Opening and closing. */

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

/* Curses would make a screen of its own, which is never shown, as large as LINES and COLUMNS or the terminal say, and fail where that is
 * absurd. Ours has the size of the terminal. */
static SCREEN *find_screen(struct kind *kind, FILE *in)
{
    setenv("LINES", "24", 1);
    setenv("COLUMNS", "80", 1);
    SCREEN *screen = new_screen(kind, in);
    if (!screen && kind_fallback(kind))
        screen = new_screen(kind, in);
    unsetenv("LINES");
    unsetenv("COLUMNS");
    return screen;
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
    tcgetattr(rescue.in, &t->modes);
    t->modes.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
    t->modes.c_lflag = (t->modes.c_lflag & ~(tcflag_t)IEXTEN) | NOFLSH;
    tcsetattr(rescue.in, TCSANOW, &t->modes);
    def_prog_mode();
}

static void read_keys_from_pad(struct curses *t)
{
    set_escdelay(25);
    t->pad = newpad(1, 1);
    keypad(t->pad, TRUE);
    nodelay(t->pad, TRUE);
    define_key(NULL, KEY_MOUSE);                /* the older form of reports: the decoder reads it */
    define_key("\033[<", CODE_MOUSE);
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
    char *code[] = {codes_capability("smcup"), codes_capability("smkx"), codes_capability("rmkx"), codes_capability("rmcup")};
    bool far = kind_is_far();
    append(t->screen_on, sizeof t->screen_on, code[0]);
    append(t->modes_on, sizeof t->modes_on, code[1]);
    append(rescue.bytes, sizeof rescue.bytes, t->codes.synchronized ? "\033[?2026l" : NULL);
    if (mouse) {
        t->mouse_on = far ? "\033[?1006h\033[?1002h" : "\033[?1006h\033[?1003h";
        t->mouse_off = far ? "\033[?1002l\033[?1006l" : "\033[?1003l\033[?1006l";
    }
    append(rescue.bytes, sizeof rescue.bytes, t->mouse_off);
    if (t->codes.synchronized) {                /* what is pasted comes between marks */
        append(t->modes_on, sizeof t->modes_on, "\033[?2004h");
        append(rescue.bytes, sizeof rescue.bytes, "\033[?2004l");
    }
    append(rescue.bytes, sizeof rescue.bytes, t->codes.plain);
    append(rescue.bytes, sizeof rescue.bytes, t->codes.show_cursor);
    append(rescue.bytes, sizeof rescue.bytes, code[2]);
    if (!code[3]) {                             /* no second screen: the shell goes on below ours */
        struct buf below = {0};
        codes_move(&below, 998, 0);
        char *move_down = buf_string(&below);
        append(rescue.bytes, sizeof rescue.bytes, move_down);
        append(rescue.bytes, sizeof rescue.bytes, "\r\n");
        free(move_down);
    }
    append(rescue.bytes, sizeof rescue.bytes, code[3]);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        free(code[i]);
}

/* What the terminal answers to a program that has just left is not for the shell. */
static void outwait_answers(struct curses *t)
{
    struct pollfd in = {.fd = rescue.in, .events = POLLIN};
    while (ask_patience(&t->decoder.ask) > 0 && poll(&in, 1, ask_patience(&t->decoder.ask)) > 0)
        if (next_input(t).type == EVENT_HANGUP)
            return;
}

static void curses_close(struct term *term)
{
    struct curses *t = curses_of(term);
    outwait_answers(t);
    rescue_close();
    delwin(t->pad);
    delscreen(t->screen);
    if (t->in != stdin)
        fclose(t->in);
    close(rescue.out);
    sender_done(&t->sender);
    codes_done(&t->codes);
    free(t);
}

static const struct backend curses = {
    .close = curses_close,
    .fds = curses_fds,
    .read = curses_read,
    .present = curses_present,
    .flush = curses_flush,
    .write_fd = curses_write_fd,
    .sync = curses_sync,
    .write = curses_write,
    .suspend = curses_suspend,
    .redraw = curses_redraw,
    .set_mouse = curses_set_mouse,
    .patience = curses_patience,
    .asking = curses_asking,
};

static void refuse(SCREEN *screen, FILE *in)
{
    rescue.taken = 0;                           /* nothing was sent, so only the modes come back */
    rescue_close();
    close(rescue.out);
    if (screen)
        delscreen(screen);
    if (in != stdin)
        fclose(in);
}

static enum color_depth depth_from_colors(int colors, bool forced)
{
    return colors >= 256 ? DEPTH_256 : colors >= 8 || forced ? DEPTH_16 : DEPTH_MONO;
}

static void ask(struct curses *t, const struct term_options *options)
{
    bool background = options->ask_background && t->term.depth != DEPTH_MONO, width = !options->ambiguous && !t->term.ascii;
    if (!kind_answers() || t->term.rows < 2 || !(background || width))
        return;
    ask_begin(&t->decoder.ask, &t->sender.tail, background, width, options->test_sync ? LONG_MAX : ask_clock() + ASK_MS);
    curses_flush(&t->term);
}

static struct term *start(const struct term_options *options, const struct kind *kind, SCREEN *screen, FILE *in)
{
    struct curses *t = xcalloc(1, sizeof *t);
    int colors = tigetnum("colors"), depth = options->depth >= 0 ? options->depth : kind->depth;
    const char *reports = tigetstr("kmous");
    bool mouse = kind->inline_entry || (reports && reports != (char *)-1);
    t->screen = screen;
    t->in = in;
    t->term = (struct term){.backend = &curses, .theme = options->theme,
                            .depth = depth >= 0 ? (enum color_depth)depth : depth_from_colors(colors, kind->forced)};
    t->term.ascii = options->ascii || !lang_bytes_are_utf8() || (colors < 8 && !kind->inline_entry);
    codes_read(&t->codes, t->term.depth, kind);
    t->sender.frame = frame_new(&t->codes);
    set_modes(t);
    prepare_restore(t, mouse);
    read_keys_from_pad(t);                      /* sends smcup and smkx */
    rescue_hush();
    read_size(t);
    t->term.mouse = mouse && options->mouse;
    t->decoder.far = kind_is_far();
    t->decoder.tested = options->test_sync;
    if (options->ambiguous == 2)
        doubt_widths(t);
    send_modes(t);
    ask(t, options);
    return &t->term;
}

struct term *term_open(const struct term_options *options, struct err *err)
{
    FILE *in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r+");
    if (!in || !isatty(STDOUT_FILENO)) {
        err_set(err, in ? N_("standard output is no terminal") : N_("there is no terminal to read keys from"));
        return NULL;
    }
    if (!rescue_open(fileno(in))) {
        err_set(err, N_("cannot make a pipe for signals: %s"), err_reason(err, errno));
        return NULL;
    }
    rescue.out = open_own();
    mem_before_exit(term_restore);
    rescue_signals();                           /* before curses, which changes the modes at once and leaves handlers that are there */
    rescue.taken = 1;
    struct kind kind = kind_of_terminal();
    SCREEN *screen = find_screen(&kind, in);
    if (!screen || !codes_can_move()) {
        const char *term = getenv("TERM");
        refuse(screen, in);
        err_set(err, !term || !*term ? N_("TERM is not set: it must name the terminal, for example xterm-256color")
                     : screen      ? N_("TERM = %s: this terminal cannot move its cursor; commands work without (posviz --help)")
                                   : N_("TERM = %s: no such terminal is known here; try TERM=xterm-256color"), term);
        return NULL;
    }
    return start(options, &kind, screen, in);
}

const char *term_library(void)
{
    return curses_version();
}
