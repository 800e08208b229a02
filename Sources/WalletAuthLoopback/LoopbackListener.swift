#if os(Linux)
    import Foundation
    import WalletAuth
    import WalletAuthTransport

    /// Waits on a loopback socket for one callback, on its own thread.
    ///
    /// Everything that can grow has a limit: concurrent connections, bytes per request, time per request, total time.
    final class LoopbackListener: Sendable {
        /// The port in use.
        var port: Int { socket.port }

        private let socket: LoopbackSocket
        private let isPresented = LockedValue(false)
        private let pages: LoopbackPages
        /// Becomes readable to end the wait.
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

        /// Waits for the callback and answers everything else.
        /// - Throws: `CancellationError` if the task is cancelled or ``close()`` is called; `UserAgentFailure` of
        ///   kind `timedOut`.
        func receive(_ expectation: LoopbackExpectation, within limit: Duration) async throws -> URL {
            let isFirst = isPresented.withLock { isPresented in
                defer { isPresented = true }
                return !isPresented
            }
            guard isFirst else { throw UserAgentFailure(.failed, reason: "a session can be presented only once") }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { [self] in
                        var conversation = LoopbackConversation(
                            socket: socket, stop: stop, expectation: expectation, pages: pages)
                        let result = Result { try conversation.run(until: .now + limit) }
                        // Resume the caller at once; the browser may take its time to read the page.
                        continuation.resume(with: result)
                        conversation.windUp()
                    }
                }
            } onCancel: {
                close()
            }
        }

        /// Ends the wait, now or as soon as it begins.
        func close() {
            // The byte is never read, so the other end stays readable. A full pipe has the same effect.
            _ = [UInt8(1)].withUnsafeBytes { write(stopper.descriptor, $0.baseAddress, $0.count) }
            socket.stopListening()
        }
    }
#endif
