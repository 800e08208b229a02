import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Outbound

@Suite("Requests to hosts that others chose", .threat("Server-side request forgery"))
struct GuardedHTTPTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nRetry-After: 7\r\n\r\nhello"

    /// A server that answers every request alike, and counts them.
    private func server(
        _ answer: String, heard: Gathered<String> = Gathered()
    ) async throws -> ScriptedServer {
        try await ScriptedServer.start { conversation in
            while let line = try await conversation.line() {
                await heard.add(line)
                // The end of the header, or whatever begins like TLS.
                if line.isEmpty || !line.unicodeScalars.allSatisfy(\.isASCII) { try await conversation.say(answer) }
            }
        }
    }

    private func address(_ text: String) throws -> NetworkAddress { try #require(NetworkAddress(text)) }

    @Test("An answer comes whole, with its status and headers")
    func answer() async throws {
        let server = try await server(Self.ok)
        let answer = try await GuardedHTTP(policy: .loopback, timeout: .seconds(300))
            .answer(to: GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/a"))
        #expect(answer.status == 200)
        #expect(answer.header("retry-after") == "7")
        #expect(String(decoding: answer.body, as: UTF8.self) == "hello")
    }

    @Test(
        "SSRF: a literal of a private address is refused, also in a spelling that only a resolver reads",
        arguments: ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "127.1", "localhost"])
    func literals(_ host: String) async throws {
        let heard = Gathered<String>()
        let server = try await server(Self.ok, heard: heard)
        await #expect(throws: OutboundFault.self) {
            try await GuardedHTTP().answer(to: GuardedHTTP.Request(url: "http://\(host):\(server.port)/"))
        }
        let lines = await heard.all
        #expect(lines.isEmpty)
    }

    @Test("SSRF: a name that leads into a private network is refused")
    func name() async throws {
        let found = [try address("10.0.0.1"), try address("fd00::1")]
        let http = GuardedHTTP(resolver: HostResolver { _ in found })
        await #expect(throws: OutboundFault.forbiddenAddress) {
            try await http.answer(to: GuardedHTTP.Request(url: "https://intranet.example.com/"))
        }
    }

    @Test("SSRF: a name is resolved once, and the connection goes to the address that was checked")
    func rebinding() async throws {
        let server = try await server(Self.ok)
        let asked = Mutex(0)
        let good = try address("127.0.0.1")
        // A second lookup would lead elsewhere: the system does not know the name.
        let http = GuardedHTTP(
            policy: .loopback, timeout: .seconds(300),
            resolver: HostResolver { _ in
                asked.withLock { $0 += 1 }
                return [good]
            })
        let answer = try await http.answer(
            to: GuardedHTTP.Request(url: "http://Rebinding.Example.Invalid:\(server.port)/"))
        #expect(answer.status == 200)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("Requests that follow one another to the same address share a connection")
    func kept() async throws {
        let connections = Mutex(0)
        let server = try await ScriptedServer.start { conversation in
            connections.withLock { $0 += 1 }
            while let line = try await conversation.line() {
                if line.isEmpty { try await conversation.say(Self.ok) }
            }
        }
        let http = GuardedHTTP(policy: .loopback, timeout: .seconds(300))
        for _ in 0..<5 {
            let answer = try await http.answer(to: GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/"))
            #expect(answer.status == 200)
        }
        #expect(connections.withLock { $0 } == 1)
    }

    @Test("SSRF: an open connection serves only the address that the name has now")
    func moved() async throws {
        let server = try await server(Self.ok)
        let current = Mutex(try address("127.0.0.1"))
        let http = GuardedHTTP(
            policy: .loopback, timeout: .seconds(300), resolver: HostResolver { _ in [current.withLock { $0 }] })
        let request = GuardedHTTP.Request(url: "http://moving.invalid:\(server.port)/")
        #expect(try await http.answer(to: request).status == 200)
        // The scripted server listens at 127.0.0.1 alone.
        let elsewhere = try address("127.0.0.2")
        current.withLock { $0 = elsewhere }
        await #expect(throws: OutboundFault.unreachable) { try await http.answer(to: request) }
        let inside = try address("10.0.0.1")
        current.withLock { $0 = inside }
        await #expect(throws: OutboundFault.forbiddenAddress) { try await http.answer(to: request) }
    }

    @Test("A host that is slow to answer thirty requests is asked the next one all the same")
    func manyAtOnce() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (allowed, allow) = AsyncStream.makeStream(of: Void.self)
        let permission = Task { for await _ in allowed {} }
        let server = try await ScriptedServer.start { conversation in
            while let line = try await conversation.line() {
                guard line.isEmpty else { continue }
                ask.yield()
                await permission.value
                try await conversation.say(Self.ok)
            }
        }
        let http = GuardedHTTP(policy: .loopback, timeout: .seconds(300))
        let request = GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<30 { group.addTask { try await http.answer(to: request).status } }
            // All thirty are at the server, and none of them is answered.
            var arrivals = asked.makeAsyncIterator()
            for _ in 0..<30 { await arrivals.next() }
            allow.finish()
            for try await status in group { #expect(status == 200) }
        }
    }

    @Test("A client that makes room for another one finishes its request first")
    func room() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (allowed, allow) = AsyncStream.makeStream(of: Void.self)
        let clients = Self.onlyOne
        let (first, second) = (try purpose("first.invalid"), try purpose("second.invalid"))
        let request = Task {
            try await clients.withClient(for: first) { client in
                ask.yield()
                for await _ in allowed { break }
                return ObjectIdentifier(client)
            }
        }
        for await _ in asked { break }
        let other = try await clients.withClient(for: second) { ObjectIdentifier($0) }
        allow.yield()
        let served = try await request.value
        #expect(served != other)
        #expect(try await clients.withClient(for: second) { ObjectIdentifier($0) } == other)
        #expect(try await clients.withClient(for: first) { ObjectIdentifier($0) } != other)
    }

    /// Like the process's own it never ends: a client must not lose its owner before it is shut down.
    private static let onlyOne = PinnedClients(capacity: 1)

    private func purpose(_ host: String, isMultiplexed: Bool = false) throws -> PinnedClients.Purpose {
        PinnedClients.Purpose(
            host: host, port: 443, address: try address("127.0.0.1"), trustRoots: .system,
            connectTimeout: .seconds(300), isMultiplexed: isMultiplexed)
    }

    @Test("A shared client that failed is replaced once: a later failure on the old one leaves its successor alone")
    func successor() async throws {
        struct Failure: Error {}
        let clients = Self.forSharing
        let purpose = try purpose("shared.invalid", isMultiplexed: true)
        func failing(_ before: (ObjectIdentifier) async throws -> Void) async throws {
            do {
                try await clients.withClient(for: purpose) { client in
                    try await before(ObjectIdentifier(client))
                    throw Failure()
                }
            } catch is Failure {}
        }
        let successor = Mutex<ObjectIdentifier?>(nil)
        try await failing { old in
            try await failing { #expect($0 == old) }
            let next = try await clients.withClient(for: purpose) { ObjectIdentifier($0) }
            #expect(next != old)
            successor.withLock { $0 = next }
        }
        let last = try await clients.withClient(for: purpose) { ObjectIdentifier($0) }
        #expect(last == successor.withLock { $0 })
    }

    private static let forSharing = PinnedClients(capacity: 4)

    @Test("SSRF: of several addresses only one that is permitted is connected to")
    func mixed() async throws {
        let server = try await server(Self.ok)
        let found = [try address("10.0.0.1"), try address("127.0.0.1")]
        let http = GuardedHTTP(policy: .loopback, timeout: .seconds(300), resolver: HostResolver { _ in found })
        let answer = try await http.answer(to: GuardedHTTP.Request(url: "http://mixed.invalid:\(server.port)/"))
        #expect(answer.status == 200)
    }

    @Test("An address that accepts no connection gives way to the next one")
    func nextAddress() async throws {
        let server = try await server(Self.ok)
        // The scripted server listens at 127.0.0.1 alone.
        let found = [try address("127.0.0.2"), try address("127.0.0.3"), try address("127.0.0.1")]
        let http = GuardedHTTP(policy: .loopback, timeout: .seconds(300), resolver: HostResolver { _ in found })
        let answer = try await http.answer(to: GuardedHTTP.Request(url: "http://several.invalid:\(server.port)/"))
        #expect(answer.status == 200)
    }

    @Test("SSRF: after an address that accepts no connection, none that is not permitted is tried")
    func nextForbidden() async throws {
        let heard = Gathered<String>()
        let server = try await server(Self.ok, heard: heard)
        let found = [try address("127.0.0.2"), try address("127.0.0.1")]
        let range = try #require(AddressRange("127.0.0.2/32"))
        let http = GuardedHTTP(
            policy: AddressPolicy(exceptions: [range]), timeout: .seconds(300), resolver: HostResolver { _ in found })
        await #expect(throws: OutboundFault.unreachable) {
            try await http.answer(to: GuardedHTTP.Request(url: "http://next.invalid:\(server.port)/"))
        }
        let lines = await heard.all
        #expect(lines.isEmpty)
    }

    @Test("A request whose connection is reset goes to no other address, because it may have been carried out")
    func reset() async throws {
        let heard = Gathered<String>()
        let server = try await ScriptedServer.start { conversation in
            guard let line = try await conversation.line() else { return }
            await heard.add(line)
            try await conversation.reset()
        }
        // Both lead to the server, which would hear a second request.
        let found = [try address("127.0.0.1"), try address("127.0.0.1")]
        let http = GuardedHTTP(policy: .loopback, timeout: .seconds(300), resolver: HostResolver { _ in found })
        await #expect(throws: OutboundFault.broken) {
            try await http.answer(to: GuardedHTTP.Request(url: "http://reset.invalid:\(server.port)/"))
        }
        let lines = await heard.all
        #expect(lines.count == 1)
    }

    @Test("SSRF: a redirect is an answer, and not followed")
    func redirect() async throws {
        let heard = Gathered<String>()
        let inner = try await self.server(Self.ok, heard: heard)
        let server = try await server(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(inner.port)/\r\nContent-Length: 0\r\n\r\n")
        let answer = try await GuardedHTTP(policy: .loopback, timeout: .seconds(300))
            .answer(to: GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/"))
        #expect(answer.status == 302)
        let lines = await heard.all
        #expect(lines.isEmpty)
    }

    @Test("An answer larger than what is read is given up")
    func size() async throws {
        let server = try await server(
            "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000))
        await #expect(throws: OutboundFault.tooLarge) {
            try await GuardedHTTP(policy: .loopback, maximumBody: 1000, timeout: .seconds(300))
                .answer(to: GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/"))
        }
    }

    @Test("An answer that does not come, or drips, is given up in time")
    func slow() async throws {
        let server = try await ScriptedServer.start { conversation in
            _ = try await conversation.line()
            try await conversation.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            try await conversation.drip("x")
        }
        await #expect(throws: OutboundFault.timeout) {
            try await GuardedHTTP(policy: .loopback, timeout: .milliseconds(300))
                .answer(to: GuardedHTTP.Request(url: "http://127.0.0.1:\(server.port)/"))
        }
    }

    @Test("A resolver that does not answer is given up in time")
    func slowResolver() async throws {
        let http = GuardedHTTP(
            timeout: .milliseconds(200),
            resolver: HostResolver { _ in
                try await hangUntilCancelled()
                return []
            })
        await #expect(throws: OutboundFault.timeout) {
            try await http.answer(to: GuardedHTTP.Request(url: "https://example.com/"))
        }
    }

    @Test("Plain http goes to this machine alone, whatever is permitted")
    func plain() async throws {
        let range = try #require(AddressRange("10.0.0.0/8"))
        let found = try address("10.0.0.1")
        let http = GuardedHTTP(policy: AddressPolicy(exceptions: [range]), resolver: HostResolver { _ in [found] })
        await #expect(throws: OutboundFault.plainText) {
            try await http.answer(to: GuardedHTTP.Request(url: "http://sms.example.com/"))
        }
    }

    @Test(
        "A URL that two readers could read differently is refused",
        arguments: [
            "https://user@example.com/", "https://user:password@example.com/", "https:///path",
            "https://exa mple.com/", "https://example.com\\@127.0.0.1/", "https://ex%61mple.com/",
            "https://ⓔxample.com/",
            "https://example.com:0/", "https://example.com:99999/", "https://example.com/#fragment",
            "https://[fe80::1%25eth0]/", "https://example.com/\r\nHost: other",
        ])
    func urls(_ url: String) async throws {
        await #expect(throws: OutboundFault.unusableURL) {
            try await GuardedHTTP(policy: .loopback, timeout: .seconds(300)).answer(to: GuardedHTTP.Request(url: url))
        }
    }

    @Test(
        "A URL that is no web address differs from one that is wrong, and its remedy names https alone",
        arguments: [
            "ftp://example.com/", "file:///etc/passwd", "http+unix://%2Ftmp%2Fsocket/", "", "example.com/hooks",
            "localhost:8080/hooks", "https:example.com",
        ])
    func schemes(_ url: String) async throws {
        let fault = try await #require(throws: OutboundFault.self) {
            try await GuardedHTTP(policy: .loopback, timeout: .seconds(300)).answer(to: GuardedHTTP.Request(url: url))
        }
        #expect(fault == .foreignScheme)
        #expect(fault.remedyOfURL == "Begin it with https://.")
    }

    @Test("A closed port and a name without an address are different faults")
    func unreachable() async throws {
        let port = try FreePorts.next()
        await #expect(throws: OutboundFault.unreachable) {
            try await GuardedHTTP(policy: .loopback, timeout: .seconds(300)).answer(
                to: GuardedHTTP.Request(url: "http://127.0.0.1:\(port)/"))
        }
        await #expect(throws: OutboundFault.unresolved) {
            try await GuardedHTTP(resolver: HostResolver { _ in [] })
                .answer(to: GuardedHTTP.Request(url: "https://nowhere.example.com/"))
        }
    }

    @Test("Failed TLS is reported as such")
    func untrusted() async throws {
        let server = try await server("this is no TLS\r\n")
        await #expect(throws: OutboundFault.untrusted) {
            try await GuardedHTTP(policy: .loopback, timeout: .seconds(300))
                .answer(to: GuardedHTTP.Request(url: "https://127.0.0.1:\(server.port)/"))
        }
    }
}
