// Calls on the content of watched files. The lock is held during a call, so the trace has the calls in the order in
// which they took effect.
#define _GNU_SOURCE
#include "calls.h"
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_file(int number) { return torture_is_on() && descriptor_at(number)->kind == WATCHED_FILE; }

// If this library missed a close, it would take the descriptor for the file it had before. Call only with the lock held.
static void still_the_same(int number, const struct stat *status) {
    if ((uint64_t)status->st_ino != descriptor_at(number)->file) torture_record_unsound("a descriptor was closed unseen");
}

// offset -1: the descriptor's current position.
static ssize_t write_watched(int number, const struct iovec *parts, int count, off_t offset) {
    struct descriptor *descriptor = descriptor_at(number);
    struct verdict verdict = torture_verdict(OPERATION_WRITE, descriptor->name);
    if (verdict.error && !verdict.keep) {
        errno = verdict.error;
        return -1;
    }
    size_t room = verdict.error ? verdict.keep : SIZE_MAX;
    ssize_t sum = 0;
    torture_lock();
    struct stat status;
    if (fstat(number, &status)) torture_record_unsound("fstat");
    still_the_same(number, &status);
    off_t at = offset >= 0 ? offset : descriptor->appends ? status.st_size : lseek(number, 0, SEEK_CUR);
    for (int part = 0; part < count && room; part++) {
        size_t length = parts[part].iov_len < room ? parts[part].iov_len : room;
        if (!length) continue;
        static __typeof__(&write) plain;
        static __typeof__(&pwrite) placed;
        if (!plain) plain = torture_next("write"), placed = torture_next("pwrite");
        ssize_t written = offset >= 0 ? placed(number, parts[part].iov_base, length, at) : plain(number, parts[part].iov_base, length);
        if (written < 0) {
            if (!sum) sum = -1;
            break;
        }
        int kept = errno;
        torture_record((struct record){.kind = RECORD_WRITE, .file = descriptor->file, .offset = (uint64_t)at,
                                       .size = (uint32_t)written}, parts[part].iov_base);
        errno = kept;
        sum += written, at += written, room -= (size_t)written;
        if ((size_t)written < length) break;
    }
    int kept = errno;
    torture_unlock();
    errno = kept;
    return sum;
}

ssize_t write(int number, const void *data, size_t size) {
    NEXT(write);
    if (is_file(number)) return write_watched(number, &(struct iovec){(void *)data, size}, 1, -1);
    socket_sends(number);
    return next(number, data, size);
}

ssize_t writev(int number, const struct iovec *parts, int count) {
    NEXT(writev);
    if (is_file(number)) return write_watched(number, parts, count, -1);
    socket_sends(number);
    return next(number, parts, count);
}

ssize_t pwrite(int number, const void *data, size_t size, off_t offset) {
    NEXT(pwrite);
    if (is_file(number)) return write_watched(number, &(struct iovec){(void *)data, size}, 1, offset);
    return next(number, data, size, offset);
}

ssize_t pwrite64(int number, const void *data, size_t size, off64_t offset) { return pwrite(number, data, size, offset); }

ssize_t pwritev(int number, const struct iovec *parts, int count, off_t offset) {
    NEXT(pwritev);
    if (is_file(number)) return write_watched(number, parts, count, offset);
    return next(number, parts, count, offset);
}

ssize_t pwritev64(int number, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(number, parts, count, offset);
}

static bool refused(int number, enum operation operation) {
    if (!is_file(number)) return false;
    struct verdict verdict = torture_verdict(operation, descriptor_at(number)->name);
    if (verdict.error) errno = verdict.error;
    return verdict.error != 0;
}

ssize_t read(int number, void *data, size_t size) {
    NEXT(read);
    if (refused(number, OPERATION_READ)) return -1;
    ssize_t count = next(number, data, size);
    socket_received(number, count);
    return count;
}

ssize_t readv(int number, const struct iovec *parts, int count) {
    NEXT(readv);
    if (refused(number, OPERATION_READ)) return -1;
    ssize_t result = next(number, parts, count);
    socket_received(number, result);
    return result;
}

ssize_t pread(int number, void *data, size_t size, off_t offset) {
    NEXT(pread);
    if (refused(number, OPERATION_READ)) return -1;
    return next(number, data, size, offset);
}

ssize_t pread64(int number, void *data, size_t size, off64_t offset) { return pread(number, data, size, offset); }

int ftruncate(int number, off_t size) {
    NEXT(ftruncate);
    if (!is_file(number)) return next(number, size);
    if (refused(number, OPERATION_TRUNCATE)) return -1;
    torture_lock();
    int result = next(number, size), kept = errno;
    if (!result) torture_record((struct record){.kind = RECORD_TRUNCATE, .file = descriptor_at(number)->file, .value = size}, NULL);
    torture_unlock();
    errno = kept;
    return result;
}

int ftruncate64(int number, off64_t size) { return ftruncate(number, size); }

// Without the lock, so that others can write during the sync. It does not cover their writes after the first record.
static int synchronize(int number, int (*next)(int)) {
    struct descriptor *descriptor = descriptor_at(number);
    if (!torture_is_on() || (descriptor->kind != WATCHED_FILE && descriptor->kind != WATCHED_FOLDER)) return next(number);
    uint16_t flags = descriptor->kind == WATCHED_FOLDER ? FLAG_FOLDER : 0;
    uint64_t file = descriptor->file;
    torture_lock();
    uint64_t began = torture_record((struct record){.kind = RECORD_SYNC_BEGINS, .flags = flags, .file = file}, NULL);
    torture_unlock();
    struct verdict verdict = torture_verdict(OPERATION_SYNC, descriptor->name);
    int result = verdict.error ? -1 : next(number), error = verdict.error ? verdict.error : errno;
    torture_lock();
    torture_record((struct record){.kind = RECORD_SYNC_ENDS, .flags = flags, .file = file, .value = (int64_t)began,
                                   .error = result ? error : 0}, NULL);
    torture_unlock();
    errno = error;
    return result;
}

int fsync(int number) {
    NEXT(fsync);
    return synchronize(number, next);
}

int fdatasync(int number) {
    NEXT(fdatasync);
    return synchronize(number, next);
}

// Calls that the model does not cover end the run, so that none goes unnoticed.

int fallocate(int number, int mode, off_t offset, off_t size) {
    NEXT(fallocate);
    if (is_file(number)) torture_unsound("fallocate");
    return next(number, mode, offset, size);
}

int posix_fallocate(int number, off_t offset, off_t size) {
    NEXT(posix_fallocate);
    if (is_file(number)) torture_unsound("posix_fallocate");
    return next(number, offset, size);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
    NEXT(sendfile);
    if (is_file(to)) torture_unsound("sendfile");
    return next(to, from, offset, size);
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *offset, size_t size, unsigned int flags) {
    NEXT(copy_file_range);
    if (is_file(to)) torture_unsound("copy_file_range");
    return next(from, at, to, offset, size, flags);
}

void *mmap(void *address, size_t size, int protection, int flags, int number, off_t offset) {
    NEXT(mmap);
    if (number >= 0 && (protection & PROT_WRITE) && (flags & MAP_SHARED) && is_file(number)) torture_unsound("mmap");
    return next(address, size, protection, flags, number, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int number, off64_t offset) {
    return mmap(address, size, protection, flags, number, offset);
}
