// State shared by all processes under test: one order for all records, and the rules of the faults.
#define _GNU_SOURCE
#include "torture.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct shared *shared;
static int trace = -1;
static char folder[PATH_MAX];
static size_t folder_length;

void *torture_next(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) {
        fprintf(stderr, "torture: there is no %s\n", name);
        abort();
    }
    return next;
}

static void stop(const char *what) {
    fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
    abort();
}

static void prepare_lock(int control) {
    if (flock(control, LOCK_EX)) stop("flock");
    if (!shared->prepared) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        // A process may end while it holds the lock: the harness kills processes, and the server may end itself.
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&shared->lock, &attributes);
        shared->prepared = 1;
    }
    flock(control, LOCK_UN);
}

// System calls, because this library intercepts the functions.
__attribute__((constructor)) static void begin(void) {
    const char *control = getenv("TORTURE_CONTROL"), *path = getenv("TORTURE_TRACE"), *below = getenv("TORTURE_FOLDER");
    if (!control || !path || !below) return;
    if (!realpath(below, folder)) stop(below);
    folder_length = strlen(folder);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) stop(control);
    void *memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) stop(control);
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (trace < 0) stop(path);
    shared = memory;
    prepare_lock(descriptor);
    syscall(SYS_close, descriptor);
}

bool torture_is_on(void) { return shared != NULL; }

void torture_lock(void) {
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD) pthread_mutex_consistent(&shared->lock);
}

void torture_unlock(void) { pthread_mutex_unlock(&shared->lock); }

uint64_t torture_now(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t torture_record(struct record record, const void *data) {
    record.sequence = shared->sequence + 1;
    record.time = torture_now();
    record.process = (uint32_t)getpid();
    off_t end = (off_t)shared->length;
    if (syscall(SYS_pwrite64, trace, &record, sizeof record, end) != (long)sizeof record) stop("the trace");
    if (record.size && syscall(SYS_pwrite64, trace, data, (size_t)record.size, end + (off_t)sizeof record) != (long)record.size) {
        stop("the trace");
    }
    // The length is written last. A concurrent reader sees only complete records, and a process that ends in between
    // leaves no partial one.
    shared->length = (uint64_t)end + sizeof record + record.size;
    __atomic_store_n(&shared->sequence, record.sequence, __ATOMIC_RELEASE);
    return record.sequence;
}

void torture_record_unsound(const char *what) {
    torture_record((struct record){.kind = RECORD_UNSOUND, .size = (uint32_t)strlen(what)}, what);
}

void torture_unsound(const char *what) {
    torture_lock();
    torture_record_unsound(what);
    torture_unlock();
}

struct verdict torture_verdict(enum operation operation, const char *name) {
    struct verdict verdict = {0, 0};
    uint32_t delay = 0;
    torture_lock();
    for (int number = 0; number < RULES; number++) {
        struct rule *rule = &shared->rules[number];
        if (!__atomic_load_n(&rule->active, __ATOMIC_ACQUIRE) || !(rule->operations & operation)) continue;
        if (fnmatch(rule->name, name, 0)) continue;
        uint64_t hit = rule->hits++;
        if (hit < rule->skip || hit - rule->skip >= rule->times) continue;
        if (rule->delay > delay) delay = rule->delay;
        if (!rule->error || verdict.error) continue;
        verdict.error = rule->error;
        verdict.keep = (hit - rule->skip) % 2 == 0 ? rule->keep : 0;
        rule->failed++;
        torture_record((struct record){.kind = RECORD_FAULT, .value = number, .error = rule->error,
                                       .offset = operation, .size = (uint32_t)strlen(name)}, name);
    }
    torture_unlock();
    if (delay) {
        struct timespec time = {delay / 1000000, (long)(delay % 1000000) * 1000};
        syscall(SYS_nanosleep, &time, NULL);
    }
    return verdict;
}

// SQLite rebuilds its index of the log (-shm) when the first process opens a database. Its earlier content never
// matters, so images do not contain it.
static bool is_index(const char *name) {
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, "-shm");
}

const char *torture_relative(int descriptor, const char *path, char *buffer) {
    char parent[PATH_MAX], place[PATH_MAX];
    if (!shared || !path || strlen(path) >= PATH_MAX - 32) return NULL;
    if (path[0] == '/' || descriptor == AT_FDCWD) {
        strcpy(parent, path);
    } else {
        char link[32];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, parent, sizeof parent - 1);
        if (length < 0) return NULL;
        parent[length] = 0;
        if ((size_t)length + strlen(path) + 2 > sizeof parent) return NULL;
        strcat(strcat(parent, "/"), path);
    }
    size_t length = strlen(parent);
    while (length > 1 && parent[length - 1] == '/') parent[--length] = 0;
    // The folder exists even if the file does not.
    char *last = strrchr(parent, '/');
    const char *name = last ? last + 1 : parent;
    char own[NAME_MAX + 1];
    if (strlen(name) > NAME_MAX) return NULL;
    strcpy(own, name);
    if (last) *last = 0;
    if (!realpath(last ? (*parent ? parent : "/") : ".", place)) return NULL;
    size_t end = strlen(place);
    if (end + strlen(own) + 2 > sizeof place) return NULL;
    if (end > 1) place[end++] = '/';
    strcpy(place + end, own);
    if (strncmp(place, folder, folder_length) || (place[folder_length] && place[folder_length] != '/')) return NULL;
    const char *relative = place[folder_length] ? place + folder_length + 1 : ".";
    if (is_index(relative)) return NULL;
    return strcpy(buffer, relative);
}
