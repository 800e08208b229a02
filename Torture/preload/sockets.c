// Records when an answer leaves: at the first byte sent on a socket after something was received on it.
#define _GNU_SOURCE
#include "descriptors.h"
#include "calls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static bool is_socket(int number) {
    struct descriptor *descriptor = descriptor_at(number);
    if (descriptor->kind == UNKNOWN) {
        struct stat status;
        descriptor->kind = !fstat(number, &status) && S_ISSOCK(status.st_mode) ? SOCKET : OTHER;
    }
    return descriptor->kind == SOCKET;
}

void socket_received(int number, ssize_t count) {
    if (torture_is_on() && count > 0 && is_socket(number)) descriptor_at(number)->asked = true;
}

// Called before the bytes are sent: everything the answer confirms must already be on the disk.
void socket_sends(int number) {
    if (!torture_is_on() || !is_socket(number) || !descriptor_at(number)->asked) return;
    descriptor_at(number)->asked = false;
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
    } peer;
    socklen_t length = sizeof peer;
    if (getpeername(number, &peer.any, &length)) return;
    struct record record = {.kind = RECORD_ANSWER};
    if (peer.any.sa_family == AF_INET) {
        record.value = (int64_t)ntohl(peer.four.sin_addr.s_addr) << 16 | ntohs(peer.four.sin_port);
    } else if (peer.any.sa_family == AF_UNIX) {
        // An operator's command, identified by its process.
        struct ucred person;
        socklen_t size = sizeof person;
        if (getsockopt(number, SOL_SOCKET, SO_PEERCRED, &person, &size)) return;
        record.flags = FLAG_LOCAL;
        record.value = person.pid;
    } else {
        return;
    }
    torture_lock();
    torture_record(record, NULL);
    torture_unlock();
}

ssize_t recv(int number, void *data, size_t size, int flags) {
    NEXT(recv);
    ssize_t count = next(number, data, size, flags);
    socket_received(number, count);
    return count;
}

ssize_t recvfrom(int number, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *length) {
    NEXT(recvfrom);
    ssize_t count = next(number, data, size, flags, from, length);
    socket_received(number, count);
    return count;
}

ssize_t recvmsg(int number, struct msghdr *message, int flags) {
    NEXT(recvmsg);
    ssize_t count = next(number, message, flags);
    socket_received(number, count);
    return count;
}

ssize_t send(int number, const void *data, size_t size, int flags) {
    NEXT(send);
    socket_sends(number);
    return next(number, data, size, flags);
}

ssize_t sendto(int number, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    NEXT(sendto);
    socket_sends(number);
    return next(number, data, size, flags, to, length);
}

ssize_t sendmsg(int number, const struct msghdr *message, int flags) {
    NEXT(sendmsg);
    socket_sends(number);
    return next(number, message, flags);
}
