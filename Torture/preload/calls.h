// What the file calls and the socket calls have in common: read and write serve both.
#ifndef CALLS_H
#define CALLS_H

#include <sys/types.h>

void socket_received(int number, ssize_t count);
void socket_sends(int number);

#endif
