// Shared by the file calls and the socket calls: read and write work on both.
#ifndef CALLS_H
#define CALLS_H

#include <sys/types.h>

void socket_received(int number, ssize_t count);
void socket_sends(int number);

#endif
