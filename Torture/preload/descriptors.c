#define _GNU_SOURCE
#include "descriptors.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 65536 };

static struct descriptor descriptors[LIMIT];

struct descriptor *descriptor_at(int number) {
    static struct descriptor none;
    if (number >= 0 && number < LIMIT) return &descriptors[number];
    none = (struct descriptor){.kind = OTHER};
    return &none;
}

void descriptor_forget(int number) {
    struct descriptor *descriptor = descriptor_at(number);
    free(descriptor->name);
    *descriptor = (struct descriptor){.kind = UNKNOWN};
}

void descriptor_copy(int from, int to) {
    if (from == to) return;
    descriptor_forget(to);
    struct descriptor *source = descriptor_at(from), *copy = descriptor_at(to);
    *copy = *source;
    copy->asked = false;
    if (source->name) copy->name = strdup(source->name);
}

int close(int number) {
    NEXT(close);
    if (torture_is_on()) descriptor_forget(number);
    return next(number);
}

int dup(int number) {
    NEXT(dup);
    int copy = next(number);
    if (torture_is_on() && copy >= 0) descriptor_copy(number, copy);
    return copy;
}

int dup2(int number, int to) {
    NEXT(dup2);
    int copy = next(number, to);
    if (torture_is_on() && copy >= 0) descriptor_copy(number, copy);
    return copy;
}

int dup3(int number, int to, int flags) {
    NEXT(dup3);
    int copy = next(number, to, flags);
    if (torture_is_on() && copy >= 0) descriptor_copy(number, copy);
    return copy;
}

static int copied(int number, int command, int result) {
    if (torture_is_on() && result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) descriptor_copy(number, result);
    return result;
}

int fcntl(int number, int command, ...) {
    NEXT(fcntl);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return copied(number, command, next(number, command, argument));
}

int fcntl64(int number, int command, ...) {
    NEXT(fcntl64);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return copied(number, command, next(number, command, argument));
}
