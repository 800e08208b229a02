#if os(Linux)
    import Foundation
    import Testing

    @testable import WalletAuth
    @testable import WalletAuthLoopback

    /// Against real sockets that answer byte for byte what the test says.
    @Suite("The transport over URLSession")
    struct URLSessionTransportTests {
        let transport = URLSessionTransport()
        /// Longer than a busy machine takes to answer.
        private let patience = Duration.seconds(300)

        private func ok(_ body: String, _ headers: String = "") -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)Connection: close\r\n\r\n\(body)"
        }

        @Test("sends method, headers and body, and returns status, headers and body")
        func exchange() async throws {
            let server = try RawServer { _ in
                "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nDPoP-Nonce: n1\r\nConnection: close\r\n\r\nhi"
            }
            let response = try await transport.send(
                HTTPRequest(
                    method: "POST", url: try server.url("/token?x=1"),
                    headers: ["DPoP": "proof", "Content-Type": "application/x-www-form-urlencoded"],
                    body: Data("a=b".utf8), timeout: patience))
            #expect(response.status == 201 && response.headers["dpop-nonce"] == "n1")
            #expect(String(decoding: response.body, as: UTF8.self) == "hi")
            let request = try #require(server.requests.first)
            #expect(request.hasPrefix("POST /token?x=1 HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\na=b"))
            #expect(request.lowercased().contains("dpop: proof\r\n"))
        }

        @Test(
            "follows no redirect: the token would go to a host that the app did not choose",
            arguments: [301, 302, 303, 307, 308])
        func redirects(status: Int) async throws {
            let thief = try RawServer { _ in ok("stolen") }
            let server = try RawServer { [port = thief.port] _ in
                "HTTP/1.1 \(status) Moved\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
            let response = try await transport.send(
                HTTPRequest(
                    method: "GET", url: try server.url(), headers: ["Authorization": "Bearer secret"], timeout: patience
                ))
            #expect(response.status == status)
            #expect(response.headers["Location"]?.hasPrefix("http://127.0.0.1:") == true)
            #expect(thief.requests.isEmpty && server.requests.count == 1)
        }

        @Test(
            "returns a 401 with its challenge, and asks for no credentials", arguments: ["DPoP", "Bearer", "Basic"])
        func unauthorized(scheme: String) async throws {
            let server = try RawServer { _ in
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(scheme) realm=\"r\"\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
            }
            let response = try await transport.send(
                HTTPRequest(method: "GET", url: try server.url(), timeout: patience))
            #expect(response.status == 401 && response.headers["WWW-Authenticate"] == "\(scheme) realm=\"r\"")
            #expect(server.requests.count == 1)
        }

        @Test(
            "says what the app calls itself, save where a request says it, and the system's own word where the app says none"
        )
        func userAgent() async throws {
            let server = try RawServer { _ in ok("x") }
            let named = URLSessionTransport(product: "ExampleWallet/1.4")
            _ = try await named.send(HTTPRequest(method: "GET", url: try server.url(), timeout: patience))
            _ = try await named.send(
                HTTPRequest(method: "GET", url: try server.url(), headers: ["User-Agent": "Other/2"], timeout: patience)
            )
            _ = try await transport.send(HTTPRequest(method: "GET", url: try server.url(), timeout: patience))
            let told = server.requests.map { request in
                request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("user-agent: ") }
            }
            #expect(told.allSatisfy { $0.count == 1 })
            #expect(told[0] == ["User-Agent: ExampleWallet/1.4"])
            #expect(told[1] == ["User-Agent: Other/2"])
            #expect(told[2] != told[0])
        }

        @Test("keeps no cookie, caches nothing")
        func noMemory() async throws {
            let server = try RawServer { _ in ok("x", "Set-Cookie: a=b\r\nCache-Control: max-age=600\r\n") }
            for _ in 0..<2 {
                _ = try await transport.send(HTTPRequest(method: "GET", url: try server.url(), timeout: patience))
            }
            #expect(server.requests.count == 2)
            #expect(!server.requests[1].lowercased().contains("cookie"))
        }

        @Test("says that a request was never sent when nothing listens, and where; or when the name is not known")
        func unreachable() async throws {
            let closed = try ClosedPort()
            let url = try #require(URL(string: "http://127.0.0.1:\(closed.number)/"))
            await expectFailure([.unreachable]) {
                try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience))
            }
            let refused = await #expect(throws: TransportFailure.self) {
                try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience))
            }
            #expect(refused?.reason == "the connection to 127.0.0.1:\(closed.number) was refused")
            let unknown = try #require(URL(string: "http://no-such-host.invalid/"))
            await expectFailure([.unreachable, .offline]) {
                try await transport.send(HTTPRequest(method: "GET", url: unknown, timeout: patience))
            }
        }

        @Test("says of an IPv6 address that this system calls none, or what became of the call")
        func version6() async throws {
            let free = try LoopbackSocket(.version4, port: 0).port
            let url = try #require(URL(string: "http://[::1]:\(free)/"))
            let failure = await #expect(throws: TransportFailure.self) {
                try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience))
            }
            #expect(failure?.kind == .unreachable)
            let reason = failure?.reason ?? ""
            #expect(reason.contains("IPv6") || reason == "the connection to [::1]:\(free) was refused", "\(reason)")
        }

        @Test("takes the scheme of a URL in any spelling")
        func scheme() async throws {
            let server = try RawServer { _ in ok("x") }
            let text = try server.url("/a%20b?c=%2F").absoluteString
            let url = try #require(URL(string: text.replacing("http://", with: "HTTP://")))
            #expect(try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience)).status == 200)
            #expect(server.requests.first?.hasPrefix("GET /a%20b?c=%2F HTTP/1.1\r\n") == true)
        }

        @Test(
            "says that a request may have arrived when the connection drops, before or within the answer",
            arguments: ["garbage", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"])
        func dropped(answer: String) async throws {
            let server = try RawServer { _ in answer }
            await expectFailure([.lost]) {
                try await transport.send(
                    HTTPRequest(method: "POST", url: try server.url(), body: Data("x".utf8), timeout: patience))
            }
            #expect(server.requests.count == 1)
        }

        @Test(
            "sends a request once, also where a connection that was kept open breaks: repeating is for the SDK to decide",
            arguments: ["POST", "PUT", "GET"])
        func once(method: String) async throws {
            let server = try KeptConnections { $0 == 2 }
            let body = method == "GET" ? nil : Data("grant_type=refresh_token".utf8)
            let request = HTTPRequest(method: method, url: try server.url, body: body, timeout: patience)
            #expect(try await transport.send(request).status == 200)
            await expectFailure([.lost]) { try await transport.send(request) }
            #expect(server.requests.count == 2)
            #expect(try await transport.send(request).status == 200)
            #expect(server.requests.count == 3)
        }

        @Test("leaves no connection behind, though the server would keep each open", .timeLimit(.minutes(10)))
        func noLeftovers() async throws {
            let server = try KeptConnections { _ in false }
            let request = HTTPRequest(method: "GET", url: try server.url, timeout: patience)
            for _ in 0..<100 { _ = try await transport.send(request) }
            try await eventually("the last connection to be closed") { server.openConnections == 0 }
            #expect(server.requests.count == 100)
        }

        @Test("answers each of far more requests than it has connections for")
        func queue() async throws {
            let server = try KeptConnections { _ in false }
            let request = HTTPRequest(method: "GET", url: try server.url, timeout: patience)
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<300 { group.addTask { try await transport.send(request).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers == [Int](repeating: 200, count: 300))
        }

        @Test("has a limited number of connections: a request that gets none in time was never sent, and says so")
        func noRoom() async throws {
            let server = try RawServer { _ in RawServer.silence }
            let url = try server.url()
            let others = (0..<URLSessionTransport.connectionsAtOnce).map { _ in
                Task { try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience)) }
            }
            try await eventually("every connection to be in use") { server.requests.count >= others.count }
            await expectFailure([.unreachable]) {
                try await transport.send(HTTPRequest(method: "POST", url: url, timeout: .milliseconds(50)))
            }
            #expect(server.requests.count == others.count)
            for other in others { other.cancel() }
            for other in others { _ = await other.result }
        }

        @Test("says that a connection is not to be trusted when what answers speaks no TLS")
        func noTLS() async throws {
            let server = try RawServer { _ in "HTTP/1.1 400 Bad Request\r\n\r\n" }
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            await expectFailure([.untrusted]) {
                try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience))
            }
        }

        @Test("gives up after the timeout, though the server never ends", .timeLimit(.minutes(10)))
        func timeout() async throws {
            let server = try RawServer { _ in RawServer.silence }
            await expectFailure([.lost]) {
                try await transport.send(
                    HTTPRequest(method: "GET", url: try server.url(), timeout: .milliseconds(200)))
            }
        }

        @Test("ends with CancellationError when its task is cancelled, before and while it waits")
        func cancellation() async throws {
            let server = try RawServer { _ in RawServer.silence }
            let url = try server.url()
            let task = Task { try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience)) }
            try await eventually("the request to arrive") { !server.requests.isEmpty }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(HTTPRequest(method: "GET", url: url, timeout: patience))
            }
            await #expect(throws: CancellationError.self) { try await early.value }
        }

        @Test("reads no answer without end")
        func endless() async throws {
            let server = try RawServer { _ in ok(String(repeating: "x", count: 200_000)) }
            await expectFailure([.lost]) {
                try await URLSessionTransport(maximumAnswer: 1000).send(
                    HTTPRequest(method: "GET", url: try server.url(), timeout: patience))
            }
        }

        @Test("carries fifty requests at once")
        func many() async throws {
            let server = try RawServer { ok(String($0.prefix(while: { $0 != "\r\n" }))) }
            let url = try server.url("/n")
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await transport.send(
                            HTTPRequest(method: "GET", url: url.appending(path: "\(number)"), timeout: patience))
                        return String(decoding: response.body, as: UTF8.self)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(answers == Set((0..<50).map { "GET /n/\($0) HTTP/1.1" }))
        }

        private func expectFailure(
            _ kinds: Set<TransportFailure.Kind>, location: SourceLocation = #_sourceLocation,
            _ body: () async throws -> HTTPResponse
        ) async {
            do {
                _ = try await body()
                Issue.record("there was an answer", sourceLocation: location)
            } catch let failure as TransportFailure {
                #expect(kinds.contains(failure.kind), "\(failure.kind): \(failure.reason)", sourceLocation: location)
            } catch {
                Issue.record("\(error)", sourceLocation: location)
            }
        }
    }
#endif
