// The kind of each descriptor of the process: the path and inode of a watched file or folder, or a socket.
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include "torture.h"

enum descriptor_kind { UNKNOWN, OTHER, WATCHED_FILE, WATCHED_FOLDER, SOCKET };

struct descriptor {
    enum descriptor_kind kind;
    bool asked;     // a socket received something that it has not answered
    bool appends;
    uint64_t file;
    char *name;
};

// Never NULL, even for a descriptor out of range.
struct descriptor *descriptor_at(int number);
void descriptor_forget(int number);
void descriptor_copy(int from, int to);

#endif
