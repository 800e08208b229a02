#if os(Linux)
    import Foundation
    import Glibc
    import Testing
    import WalletAuthTransport

    @testable import WalletAuthVerifier

    @Suite("The transport without a framework", .timeLimit(.minutes(10))) struct FoundationTransportTests {
        private let transport = FoundationTransport()
        /// Longer than a busy machine takes to answer.
        private let patience = Duration.seconds(300)

        private func failure(_ request: OutboundRequest) async -> OutboundFailure? {
            do {
                _ = try await transport.send(request)
                return nil
            } catch { return error as? OutboundFailure }
        }

        @Test("Method, headers, body and answer go through as they are; a 401 is an answer like another")
        func exchange() async throws {
            let server = try OneAnswerServer("HTTP/1.1 200 OK\r\nDPoP-Nonce: n\r\nContent-Length: 2\r\n\r\nok")
            let response = try await transport.send(
                OutboundRequest(
                    method: "POST", url: server.url, headers: [HeaderField("X-Test", "1")], body: Array("hello".utf8),
                    timeout: patience))
            #expect(response.status == 200)
            #expect(response.header("dpop-nonce") == "n")
            #expect(response.body == Array("ok".utf8))
            let received = server.request
            #expect(received.hasPrefix("POST / HTTP/1.1\r\n"))
            #expect(received.contains("X-Test: 1\r\n"))
            #expect(received.hasSuffix("hello"))
            let refusing = try OneAnswerServer(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
            let refused = try await transport.send(
                OutboundRequest(method: "GET", url: refusing.url, timeout: patience))
            #expect(refused.status == 401)
        }

        @Test("A backend says what it is called, so that the server's record names it")
        func product() async throws {
            let server = try OneAnswerServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let named = FoundationTransport(product: "ExampleShop/1.4")
            _ = try await named.send(OutboundRequest(method: "GET", url: server.url, timeout: patience))
            #expect(server.request.contains("User-Agent: ExampleShop/1.4\r\n"), "\(server.request)")
        }

        @Test("attack: a redirect is not followed")
        func redirect() async throws {
            let elsewhere = try OneAnswerServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let server = try OneAnswerServer(
                "HTTP/1.1 302 Found\r\nLocation: \(elsewhere.url)\r\nContent-Length: 0\r\n\r\n")
            let response = try await transport.send(
                OutboundRequest(method: "GET", url: server.url, timeout: patience))
            #expect(response.status == 302)
            #expect(elsewhere.request.isEmpty)
        }

        @Test("attack: an answer that is too long or never comes is given up")
        func endless() async throws {
            let long = try OneAnswerServer(
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000))
            let tooLong = await failure(
                OutboundRequest(method: "GET", url: long.url, timeout: patience, maximumAnswer: 1000))
            #expect(tooLong?.kind == .lost)
            let silent = try OneAnswerServer("")
            let late = await failure(OutboundRequest(method: "GET", url: silent.url, timeout: .milliseconds(300)))
            #expect(late?.kind == .lost)
        }

        @Test("A server that is not there, and a URL that is none, were never sent to")
        func unreachable() async throws {
            let closed = try ClosedPort()
            let refused = await failure(OutboundRequest(method: "GET", url: closed.url, timeout: patience))
            #expect(refused?.kind == .notSent, "at \(closed.url)")
            let file = await failure(OutboundRequest(method: "GET", url: "file:///etc/passwd"))
            #expect(file?.kind == .notSent)
        }

        @Test("A server that speaks no TLS is not trusted, and nothing was sent to it")
        func noTLS() async throws {
            let plain = try OneAnswerServer("HTTP/1.1 400 Bad Request\r\n\r\n")
            let url = plain.url.replacing("http://", with: "https://")
            let untrusted = await failure(OutboundRequest(method: "GET", url: url, timeout: patience))
            #expect(untrusted?.kind == .untrusted, "\(untrusted?.reason ?? "an answer")")
        }

        @Test("More requests than there is room for fail at once, and were not sent")
        func crowded() async throws {
            let narrow = FoundationTransport(requestsAtOnce: 1)
            let silent = try OneAnswerServer("")
            let request = OutboundRequest(method: "GET", url: silent.url, timeout: patience)
            let waiting = Task { try await narrow.send(request) }
            for await _ in silent.arrivals { break }
            do {
                _ = try await narrow.send(request)
                Issue.record("sent")
            } catch { #expect((error as? OutboundFailure)?.kind == .notSent) }
            waiting.cancel()
            let cancelled = await waiting.result
            #expect(throws: (any Error).self) { try cancelled.get() }
        }
    }

    /// A port of 127.0.0.1 that answers one connection with bytes of the test's choice; with none it is silent.
    private final class OneAnswerServer: Sendable {
        let url: String
        private let descriptor: Int32
        private let received = LockedValue("")
        /// An element for each part of a request that has come.
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()

        /// What was sent to it.
        var request: String { received.withLock { $0 } }

        init(_ answer: String) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let outcome = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0 && listen(descriptor, 4) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            try #require(outcome)
            self.descriptor = descriptor
            url = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/"
            Thread.detachNewThread { [received, arrival] in
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                var text = ""
                while !Self.isWhole(text) {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    text += String(decoding: buffer[..<count], as: UTF8.self)
                    received.withLock { $0 = text }
                    arrival.yield()
                }
                if answer.isEmpty {
                    // Silent until the other side closes.
                    while recv(connection, &buffer, buffer.count, 0) > 0 {}
                } else {
                    let bytes = Array(answer.utf8)
                    var sent = 0
                    while sent < bytes.count {
                        let count = bytes[sent...].withUnsafeBytes {
                            Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                        guard count > 0 else { break }
                        sent += count
                    }
                }
                Glibc.close(connection)
            }
        }

        /// A head, and as much body as it promises; or the beginning of a TLS handshake.
        private static func isWhole(_ text: String) -> Bool {
            guard let end = text.range(of: "\r\n\r\n") else { return text.utf8.first == 0x16 }
            let promised = text[..<end.lowerBound].components(separatedBy: "\r\n")
                .first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
            return text[end.upperBound...].utf8.count >= promised ?? 0
        }

        deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// A port of 127.0.0.1 at which no one listens, and which no other test gets: connections to it are refused.
    private final class ClosedPort: Sendable {
        let url: String
        private let descriptor: Int32

        init() throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let outcome = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
                }
            }
            try #require(outcome)
            self.descriptor = descriptor
            url = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/"
        }

        deinit { Glibc.close(descriptor) }
    }
#endif
