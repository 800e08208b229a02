#if os(Linux)
    import Foundation
    import Glibc
    import Testing
    import WalletAuthTransport

    @testable import WalletAuth
    @testable import WalletAuthLoopback

    /// A server on a port of 127.0.0.1 that keeps its connections open for another request, as servers do, until a request
    /// comes that it reads and drops.
    final class KeptConnections: Sendable {
        private let socket: LoopbackSocket
        private let received = LockedValue<[String]>([])
        private let open = LockedValue(0)
        private let isStopped = LockedValue(false)

        /// What was sent to it, in order.
        var requests: [String] { received.withLock { $0 } }
        /// How many connections are still open.
        var openConnections: Int { open.withLock { $0 } }

        /// - Parameter isDropped: whether the request of this number, counted from one over all connections, is dropped.
        init(dropping isDropped: @escaping @Sendable (Int) -> Bool) throws {
            socket = try LoopbackSocket(.version4, port: 0)
            Thread.detachNewThread { [socket, received, open, isStopped] in
                while !isStopped.withLock({ $0 }) {
                    var listening = pollfd(fd: socket.file.descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&listening, 1, 50) > 0, let connection = socket.acceptConnection() else { continue }
                    open.withLock { $0 += 1 }
                    Thread.detachNewThread {
                        Self.serve(connection, received, isDropped)
                        open.withLock { $0 -= 1 }
                    }
                }
            }
        }

        /// Answers until the other side closes, or a request is dropped.
        private static func serve(
            _ connection: OpenFile, _ received: LockedValue<[String]>, _ isDropped: (Int) -> Bool
        ) {
            while true {
                var reading = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&reading, 1, -1) > 0 else { return }
                let request = RawServer.readRequest(connection)
                guard !request.isEmpty else { return }
                let number = received.withLock { received in
                    received.append(request)
                    return received.count
                }
                if isDropped(number) { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }

        deinit { isStopped.withLock { $0 = true } }

        var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(socket.port)/")) } }
    }
#endif
