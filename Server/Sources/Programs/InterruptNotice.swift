import CTerminal
import Foundation
import Synchronization

/// What Ctrl-C does before it ends the program.
package enum InterruptNotice {
    /// Has Ctrl-C write a line to standard error before it ends the program.
    /// - Parameter line: without characters that steer a terminal.
    package static func set(_ line: String) { terminal_say_at_interrupt("\n\(line)\n") }

    /// Has Ctrl-C write nothing again.
    package static func clear() { terminal_say_at_interrupt("") }

    /// Has the next Ctrl-C run `body` on a thread of its own instead of ending the program. The one after that ends it.
    package static func take(_ body: @escaping @Sendable () -> Void) {
        guard let descriptor else { return }
        taking.withLock { $0 = body }
        terminal_tell_at_interrupt(descriptor)
    }

    /// Has Ctrl-C end the program again.
    package static func release() {
        terminal_tell_at_interrupt(-1)
        taking.withLock { $0 = nil }
    }

    /// Ends the program as Ctrl-C does, without the line of ``set(_:)``.
    package static func end() -> Never {
        release()
        clear()
        // The threads of tasks block signals.
        var interrupt = sigset_t()
        sigemptyset(&interrupt)
        sigaddset(&interrupt, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &interrupt, nil)
        raise(SIGINT)
        // Only if the signal is ignored.
        exit(130)
    }

    private static let taking = Mutex<(@Sendable () -> Void)?>(nil)

    /// Where the signal's handler writes; nil if the system has no pipe left. A thread reads it until the program ends.
    private static let descriptor: Int32? = {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        let (source, target) = (ends[0], ends[1])
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(source, &byte, 1)
                guard count == 1 || count < 0 && errno == EINTR else { return }
                if count == 1 { taking.withLock { $0 }?() }
            }
        }
        return target
    }()
}
