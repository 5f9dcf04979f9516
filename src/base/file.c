#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

bool file_may_write(const char *path, bool force, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return force || lstat(path, &st) != 0 || !S_ISLNK(st.st_mode) || err_set(err, N_("%s is a link to nothing; --force replaces it"), path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, N_("%s is a folder"), path);
    if (S_ISREG(st.st_mode) && !force)
        return err_set(err, N_("%s exists; --force replaces it"), path);
    return true;
}

static bool failed(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    if (slash && (errno == ENOENT || errno == ENOTDIR))
        return err_set(err, N_("%s cannot be written: there is no folder %.*s"), path, slash > path ? (int)(slash - path) : 1, path);
    return err_set(err, N_("%s cannot be written: %s"), path, err_reason(err, errno));
}

static bool write_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, data, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        data += written;
        n -= (size_t)written;
    }
    return true;
}

static void (*on_wait)(const char *path);

void file_on_wait(void (*tell)(const char *path))
{
    on_wait = tell;
}

/* A pipe without a reader is waited for. */
static int open_device(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (fd >= 0 || errno != ENXIO || !file_is_stream(path))
        return fd;
    if (on_wait)
        on_wait(path);
    return open(path, O_WRONLY | O_CLOEXEC);
}

static bool write_device(const char *path, const void *data, size_t n, struct err *err)
{
    int fd = open_device(path);
    if (fd < 0)
        return failed(path, err);
    bool good = write_all(fd, data, n);
    int why = errno;
    good = close(fd) == 0 && good;
    errno = why;
    return good || failed(path, err);
}

/* New files get the permissions that open would have given them, replaced ones keep theirs. */
static mode_t wanted_mode(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Without force the name must still be free: link fails where another program took it meanwhile. */
static bool put_in_place(const char *temporary, const char *path, bool force)
{
    if (force)
        return rename(temporary, path) == 0;
    if (link(temporary, path) == 0)
        return unlink(temporary) == 0;
    return errno != EEXIST && access(path, F_OK) != 0 && rename(temporary, path) == 0;
}

static bool write_beside(const char *path, const void *data, size_t n, bool force, struct err *err)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    char *temporary = xasprintf("%.*s.posviz-" "XX" "XX" "XX", folder, path);
    int fd = mkstemp(temporary);
    bool good = fd >= 0 && write_all(fd, data, n) && fchmod(fd, wanted_mode(path)) == 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && !put_in_place(temporary, path, force)) {
        good = false;
        why = errno;
    }
    if (!good && fd >= 0)
        unlink(temporary);
    free(temporary);
    errno = why;
    return good || failed(path, err);
}

/* Signals that would end the program wait until the file is in its place, so that no temporary one stays behind. Those that are ignored or
 * handled already are left alone. */
static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
enum { N_ENDING = sizeof ending / sizeof *ending };
static volatile sig_atomic_t came;

static void note(int sig)
{
    came = sig;
}

static void hold_signals(struct sigaction *old)
{
    came = 0;
    for (int i = 0; i < N_ENDING; i++) {
        sigaction(ending[i], NULL, &old[i]);
        struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
        if (old[i].sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
    }
}

static void release_signals(const struct sigaction *old)
{
    for (int i = 0; i < N_ENDING; i++)
        sigaction(ending[i], &old[i], NULL);
    if (came)
        raise(came);
}

bool file_write(const char *path, const void *data, size_t n, bool force, struct err *err)
{
    struct stat st;
    struct sigaction old[N_ENDING];
    if (!file_may_write(path, force, err))
        return false;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode))
        return write_device(path, data, n, err);
    char *real = exists ? realpath(path, NULL) : NULL;      /* through symbolic links, which stay */
    hold_signals(old);
    bool good = write_beside(real ? real : path, data, n, force, err);
    release_signals(old);
    free(real);
    return good;
}

bool file_is_stream(const char *path)
{
    struct stat st;
    return !strcmp(path, "-") || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
}

/* Opened without waiting, a pipe seems to be empty until its first writer comes; then it is read as any file. */
static void wait_for_writer(int fd, const char *path)
{
    enum { SECOND = 1000 };
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int limit = SECOND, n;
    while ((n = poll(&p, 1, limit)) == 0 || (n < 0 && errno == EINTR)) {
        if (n == 0 && on_wait)
            on_wait(path);
        limit = n == 0 ? -1 : limit;
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

int file_open(const char *path, bool pipes, struct err *err)
{
    struct stat st;
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return err_set(err, N_("%s: cannot be opened: %s"), path, err_reason(err, errno)), -1;
    bool known = fstat(fd, &st) == 0;
    if (known && S_ISFIFO(st.st_mode) && pipes)
        wait_for_writer(fd, path);
    else if (!known || !S_ISREG(st.st_mode)) {
        err_set(err, known && S_ISDIR(st.st_mode) ? N_("%s: is a directory, not a file") : N_("%s: is not a regular file"), path);
        close(fd);
        return -1;
    }
    return fd;
}

/* A standard input that another program has made non-blocking. */
static bool wait_for_more(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, -1) > 0 || errno == EINTR;
}

static bool read_all(int fd, const char *path, size_t max_bytes, char **text, size_t *size, struct err *err)
{
    size_t capacity = 65536, n = 0;
    char *buffer = xmalloc(capacity + 1);
    for (;;) {
        if (n == capacity) {
            capacity *= 2;
            buffer = xreallocarray(buffer, capacity + 1, 1);
        }
        ssize_t got = read(fd, buffer + n, capacity - n);
        if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_more(fd))))
            continue;
        if (got < 0) {
            free(buffer);
            return err_set(err, N_("%s: cannot be read: %s"), path, err_reason(err, errno));
        }
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max_bytes) {
            free(buffer);
            return err_set(err, N_("%s: is larger than the %zu bytes that are allowed here"), path, max_bytes);
        }
    }
    buffer[n] = '\0';
    *text = buffer;
    *size = n;
    return true;
}

static char *read_from(const char *path, bool named, size_t max_bytes, size_t *size, struct err *err)
{
    bool standard = named && !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : file_open(path, named, err);
    char *text = NULL;
    if (fd >= 0)
        read_all(fd, standard ? "stdin" : path, max_bytes, &text, size, err);
    if (fd >= 0 && !standard)
        close(fd);
    return text;
}

char *file_read(const char *path, size_t max_bytes, size_t *size, struct err *err)
{
    return read_from(path, false, max_bytes, size, err);
}

char *file_read_named(const char *path, size_t max_bytes, size_t *size, struct err *err)
{
    return read_from(path, true, max_bytes, size, err);
}
