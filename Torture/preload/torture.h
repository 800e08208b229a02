// The preloaded library has three parts: the state shared with the driver, the intercepted calls, and the clock.
#ifndef TORTURE_H
#define TORTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// One line of the control file: the calls that fail, and how. The driver writes it while the server runs; see
// control.py.
struct rule {
    uint32_t active;
    uint32_t operations;  // a set of OPERATION_…
    uint64_t skip;        // so many calls that match pass first
    uint64_t times;       // so many fail after that
    uint64_t hits;        // calls that matched so far, passed ones included
    int32_t error;        // errno; 0 only delays
    uint32_t keep;        // a write keeps so many bytes and is short; the one after it fails
    uint32_t delay;       // microseconds
    uint32_t failed;      // calls that failed
    char name[64];        // a pattern (fnmatch) for the path below the folder
};

enum { RULES = 32 };

// The control file, mapped by every process under test and by the driver.
struct shared {
    uint64_t prepared;
    uint64_t sequence;  // the number of the last record
    uint64_t length;    // of the trace, in bytes
    pthread_mutex_t lock;
    char reserved[256 - 24 - sizeof(pthread_mutex_t)];
    struct rule rules[RULES];
};

enum operation {
    OPERATION_WRITE = 1,
    OPERATION_SYNC = 2,
    OPERATION_TRUNCATE = 4,
    OPERATION_RENAME = 8,
    OPERATION_LINK = 16,
    OPERATION_UNLINK = 32,
    OPERATION_CREATE = 64,
    OPERATION_READ = 128,
    OPERATION_OPEN_TO_WRITE = 256,
};

enum kind {
    RECORD_OPEN = 1,
    RECORD_WRITE,
    RECORD_TRUNCATE,
    RECORD_SYNC_BEGINS,
    RECORD_SYNC_ENDS,
    RECORD_RENAME,
    RECORD_LINK,
    RECORD_UNLINK,
    RECORD_MAKE_FOLDER,
    RECORD_REMOVE_FOLDER,
    RECORD_ANSWER,
    RECORD_UNSOUND,
    RECORD_FAULT,
};

enum { FLAG_CREATED = 1, FLAG_FOLDER = 2, FLAG_LOCAL = 4 };

// A record of the trace, followed by `size` bytes: data, or names separated by a zero byte.
struct record {
    uint32_t size;
    uint16_t kind;
    uint16_t flags;
    uint64_t sequence;
    uint64_t time;    // nanoseconds since 1970
    uint64_t file;    // its inode
    uint64_t offset;
    int64_t value;    // a size, the record in which a sync began, or the peer of an answer
    uint32_t process;
    int32_t error;
};

struct verdict {
    int error;
    uint32_t keep;
};

bool torture_is_on(void);
void torture_lock(void);
void torture_unlock(void);
// Call only with the lock held. Returns the number of the record.
uint64_t torture_record(struct record record, const void *data);
// Records something that the model does not cover, which ends the run. Call only with the lock held.
void torture_record_unsound(const char *what);
// The same without the lock.
void torture_unsound(const char *what);
// Applies the rules to a call, and waits if one delays it. Call without the lock.
struct verdict torture_verdict(enum operation operation, const char *name);
// The path below the folder; NULL if it is elsewhere or the shared-memory index. Not reentrant: copy the result.
const char *torture_relative(int folder, const char *path, char *buffer);
uint64_t torture_now(void);

// The next function of that name after this library.
void *torture_next(const char *name);
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))torture_next(#name)

#endif
