#if os(Linux)
    import Foundation
    import WalletAuth

    /// The listener's thread: its connections, the bytes they have sent, and their deadlines.
    struct LoopbackConversation {
        private static let maximumConnections = 32
        /// A busy machine may stop a browser between its connection and its request.
        private static let requestTime = Duration.seconds(60)
        private static let windUpTime = Duration.seconds(1)

        private struct Connection {
            let file: OpenFile
            let deadline: ContinuousClock.Instant
            var received: [UInt8] = []
            /// Answered; waits only for the other side to close, so that unread input does not destroy the answer in
            /// transit.
            var isAnswered = false
        }

        private var socket: LoopbackSocket?
        private let stop: OpenFile
        private let expectation: LoopbackExpectation
        private let pages: LoopbackPages
        private var connections: [Connection] = []
        /// Whether a correct answer was refused because of its sender.
        private var hasTurnedAway = false

        init(socket: LoopbackSocket, stop: OpenFile, expectation: LoopbackExpectation, pages: LoopbackPages) {
            self.socket = socket
            self.stop = stop
            self.expectation = expectation
            self.pages = pages
        }

        /// Serves requests until the callback arrives.
        mutating func run(until deadline: ContinuousClock.Instant) throws -> URL {
            while true {
                let ready = try wait(until: deadline)
                if ready.stop { throw CancellationError() }
                guard .now < deadline else {
                    throw UserAgentFailure(
                        .timedOut,
                        reason: hasTurnedAway
                            ? "a callback arrived and was refused: it came from another user's program, or from outside this system"
                            : "the browser did not return in time")
                }
                if let url = serve(ready.connections) { return url }
                if ready.socket { acceptConnection() }
                connections.removeAll { $0.deadline <= .now }
            }
        }

        /// Gives the browser a moment to read the last answer, and answers no one else.
        mutating func windUp() {
            socket?.stopListening()
            socket = nil
            connections.removeAll { !$0.isAnswered }
            let deadline = ContinuousClock.now + Self.windUpTime
            while !connections.isEmpty, .now < deadline, let ready = try? wait(until: deadline), !ready.stop {
                _ = serve(ready.connections)
            }
        }

        private func wait(
            until deadline: ContinuousClock.Instant
        ) throws -> (stop: Bool, socket: Bool, connections: Set<Int32>) {
            let soonest = connections.map(\.deadline).min().map { min($0, deadline) } ?? deadline
            var watched = ([stop.descriptor, socket?.file.descriptor ?? -1] + connections.map(\.file.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = max(.zero, ContinuousClock.now.duration(to: soonest))
            let milliseconds =
                min(left.components.seconds, 3600) * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            try SystemCallFailure.check("poll") { poll(&watched, nfds_t(watched.count), Int32(milliseconds) + 1) }
            let ready = watched.map { $0.revents != 0 }
            return (ready[0], ready[1], Set(watched.dropFirst(2).filter { $0.revents != 0 }.map(\.fd)))
        }

        private mutating func acceptConnection() {
            guard let file = socket?.acceptConnection() else { return }
            // Browsers open connections that they never use; drop the oldest.
            if connections.count >= Self.maximumConnections { connections.removeFirst() }
            connections.append(Connection(file: file, deadline: .now + Self.requestTime))
        }

        /// Reads from connections and answers the complete requests.
        /// - Returns: the callback, if it is among them.
        private mutating func serve(_ ready: Set<Int32>) -> URL? {
            var ended: Set<Int32> = []
            defer { connections.removeAll { ended.contains($0.file.descriptor) } }
            for index in connections.indices where ready.contains(connections[index].file.descriptor) {
                let descriptor = connections[index].file.descriptor
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else {
                    ended.insert(descriptor)
                    continue
                }
                if connections[index].isAnswered { continue }
                connections[index].received += buffer[..<count]
                guard let (answer, callback) = respond(to: connections[index]) else { continue }
                deliver(answer, to: descriptor)
                connections[index].isAnswered = true
                connections[index].received = []
                if let callback { return callback }
            }
            return nil
        }

        /// - Returns: the answer, and the callback if this is it; nil while the request is incomplete.
        private mutating func respond(to connection: Connection) -> (answer: [UInt8], callback: URL?)? {
            switch LoopbackRequest.parse(connection.received) {
            case .incomplete: return nil
            case .malformed: return (pages.ignoredAnswer(status: 400), nil)
            case .tooLarge: return (pages.ignoredAnswer(status: 431), nil)
            case .request(let request):
                switch expectation.judge(request) {
                case .ignore(let status): return (pages.ignoredAnswer(status: status), nil)
                case .callback where !LoopbackPeer.isOfThisUser(connection.file):
                    hasTurnedAway = true
                    return (pages.ignoredAnswer(status: 403), nil)
                case .callback(let url, let callback):
                    return (pages.answer(to: callback, acceptLanguage: request.acceptLanguage), url)
                }
            }
        }

        /// Answers fit into the socket's buffer. If one does not, the other side is not reading.
        private func deliver(_ answer: [UInt8], to descriptor: Int32) {
            // A browser that has gone away must not end the program with SIGPIPE.
            _ = answer.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }
#endif
