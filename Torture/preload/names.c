// Calls on the names in watched folders.
#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refused(enum operation operation, const char *name) {
    struct verdict verdict = torture_verdict(operation, name);
    if (verdict.error) errno = verdict.error;
    return verdict.error != 0;
}

static int open_watched(int folder, const char *path, int flags, mode_t mode) {
    static __typeof__(&openat) next;
    if (!next) next = (__typeof__(next))torture_next("openat");
    char name[PATH_MAX];
    if (!torture_is_on()) return next(folder, path, flags, mode);
    if (!torture_relative(folder, path, name)) {
        int number = next(folder, path, flags, mode);
        if (number >= 0) descriptor_forget(number);
        return number;
    }
    struct stat status;
    bool existed = !fstatat(folder, path, &status, 0), creates = flags & O_CREAT && !existed;
    if (creates && refused(OPERATION_CREATE, name)) return -1;
    if ((flags & O_ACCMODE) != O_RDONLY && refused(OPERATION_OPEN_TO_WRITE, name)) return -1;
    torture_lock();
    existed = !fstatat(folder, path, &status, 0);
    off_t before = existed ? status.st_size : 0;
    int number = next(folder, path, flags, mode), kept = errno;
    if (number >= 0 && !fstat(number, &status)) {
        bool is_folder = S_ISDIR(status.st_mode);
        descriptor_forget(number);
        *descriptor_at(number) = (struct descriptor){
            .kind = is_folder ? WATCHED_FOLDER : S_ISREG(status.st_mode) ? WATCHED_FILE : OTHER,
            .appends = flags & O_APPEND, .file = status.st_ino, .name = strdup(name)};
        uint16_t marks = (uint16_t)((existed ? 0 : FLAG_CREATED) | (is_folder ? FLAG_FOLDER : 0));
        torture_record((struct record){.kind = RECORD_OPEN, .flags = marks, .file = status.st_ino,
                                       .size = (uint32_t)strlen(name)}, name);
        if (existed && flags & O_TRUNC && before) {
            torture_record((struct record){.kind = RECORD_TRUNCATE, .file = status.st_ino}, NULL);
        }
    }
    torture_unlock();
    errno = kept;
    return number;
}

#define MODE(last) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, last); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_watched(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_watched(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_watched(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_watched(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) { return open_watched(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

// Two names; the second is "" if there is only one. The caller holds the lock since before the call.
static void record_names(enum kind kind, const char *first, const char *second) {
    char names[2 * PATH_MAX];
    size_t length = strlen(first);
    memcpy(names, first, length + 1);
    strcpy(names + length + 1, second);
    torture_record((struct record){.kind = (uint16_t)kind, .size = (uint32_t)(length + 1 + strlen(second))}, names);
}

static int name_twice(enum kind kind, enum operation operation, int from, const char *old, int to, const char *new, int flags) {
    static __typeof__(&renameat) renames;
    static __typeof__(&linkat) links;
    if (!renames) renames = torture_next("renameat"), links = torture_next("linkat");
    char first[PATH_MAX], second[PATH_MAX];
    bool source = torture_is_on() && torture_relative(from, old, first);
    bool target = torture_is_on() && torture_relative(to, new, second);
    if (source != target) torture_unsound(source ? first : second);
    if (!source || !target) return kind == RECORD_LINK ? links(from, old, to, new, flags) : renames(from, old, to, new);
    if (refused(operation, second)) return -1;
    torture_lock();
    int result = kind == RECORD_LINK ? links(from, old, to, new, flags) : renames(from, old, to, new), kept = errno;
    if (!result) record_names(kind, first, second);
    torture_unlock();
    errno = kept;
    return result;
}

int rename(const char *old, const char *new) {
    return name_twice(RECORD_RENAME, OPERATION_RENAME, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int renameat(int from, const char *old, int to, const char *new) {
    return name_twice(RECORD_RENAME, OPERATION_RENAME, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags) {
    NEXT(renameat2);
    char name[PATH_MAX];
    if (!flags) return renameat(from, old, to, new);
    if (torture_is_on() && torture_relative(to, new, name)) torture_unsound(name);
    return next(from, old, to, new, flags);
}

int link(const char *old, const char *new) {
    return name_twice(RECORD_LINK, OPERATION_LINK, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    return name_twice(RECORD_LINK, OPERATION_LINK, from, old, to, new, flags);
}

static int unlink_watched(int folder, const char *path, int flags) {
    static __typeof__(&unlinkat) next;
    if (!next) next = (__typeof__(next))torture_next("unlinkat");
    char name[PATH_MAX];
    if (!torture_is_on() || !torture_relative(folder, path, name)) return next(folder, path, flags);
    if (refused(OPERATION_UNLINK, name)) return -1;
    torture_lock();
    int result = next(folder, path, flags), kept = errno;
    if (!result) record_names(flags & AT_REMOVEDIR ? RECORD_REMOVE_FOLDER : RECORD_UNLINK, name, "");
    torture_unlock();
    errno = kept;
    return result;
}

int unlink(const char *path) { return unlink_watched(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return unlink_watched(folder, path, flags); }
int rmdir(const char *path) { return unlink_watched(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
    struct stat status;
    if (lstat(path, &status)) return -1;
    return unlink_watched(AT_FDCWD, path, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    char name[PATH_MAX];
    if (!torture_is_on() || !torture_relative(AT_FDCWD, path, name)) return next(path, mode);
    if (refused(OPERATION_CREATE, name)) return -1;
    torture_lock();
    int result = next(path, mode), kept = errno;
    if (!result) record_names(RECORD_MAKE_FOLDER, name, "");
    torture_unlock();
    errno = kept;
    return result;
}

int truncate(const char *path, off_t size) {
    int number = open(path, O_WRONLY | O_CLOEXEC);
    if (number < 0) return -1;
    int result = ftruncate(number, size), kept = errno;
    close(number);
    errno = kept;
    return result;
}

// The C library's own buffers bypass this library.

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen);
    char name[PATH_MAX];
    if (torture_is_on() && strpbrk(mode, "wa+") && torture_relative(AT_FDCWD, path, name)) torture_unsound(name);
    return next(path, mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

int mkstemp(char *path) {
    NEXT(mkstemp);
    char name[PATH_MAX];
    if (torture_is_on() && torture_relative(AT_FDCWD, path, name)) torture_unsound(name);
    return next(path);
}
