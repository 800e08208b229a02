// A disk that fails on request, for SQLite's files in this process: a VFS around the system's own.
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

typedef enum { FAULTY_WRITE, FAULTY_SYNC, FAULTY_TRUNCATE, FAULTY_READ } faulty_operation;

// Makes it the VFS that SQLite uses unless told otherwise. Harmless to repeat.
void faulty_disk_install(void);

// From now on an operation on a file ends with one of SQLite's result codes, `times` times; fewer than 0 for every time.
void faulty_disk_fail(const char *path, faulty_operation operation, int code, int times);

// The file's operations succeed again.
void faulty_disk_heal(const char *path);

// How often an operation was asked of a file since it first failed.
int faulty_disk_asked(const char *path, faulty_operation operation);

#endif
