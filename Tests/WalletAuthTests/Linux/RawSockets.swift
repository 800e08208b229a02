#if os(Linux)
    import Foundation
    import Glibc
    import Testing
    import WalletAuthTransport

    @testable import WalletAuth
    @testable import WalletAuthLoopback

    extension OpenFile {
        /// Sends bytes over a connection. That the other side has gone is for the reader to notice: no SIGPIPE ends the tests.
        func send(_ text: String) {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// A port of 127.0.0.1 at which no one listens, and which no other test gets: connections to it are refused.
    final class ClosedPort: Sendable {
        let number: Int
        private let file: OpenFile

        init() throws {
            let file = OpenFile(
                try SystemCallFailure.check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) })
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let outcome = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(file.descriptor, address, length) == 0
                        && getsockname(file.descriptor, address, &length) == 0
                }
            }
            try #require(outcome)
            number = Int(UInt16(bigEndian: name.sin_port))
            self.file = file
        }
    }

    /// A connection to a port of 127.0.0.1 that sends and reads bytes as they are.
    final class RawClient: Sendable {
        private let file: OpenFile

        init(port: Int) throws {
            file = OpenFile(
                try SystemCallFailure.check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) })
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = UInt16(port).bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let descriptor = file.descriptor
            try SystemCallFailure.check("connect") {
                withUnsafePointer(to: &name) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
        }

        /// The same by a socket of IPv6, to an address in its notation.
        init(port: Int, version6 host: String) throws {
            file = OpenFile(
                try SystemCallFailure.check("socket") { socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0) })
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = UInt16(port).bigEndian
            let isAddress = inet_pton(AF_INET6, host, &name.sin6_addr) == 1
            try #require(isAddress)
            let descriptor = file.descriptor
            try SystemCallFailure.check("connect") {
                withUnsafePointer(to: &name) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                    }
                }
            }
        }

        func send(_ text: String) { file.send(text) }

        /// Everything until the other side closes.
        func readToEnd() async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [file] in
                    let bytes = (try? file.readAll(limit: 1 << 20)) ?? []
                    continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
                }
            }
        }

        /// Sends a request and reads the answer.
        func exchange(_ text: String) async -> String {
            send(text)
            return await readToEnd()
        }
    }

    /// A server on a port of 127.0.0.1 that answers each connection with bytes of the test's choice.
    final class RawServer: Sendable {
        /// Answers nothing, and keeps the connection open until the server is gone.
        static let silence = ""

        private let socket: LoopbackSocket
        private let received = LockedValue<[String]>([])
        private let kept = LockedValue<[OpenFile]>([])
        private let isStopped = LockedValue(false)

        /// The port to connect to.
        var port: Int { socket.port }
        /// What was sent to it.
        var requests: [String] { received.withLock { $0 } }

        init(answer: @escaping @Sendable (String) -> String) throws {
            socket = try LoopbackSocket(.version4, port: 0)
            Thread.detachNewThread { [socket, received, kept, isStopped] in
                while !isStopped.withLock({ $0 }) {
                    var listening = pollfd(fd: socket.file.descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&listening, 1, 50) > 0, let connection = socket.acceptConnection() else { continue }
                    let request = Self.readRequest(connection)
                    received.withLock { $0.append(request) }
                    let text = answer(request)
                    if text == Self.silence {
                        kept.withLock { $0.append(connection) }
                    } else {
                        connection.send(text)
                    }
                }
            }
        }

        deinit { isStopped.withLock { $0 = true } }

        func url(_ path: String = "/") throws -> URL {
            try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
        }

        /// One request, or what has come of it when the other side closes.
        static func readRequest(_ connection: OpenFile) -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let text = String(decoding: bytes, as: UTF8.self)
                // A TLS handshake gets an answer that is none.
                if bytes.first == 0x16 { return text }
                if let end = text.range(of: "\r\n\r\n") {
                    let length = text.lowercased().firstMatch(of: #/content-length: (\d+)/#).flatMap { Int($0.1) } ?? 0
                    if text[end.upperBound...].utf8.count >= length { return text }
                }
                var reading = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&reading, 1, -1) > 0 else { return text }
                let count = read(connection.descriptor, &buffer, buffer.count)
                guard count > 0 else { return text }
                bytes += buffer[..<count]
            }
        }
    }
#endif
