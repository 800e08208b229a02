#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Waits on a loopback socket for one callback, on a thread of its own.
    ///
    /// Everything that can grow has a limit: connections at once, bytes of a request, time for a request, time for it all.
    final class LoopbackListener: Sendable {
        /// The port that is listened to.
        var port: Int { socket.port }

        private let socket: LoopbackSocket
        private let isPresented = Protected(false)
        private let pages: LoopbackPages
        /// Readable once the waiting is to end.
        private let stop: OpenFile
        private let stopper: OpenFile

        init(socket: LoopbackSocket, pages: LoopbackPages) throws(SystemCallFailure) {
            self.socket = socket
            self.pages = pages
            var ends: [Int32] = [-1, -1]
            try SystemCallFailure.check("pipe") { pipe(&ends) }
            (stop, stopper) = (OpenFile(ends[0]), OpenFile(ends[1]))
            try stop.neverBlockNorInherit()
            try stopper.neverBlockNorInherit()
        }

        /// Waits for the callback, answering everything else.
        /// - Throws: `CancellationError` when the task is cancelled or ``close()`` is called; ``UserAgentFailure`` of kind
        ///   `timedOut`.
        func receive(_ expectation: LoopbackExpectation, within limit: Duration) async throws -> URL {
            let isFirst = isPresented.withLock { isPresented in
                defer { isPresented = true }
                return !isPresented
            }
            guard isFirst else { throw UserAgentFailure(.failed, reason: "a conversation is presented once") }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { [self] in
                        var conversation = LoopbackConversation(
                            socket: socket, stop: stop, expectation: expectation, pages: pages)
                        let result = Result { try conversation.run(until: .now + limit) }
                        // The caller goes on at once; the browser may take its time to read the page.
                        continuation.resume(with: result)
                        conversation.windUp()
                    }
                }
            } onCancel: {
                close()
            }
        }

        /// Ends the waiting, now or as soon as it begins.
        func close() {
            // What is written is never read: from now on the other end is always readable. A full pipe says the same.
            _ = [UInt8(1)].withUnsafeBytes { write(stopper.descriptor, $0.baseAddress, $0.count) }
            socket.stopListening()
        }
    }
#endif
