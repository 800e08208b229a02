import Core
import Foundation
import Store

/// Wakes a thread that sleeps until its socket has data: a pipe.
final class WakeUp: Sendable {
    private let reading: CInt
    private let writing: CInt

    init() throws(StoreError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StoreError(.unavailable, "no pipe: too many open files") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            // A full pipe wakes as well as one byte does.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Ends the present sleep, or the next one at its beginning.
    func wake() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    /// Sleeps until there is data for a socket, until ``wake()``, or for a time.
    func sleep(for time: Duration, or socket: CInt = -1) {
        // A negative descriptor is passed over.
        var descriptors = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, CInt(clamping: max(0, time.wholeMilliseconds + 1)))
        guard descriptors[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 512)
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }
}
