/* Lets reads of the files whose path ends with FAULT_PATH fail with EIO, as a worn memory card does.
   FAULT_AT: "open", or the number of the read of such a file, from 1 on, that fails. FAULT_LASTING: so does
   each later one. Built and preloaded by read_faults.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int reads;

static int names_it(const char *path)
{
    const char *end = getenv("FAULT_PATH");
    size_t length = end == NULL ? 0 : strlen(end), own = strlen(path);
    return length != 0 && own >= length && strcmp(path + own - length, end) == 0;
}

static int at_open(void)
{
    const char *at = getenv("FAULT_AT");
    return at != NULL && strcmp(at, "open") == 0;
}

static int open_fails(const char *path, int flags)
{
    if (at_open() && (flags & O_ACCMODE) == O_RDONLY && names_it(path)) {
        errno = EIO;
        return 1;
    }
    return 0;
}

static int read_fails(int fd)
{
    char link[64], path[4096];
    const char *at = getenv("FAULT_AT");
    ssize_t length;
    int number = at == NULL ? 0 : atoi(at);
    if (number == 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    if (!names_it(path))
        return 0;
    reads += 1;
    if (reads == number || (reads > number && getenv("FAULT_LASTING") != NULL)) {
        errno = EIO;
        return 1;
    }
    return 0;
}

#define MODE(flags, mode) \
    do { \
        va_list rest; \
        va_start(rest, flags); \
        if ((flags) & (O_CREAT | O_TMPFILE)) \
            mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } while (0)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        static int (*real)(const char *, int, ...); \
        mode_t mode = 0; \
        MODE(flags, mode); \
        if (real == NULL) \
            real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        return open_fails(path, flags) ? -1 : real(path, flags, mode); \
    }

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) \
    { \
        static int (*real)(int, const char *, int, ...); \
        mode_t mode = 0; \
        MODE(flags, mode); \
        if (real == NULL) \
            real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        return open_fails(path, flags) ? -1 : real(folder, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t read(int fd, void *to, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    if (real == NULL)
        real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    return read_fails(fd) ? -1 : real(fd, to, size);
}

#define PREAD(name) \
    ssize_t name(int fd, void *to, size_t size, off_t from) \
    { \
        static ssize_t (*real)(int, void *, size_t, off_t); \
        if (real == NULL) \
            real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, #name); \
        return read_fails(fd) ? -1 : real(fd, to, size, from); \
    }

PREAD(pread)
PREAD(pread64)
