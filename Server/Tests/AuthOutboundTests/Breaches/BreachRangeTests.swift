import Testing

@testable import Outbound

@Suite("Asking a service for a range of stolen passwords")
struct BreachRangeTests {
    private static let suffix = "1E4C9B93F3F0682250B6CF8331B7EE68FD8"
    private static let other = "1E4C9B93F3F0682250B6CF8331B7EE68FD9"

    /// A server that answers every request alike, and keeps what it heard.
    private func server(_ answer: String, heard: Gathered<String> = Gathered()) async throws -> ScriptedServer {
        try await ScriptedServer.start { conversation in
            while let line = try await conversation.line() {
                await heard.add(line)
                if line.isEmpty { try await conversation.say(answer) }
            }
        }
    }

    private func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func range(_ server: ScriptedServer, timeout: Duration = .seconds(300)) -> BreachRange {
        BreachRange(
            base: "http://127.0.0.1:\(server.port)/",
            http: GuardedHTTP(policy: .loopback, maximumBody: 100_000, timeout: timeout))
    }

    @Test("Five digits go out, with padding asked for, and the count of the suffix comes back")
    func found() async throws {
        let heard = Gathered<String>()
        let body = "\(Self.other):7\r\n\(Self.suffix):9545824\r\n0018A45C4D1DEF81644B54AB7F969B88D65:1"
        let server = try await server(answer(body), heard: heard)
        let count = try await range(server).count(of: BreachDigest("password"))
        #expect(count == 9_545_824)
        let lines = await heard.all
        #expect(lines.first == "GET /range/5BAA6 HTTP/1.1")
        #expect(lines.contains { $0.lowercased() == "add-padding: true" })
        #expect(!lines.contains { $0.contains("1E4C9") })
    }

    @Test("Padding, which has the count 0, and other suffixes are not the password; small letters are")
    func absent() async throws {
        for (body, expected) in [
            ("\(Self.suffix):0\r\n\(Self.other):3\r\n", 0), ("\(Self.other):3\n", 0),
            ("\(Self.suffix.lowercased()):2\n", 2),
        ] {
            let server = try await server(answer(body))
            let count = try await range(server).count(of: BreachDigest("password"))
            #expect(count == expected)
        }
    }

    @Test(
        "What is no range does not say that the password is absent: a page that some box puts there, half a line, nothing",
        arguments: [
            "", "<html>Sign in to this network</html>", "\(suffix):1\r\n\(other)", "\(suffix)", "\(suffix):x",
            "\(suffix):-1",
        ])
    func malformed(body: String) async throws {
        let server = try await server(answer(body))
        await #expect(throws: OutboundFault.broken) {
            _ = try await range(server).count(of: BreachDigest("password"))
        }
    }

    @Test("A service that fails, sends elsewhere or says too much is reported by its fault")
    func failing() async throws {
        let down = try await server(answer("", status: "500 Internal Server Error"))
        await #expect(throws: OutboundFault.status(500)) {
            _ = try await range(down).count(of: BreachDigest("password"))
        }
        let problem = await range(down).examine()
        #expect(problem == "the response has the status 500")
        let moved = try await server(answer("", status: "302 Found"))
        await #expect(throws: OutboundFault.status(302)) {
            _ = try await range(moved).count(of: BreachDigest("password"))
        }
        let huge = try await server(answer(String(repeating: "\(Self.other):1\r\n", count: 10_000)))
        await #expect(throws: OutboundFault.tooLarge) {
            _ = try await range(huge).count(of: BreachDigest("password"))
        }
    }

    @Test("A service that drips is given up in time, and one on a private address is not asked")
    func slow() async throws {
        let server = try await ScriptedServer.start { conversation in
            _ = try await conversation.line()
            try await conversation.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            try await conversation.drip("0")
        }
        await #expect(throws: OutboundFault.timeout) {
            _ = try await range(server, timeout: .milliseconds(300)).count(of: BreachDigest("password"))
        }
        await #expect(throws: OutboundFault.forbiddenAddress) {
            _ = try await BreachRange(base: "http://127.0.0.1:\(server.port)", http: GuardedHTTP())
                .count(of: BreachDigest("password"))
        }
    }
}
