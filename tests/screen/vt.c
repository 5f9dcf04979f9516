#include "vt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { DEADLINE_MS = 60000, WIDE_FROM = 0xac00, WIDE_MAX = 256 };       /* Korean: no text of the program has any */

struct vt {
    VTerm *vterm;
    VTermScreen *screen;
    int master, rows, cols;         /* master < 0: hung up */
    pid_t pid;                      /* 0: ended and waited for */
    int status;
    bool alternate, cursor_visible;
    int mouse_mode;
    struct buf received, row;
    struct { char text[64]; int n; bool inside; } marker;       /* an OSC being read */
    int pings, answered, answer_rows, answer_cols;
    const char *background;         /* what is answered to who asks for it; NULL: nothing */
    bool mute;                      /* answers nothing at all */
    bool replying;
    bool wide;                      /* ambiguous characters take two cells */
    struct buf pending;             /* of a character that has not come whole */
    uint32_t wide_ones[WIDE_MAX];   /* which stand in libvterm as WIDE_FROM + index */
    uint32_t n_wide;
};

/* Between the program and libvterm. */

static void write_all(struct vt *vt, const char *bytes, size_t n)
{
    while (n > 0 && vt->master >= 0) {
        ssize_t sent = write(vt->master, bytes, n);
        if (sent < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = vt->master, .events = POLLOUT};
            if (poll(&p, 1, DEADLINE_MS) <= 0)
                return;
            continue;
        }
        if (sent < 0 && errno != EINTR)
            return;
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        }
    }
}

static void from_vterm(const char *bytes, size_t n, void *user)
{
    struct vt *vt = user;
    if (!vt->replying || !vt->mute)
        write_all(vt, bytes, n);
}

static int set_property(VTermProp prop, VTermValue *value, void *user)
{
    struct vt *vt = user;
    if (prop == VTERM_PROP_ALTSCREEN)
        vt->alternate = value->boolean;
    else if (prop == VTERM_PROP_CURSORVISIBLE)
        vt->cursor_visible = value->boolean;
    else if (prop == VTERM_PROP_MOUSE)
        vt->mouse_mode = value->number;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = set_property};

/* libvterm loses an OSC that comes in two reads, so the answers to pings are looked for in the stream itself. */
static void scan(struct vt *vt, char byte)
{
    if (byte == '\033') {
        vt->marker.inside = true;
        vt->marker.n = 0;
    } else if (vt->marker.inside && byte == '\a') {
        vt->marker.text[vt->marker.n] = '\0';
        sscanf(vt->marker.text, "]7777;%d;%d;%d", &vt->answered, &vt->answer_rows, &vt->answer_cols);
        if (!strcmp(vt->marker.text, "]11;?") && vt->background)
            write_all(vt, vt->background, strlen(vt->background));
        vt->marker.inside = false;
    } else if (vt->marker.inside && vt->marker.n + 1 < (int)sizeof vt->marker.text) {
        vt->marker.text[vt->marker.n++] = byte;
    }
}

/* What stands for an ambiguous character: one that libvterm knows to be wide. */
static uint32_t widened(struct vt *vt, uint32_t c)
{
    uint32_t i = 0;
    while (i < vt->n_wide && vt->wide_ones[i] != c)
        i++;
    if (i == vt->n_wide && i < WIDE_MAX)
        vt->wide_ones[vt->n_wide++] = c;
    return WIDE_FROM + i;
}

/* libvterm draws ambiguous characters in one cell, so a terminal that needs two is made of it here. */
static void widen(struct vt *vt, const char *bytes, size_t n)
{
    struct buf out = {0};
    size_t i = 0;
    buf_put(&vt->pending, bytes, n);
    while (i < vt->pending.n) {
        unsigned char lead = (unsigned char)vt->pending.data[i];
        size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        char one[5] = "";
        const char *p = one;
        if (i + length > vt->pending.n)
            break;
        memcpy(one, vt->pending.data + i, length);
        uint32_t c = utf8_next(&p);
        buf_utf8(&out, utf8_is_ambiguous(c) ? widened(vt, c) : c);
        i += length;
    }
    memmove(vt->pending.data, vt->pending.data + i, vt->pending.n - i);
    vt->pending.n -= i;
    vterm_input_write(vt->vterm, out.data, out.n);
    buf_done(&out);
}

static void show(struct vt *vt, const char *bytes, size_t n)
{
    vt->replying = true;
    if (vt->wide)
        widen(vt, bytes, n);
    else
        vterm_input_write(vt->vterm, bytes, n);
    vt->replying = false;
}

/* Reads what is there, at most so much, waiting up to ms for the first of it. False when the program has closed the terminal or nothing
 * came. */
static bool receive_some(struct vt *vt, size_t most, int ms)
{
    char bytes[65536];
    struct pollfd p = {.fd = vt->master, .events = POLLIN};
    if (vt->master < 0 || poll(&p, 1, ms) <= 0)
        return false;
    ssize_t n = read(vt->master, bytes, most < sizeof bytes ? most : sizeof bytes);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    for (ssize_t i = 0; i < n; i++)
        scan(vt, bytes[i]);
    buf_put(&vt->received, bytes, (size_t)n);
    show(vt, bytes, (size_t)n);
    return true;
}

static bool receive(struct vt *vt, int ms)
{
    return receive_some(vt, SIZE_MAX, ms);
}

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool reap(struct vt *vt, int flags)
{
    if (vt->pid && waitpid(vt->pid, &vt->status, flags) == vt->pid)
        vt->pid = 0;
    return vt->pid == 0;
}

/* Starting and ending. */

static void set_environment(const char *const *env)
{
    static const char *const unset[] = {"TMUX", "STY", "COLORTERM", "NO_COLOR", "LANGUAGE", "LANG", "LC_CTYPE", "LC_MESSAGES",
                                        "SSH_CONNECTION", "TERMINFO", "LINES", "COLUMNS", "CLICOLOR", "CLICOLOR_FORCE"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("TERM", "xterm-256color", 1);
    setenv("COLORTERM", "truecolor", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    for (size_t i = 0; env && env[i]; i++)
        if (strchr(env[i], '='))
            putenv(xstrdup(env[i]));
        else
            unsetenv(env[i]);
}

struct vt *vt_start(int rows, int cols, const char *const *argv, const char *const *env)
{
    struct vt *vt = xcalloc(1, sizeof *vt);
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    vt->rows = rows;
    vt->cols = cols;
    vt->cursor_visible = true;
    vt->vterm = vterm_new(rows, cols);
    vterm_set_utf8(vt->vterm, 1);
    vterm_output_set_callback(vt->vterm, from_vterm, vt);
    vt->screen = vterm_obtain_screen(vt->vterm);
    vterm_screen_set_callbacks(vt->screen, &callbacks, vt);
    vterm_screen_enable_altscreen(vt->screen, 1);
    vterm_screen_reset(vt->screen, 1);
    vt->pid = forkpty(&vt->master, NULL, NULL, &size);
    if (vt->pid == 0) {
        for (int sig = 1; sig < SIGSYS; sig++)          /* whatever started the tests may ignore some */
            signal(sig, SIG_DFL);
        set_environment(env);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        perror(argv[0]);
        _exit(127);
    }
    fcntl(vt->master, F_SETFL, O_NONBLOCK);
    fcntl(vt->master, F_SETFD, FD_CLOEXEC);
    return vt;
}

void vt_hang_up(struct vt *vt)
{
    if (vt->master >= 0)
        close(vt->master);
    vt->master = -1;
}

void vt_stop(struct vt *vt)
{
    if (!reap(vt, WNOHANG)) {
        kill(vt->pid, SIGKILL);
        kill(vt->pid, SIGCONT);
        reap(vt, 0);
    }
    vt_hang_up(vt);
    vterm_free(vt->vterm);
    buf_done(&vt->received);
    buf_done(&vt->pending);
    buf_done(&vt->row);
    free(vt);
}

void vt_background(struct vt *vt, const char *answer)
{
    vt->background = answer;
}

void vt_mute(struct vt *vt)
{
    vt->mute = true;
}

void vt_wide(struct vt *vt)
{
    vt->wide = true;
}

void vt_scribble(struct vt *vt, const char *bytes)
{
    show(vt, bytes, strlen(bytes));
}

int vt_pid(const struct vt *vt)
{
    return vt->pid;
}

void vt_signal(struct vt *vt, int sig)
{
    if (vt->pid)
        kill(vt->pid, sig);
}

/* Input. */

void vt_type(struct vt *vt, const char *bytes)
{
    write_all(vt, bytes, strlen(bytes));
}

static const struct { const char *name; VTermKey key; VTermModifier mod; } keys[] = {
    {"Up", VTERM_KEY_UP, 0}, {"Down", VTERM_KEY_DOWN, 0}, {"Left", VTERM_KEY_LEFT, 0}, {"Right", VTERM_KEY_RIGHT, 0},
    {"S-Up", VTERM_KEY_UP, VTERM_MOD_SHIFT}, {"S-Down", VTERM_KEY_DOWN, VTERM_MOD_SHIFT},
    {"S-Left", VTERM_KEY_LEFT, VTERM_MOD_SHIFT}, {"S-Right", VTERM_KEY_RIGHT, VTERM_MOD_SHIFT},
    {"Home", VTERM_KEY_HOME, 0}, {"End", VTERM_KEY_END, 0}, {"PageUp", VTERM_KEY_PAGEUP, 0}, {"PageDown", VTERM_KEY_PAGEDOWN, 0},
    {"Insert", VTERM_KEY_INS, 0}, {"Delete", VTERM_KEY_DEL, 0}, {"Backspace", VTERM_KEY_BACKSPACE, 0},
    {"Enter", VTERM_KEY_ENTER, 0}, {"Tab", VTERM_KEY_TAB, 0}, {"BackTab", VTERM_KEY_TAB, VTERM_MOD_SHIFT},
    {"Escape", VTERM_KEY_ESCAPE, 0},
};

bool vt_key(struct vt *vt, const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name)) {
            vterm_keyboard_key(vt->vterm, keys[i].key, keys[i].mod);
            return true;
        }
    int number, end = 0;
    if (sscanf(name, "F%d%n", &number, &end) == 1 && !name[end] && number >= 1 && number <= 12) {
        vterm_keyboard_key(vt->vterm, VTERM_KEY_FUNCTION(number), 0);
        return true;
    }
    if (name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z' && !name[3]) {
        vt_type(vt, (char[]){(char)(name[2] - 'a' + 1), '\0'});
        return true;
    }
    const char *end_of_character = name;
    utf8_next(&end_of_character);
    bool one = *name && !*end_of_character;
    if (one || !strcmp(name, "Space"))
        vt_type(vt, one ? name : " ");
    return one || !strcmp(name, "Space");
}

void vt_mouse_move(struct vt *vt, int y, int x)
{
    vterm_mouse_move(vt->vterm, y, x, VTERM_MOD_NONE);
}

void vt_mouse_button(struct vt *vt, int button, bool pressed)
{
    vterm_mouse_button(vt->vterm, button, pressed, VTERM_MOD_NONE);
}

void vt_resize(struct vt *vt, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    vt->rows = rows;
    vt->cols = cols;
    vterm_set_size(vt->vterm, rows, cols);
    ioctl(vt->master, TIOCSWINSZ, &size);
}

/* Waiting. */

static void ping(struct vt *vt)
{
    vt->pings++;
    vt_type(vt, "\033[7777~");
}

bool vt_tell_size(struct vt *vt, unsigned short rows, unsigned short cols)
{
    struct winsize size = {.ws_row = rows, .ws_col = cols};
    ioctl(vt->master, TIOCSWINSZ, &size);
    return vt_answers(vt);
}

bool vt_answers(struct vt *vt)
{
    long deadline = now_ms() + DEADLINE_MS;
    ping(vt);
    while (vt->answered != vt->pings)
        if (!receive(vt, 1000) && (now_ms() > deadline || reap(vt, WNOHANG)))
            return false;
    return true;
}

/* A resize is a signal and not ordered with keys, so the ping is repeated until the answer carries the size. */
bool vt_settle(struct vt *vt)
{
    long deadline = now_ms() + DEADLINE_MS;
    ping(vt);
    for (;;) {
        if (vt->answered == vt->pings) {
            if (vt->answer_rows == vt->rows && vt->answer_cols == vt->cols)
                return true;
            ping(vt);
        }
        if (!receive(vt, 1000) && (now_ms() > deadline || reap(vt, WNOHANG) || vt->master < 0))
            return false;
    }
}

static bool has_sent(struct vt *vt, const char *bytes)
{
    return vt->received.n && memmem(vt->received.data, vt->received.n, bytes, strlen(bytes)) != NULL;
}

static bool wait_until(struct vt *vt, bool (*happened)(struct vt *, const char *), const char *what)
{
    long deadline = now_ms() + DEADLINE_MS;
    while (!happened(vt, what))
        if (!receive(vt, 1000) && (now_ms() > deadline || reap(vt, WNOHANG)))
            return happened(vt, what);
    return true;
}

bool vt_wait_text(struct vt *vt, const char *text)
{
    return wait_until(vt, vt_contains, text);
}

bool vt_wait_bytes(struct vt *vt, const char *bytes)
{
    return wait_until(vt, has_sent, bytes);
}

/* Reads on, for a program may wait for its last words to be taken. */
bool vt_wait_exit(struct vt *vt, int *status)
{
    long deadline = now_ms() + DEADLINE_MS;
    while (!reap(vt, WNOHANG)) {
        if (now_ms() > deadline)
            return false;
        if (vt->master >= 0 && receive(vt, 20))
            continue;
        poll(NULL, 0, 5);           /* closed, not yet ended */
    }
    while (receive(vt, 0))
        ;
    *status = vt->status;
    return true;
}

/* The screen. */

void vt_size(const struct vt *vt, int *rows, int *cols)
{
    *rows = vt->rows;
    *cols = vt->cols;
}

/* Default first: libvterm keeps an RGB value beside the flag. */
static int32_t color(const struct vt *vt, VTermColor c, int *index)
{
    *index = VTERM_COLOR_IS_INDEXED(&c) ? c.indexed.idx : -1;
    if (VTERM_COLOR_IS_DEFAULT_FG(&c) || VTERM_COLOR_IS_DEFAULT_BG(&c)) {
        *index = -1;
        return VT_DEFAULT;
    }
    vterm_screen_convert_color_to_rgb(vt->screen, &c);
    return c.rgb.red << 16 | c.rgb.green << 8 | c.rgb.blue;
}

struct vt_cell vt_cell(const struct vt *vt, int y, int x)
{
    VTermScreenCell raw = {0};
    struct vt_cell cell = {.ch = ' ', .width = 1, .fg = VT_DEFAULT, .bg = VT_DEFAULT};
    if (!vterm_screen_get_cell(vt->screen, (VTermPos){.row = y, .col = x}, &raw))
        return cell;
    if (raw.chars[0] == (uint32_t)-1 && x > 0) {        /* libvterm leaves old colours in the right half of a wide character */
        cell = vt_cell(vt, y, x - 1);
        cell.ch = 0;
        cell.width = 1;
        return cell;
    }
    cell.ch = raw.chars[0] == (uint32_t)-1 ? 0 : raw.chars[0] ? raw.chars[0] : ' ';
    if (cell.ch >= WIDE_FROM && cell.ch < WIDE_FROM + vt->n_wide)
        cell.ch = vt->wide_ones[cell.ch - WIDE_FROM];
    cell.width = raw.width;
    cell.fg = color(vt, raw.fg, &cell.fg_index);
    cell.bg = color(vt, raw.bg, &cell.bg_index);
    cell.bold = raw.attrs.bold;
    cell.underline = raw.attrs.underline;
    cell.reverse = raw.attrs.reverse;
    return cell;
}

bool vt_halves(const struct vt *vt, int y, int x, int32_t *top, int32_t *bottom)
{
    struct vt_cell c = vt_cell(vt, y, x);
    *top = c.ch == 0x2580 || c.ch == 0x2588 ? c.fg : c.bg;
    *bottom = c.ch == 0x2584 || c.ch == 0x2588 ? c.fg : c.bg;
    return c.ch == ' ' || c.ch == 0x2580 || c.ch == 0x2584 || c.ch == 0x2588;
}

const char *vt_row(struct vt *vt, int y)
{
    size_t kept = 0;
    vt->row.n = 0;
    for (int x = 0; x < vt->cols; x++) {
        uint32_t ch = vt_cell(vt, y, x).ch;
        if (ch == 0)
            continue;
        buf_utf8(&vt->row, ch);
        if (ch != ' ')
            kept = vt->row.n;
    }
    vt->row.n = kept;
    buf_put(&vt->row, "", 1);
    return vt->row.data;
}

bool vt_contains(struct vt *vt, const char *text)
{
    for (int y = 0; y < vt->rows; y++)
        if (strstr(vt_row(vt, y), text))
            return true;
    return false;
}

bool vt_cursor(const struct vt *vt, int *y, int *x)
{
    VTermPos at;
    vterm_state_get_cursorpos(vterm_obtain_state(vt->vterm), &at);
    *y = at.row;
    *x = at.col;
    return vt->cursor_visible;
}

bool vt_alternate(const struct vt *vt)
{
    return vt->alternate;
}

int vt_mouse_mode(const struct vt *vt)
{
    return vt->mouse_mode;
}

void vt_termios(const struct vt *vt, struct termios *out)
{
    tcgetattr(vt->master, out);
}

const char *vt_bytes(const struct vt *vt, size_t *n)
{
    *n = vt->received.n;
    return vt->received.data;
}

void vt_forget(struct vt *vt)
{
    vt->received.n = 0;
}

/* A count of /proc/PID/io; -1 if the kernel does not tell. */
static long count_of(const struct vt *vt, const char *name)
{
    char path[64], line[128];
    long count = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)vt->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            count = atol(line + strlen(name));
    if (f)
        fclose(f);
    return count;
}

long vt_writes(const struct vt *vt)
{
    return count_of(vt, "syscw:");
}

/* Bytes that lie in the terminal for the program. */
static int unread(const struct vt *vt)
{
    const char *name = ptsname(vt->master);
    int fd = name ? open(name, O_RDWR | O_NOCTTY) : -1, n = 0;
    if (fd >= 0) {
        ioctl(fd, FIONREAD, &n);
        close(fd);
    }
    return n;
}

bool vt_type_read(struct vt *vt, const char *bytes)
{
    long deadline = now_ms() + DEADLINE_MS, before = count_of(vt, "syscr:");
    vt_type(vt, bytes);
    while (before < 0 || count_of(vt, "syscr:") == before || unread(vt))
        if (before < 0 || now_ms() > deadline || reap(vt, WNOHANG))
            return false;
    return true;
}

bool vt_read(struct vt *vt, size_t most)
{
    return receive_some(vt, most, 0);
}

/* Do all its threads sleep? One that waits for a busy processor does not. */
static bool sleeps(const struct vt *vt)
{
    char path[300], line[512];
    bool all = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)vt->pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)vt->pid, task->d_name);
        FILE *f = *task->d_name == '.' ? NULL : fopen(path, "r");
        if (f && fgets(line, sizeof line, f) && strrchr(line, ')'))
            all = all && strrchr(line, ')')[2] == 'S';
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return tasks && all;
}

/* Its calls of read and of write go on for as long as it does anything, and so does its waiting for a processor. */
bool vt_wait_quiet(struct vt *vt)
{
    enum { PAUSE_MS = 40, PAUSES = 5 };
    long deadline = now_ms() + DEADLINE_MS, calls = -1;
    for (int same = 0; same < PAUSES; poll(NULL, 0, PAUSE_MS)) {
        long now = count_of(vt, "syscr:") + count_of(vt, "syscw:");
        if (now < 0 || now_ms() > deadline || reap(vt, WNOHANG))
            return false;
        same = now == calls && sleeps(vt) && !unread(vt) ? same + 1 : 0;
        calls = now;
    }
    return true;
}

long vt_memory(const struct vt *vt)
{
    char path[64], line[128];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)vt->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmRSS:", 6))
            kib = atol(line + 6);
    if (f)
        fclose(f);
    return kib;
}
