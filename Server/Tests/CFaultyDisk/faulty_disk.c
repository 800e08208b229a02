#include "faulty_disk.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

// Tests name few files each, and never the same one.
#define MOST_RULES 256

struct rule {
    char path[512];
    faulty_operation operation;
    int code;
    int times;
    int asked;
};

static struct rule rules[MOST_RULES];
static int rule_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs faulty_vfs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct faulty_file {
    sqlite3_file base;
    char path[512];
    sqlite3_file *real;
};

static struct rule *find(const char *path, faulty_operation operation) {
    for (int i = 0; i < rule_count; i++)
        if (rules[i].operation == operation && strcmp(rules[i].path, path) == 0) return &rules[i];
    return NULL;
}

static int outcome(struct faulty_file *file, faulty_operation operation) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&lock);
    struct rule *rule = find(file->path, operation);
    if (rule) {
        rule->asked++;
        if (rule->times != 0) {
            code = rule->code;
            if (rule->times > 0) rule->times--;
        }
    }
    pthread_mutex_unlock(&lock);
    // The least alarming reason: code that reads errno alone would take a failed sync for a full disk.
    if (code) errno = ENOSPC;
    return code;
}

#define REAL(file) (((struct faulty_file *)(file))->real)
#define CALL(file, method, ...) (REAL(file)->pMethods->method(REAL(file), ##__VA_ARGS__))

static int x_close(sqlite3_file *file) { return CALL(file, xClose); }

static int x_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = outcome((struct faulty_file *)file, FAULTY_READ);
    return code ? code : CALL(file, xRead, bytes, count, offset);
}

static int x_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code = outcome((struct faulty_file *)file, FAULTY_WRITE);
    return code ? code : CALL(file, xWrite, bytes, count, offset);
}

static int x_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = outcome((struct faulty_file *)file, FAULTY_TRUNCATE);
    return code ? code : CALL(file, xTruncate, size);
}

static int x_sync(sqlite3_file *file, int flags) {
    int code = outcome((struct faulty_file *)file, FAULTY_SYNC);
    return code ? code : CALL(file, xSync, flags);
}

static int x_size(sqlite3_file *file, sqlite3_int64 *size) { return CALL(file, xFileSize, size); }
static int x_lock(sqlite3_file *file, int level) { return CALL(file, xLock, level); }
static int x_unlock(sqlite3_file *file, int level) { return CALL(file, xUnlock, level); }
static int x_reserved(sqlite3_file *file, int *result) { return CALL(file, xCheckReservedLock, result); }
static int x_control(sqlite3_file *file, int operation, void *argument) {
    return CALL(file, xFileControl, operation, argument);
}
static int x_sector(sqlite3_file *file) { return CALL(file, xSectorSize); }
static int x_traits(sqlite3_file *file) { return CALL(file, xDeviceCharacteristics); }
static int x_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    return CALL(file, xShmMap, region, size, extend, memory);
}
static int x_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return CALL(file, xShmLock, offset, count, flags);
}
static void x_shm_barrier(sqlite3_file *file) { CALL(file, xShmBarrier); }
static int x_shm_unmap(sqlite3_file *file, int remove) { return CALL(file, xShmUnmap, remove); }

static const sqlite3_io_methods methods = {
    2,       x_close,  x_read,    x_write,    x_truncate, x_sync,   x_size,    x_lock,     x_unlock,
    x_reserved, x_control, x_sector, x_traits, x_shm_map, x_shm_lock, x_shm_barrier, x_shm_unmap,
};

static int x_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    struct faulty_file *faulty = (struct faulty_file *)file;
    faulty->real = (sqlite3_file *)(faulty + 1);
    faulty->path[0] = 0;
    if (name) strncat(faulty->path, name, sizeof faulty->path - 1);
    int code = system_vfs->xOpen(system_vfs, name, faulty->real, flags, out);
    faulty->base.pMethods = faulty->real->pMethods ? &methods : NULL;
    return code;
}

static void install(void) {
    system_vfs = sqlite3_vfs_find(NULL);
    faulty_vfs = *system_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.szOsFile = (int)sizeof(struct faulty_file) + system_vfs->szOsFile;
    faulty_vfs.xOpen = x_open;
    faulty_vfs.pNext = NULL;
    sqlite3_vfs_register(&faulty_vfs, 1);
}

void faulty_disk_install(void) { pthread_once(&once, install); }

void faulty_disk_fail(const char *path, faulty_operation operation, int code, int times) {
    pthread_mutex_lock(&lock);
    struct rule *rule = find(path, operation);
    if (!rule && rule_count < MOST_RULES) rule = &rules[rule_count++];
    if (rule) {
        *rule = (struct rule){.operation = operation, .code = code, .times = times};
        strncat(rule->path, path, sizeof rule->path - 1);
    }
    pthread_mutex_unlock(&lock);
}

void faulty_disk_heal(const char *path) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < rule_count; i++)
        if (strcmp(rules[i].path, path) == 0) rules[i].times = 0;
    pthread_mutex_unlock(&lock);
}

int faulty_disk_asked(const char *path, faulty_operation operation) {
    pthread_mutex_lock(&lock);
    struct rule *rule = find(path, operation);
    int asked = rule ? rule->asked : 0;
    pthread_mutex_unlock(&lock);
    return asked;
}
