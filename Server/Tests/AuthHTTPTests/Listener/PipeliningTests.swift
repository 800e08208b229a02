import Foundation
import HummingbirdTesting
import Testing

@testable import HTTP

/// Requests that are sent before the answer to the last one is there (RFC 9112 §9.3.2).
@Suite("Pipelined requests", .threat("Connection floods and request smuggling"))
struct PipeliningTests {
    private static let form = "Host: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    /// Answered with `unsupported_grant_type`.
    private static let body = "grant_type=x&client_id=y"

    private static func post(_ fields: String = "") -> String {
        "POST /oauth2/token HTTP/1.1\r\n\(form)\(fields)Content-Length: \(body.utf8.count)\r\n\r\n"
    }

    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
    }

    private static let last = "Connection: close\r\n"

    private func connect(
        _ limits: HTTPLimits = HTTPLimits(), sending text: String = "",
        _ test: @Sendable (RawConnection) async throws -> Void
    ) async throws {
        try await TestServer.serve {
            $0.limits = limits
        } _: { _, client in
            try await test(try await RawConnection.open(port: try #require(client.port), sending: text))
        }
    }

    private static func answers(in text: String) -> [String] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0) }
    }

    @Test("Requests in one packet are all answered, in their order")
    func onePacket() async throws {
        try await connect { connection in
            try await connection.send(
                Self.get("/health/live") + Self.post() + Self.body + Self.get("/.well-known/jwks.json")
                    + Self.get("/health/ready", Self.last))
            let answers = Self.answers(in: try await connection.textUntilClosed())
            try #require(answers.count == 4)
            for (answer, content) in zip(answers, ["\"live\"", "unsupported_grant_type", "\"keys\"", "\"ready\""]) {
                #expect(answer.contains(content))
            }
            #expect(!answers[..<3].joined().lowercased().contains("connection: close"))
        }
    }

    @Test("A request whose body is still coming while the one before it is answered, is answered as well")
    func bodyDuringAnswer() async throws {
        try await connect(.patient) { connection in
            let half = Self.body.prefix(8)
            try await connection.send(Self.post() + Self.body + Self.post(Self.last) + half)
            let first = try await connection.text(until: "unsupported_grant_type")
            #expect(!first.lowercased().contains("connection: close"))
            try await connection.send(String(Self.body.dropFirst(8)))
            let answers = Self.answers(in: try await connection.textUntilClosed())
            #expect(answers.count == 2)
            #expect(answers.allSatisfy { $0.contains("unsupported_grant_type") })
        }
    }

    @Test("Cut at any byte into two packets, the second sent once the first is answered, both requests are answered")
    func anyCut() async throws {
        try await TestServer.serve {
            $0.limits = .patient
        } _: { _, client in
            let port = try #require(client.port)
            let first = Self.post() + Self.body
            let second = Array((Self.post(Self.last) + Self.body).utf8)
            for cut in stride(from: 1, to: second.count, by: 3) {
                let connection = try await RawConnection.open(port: port)
                try await connection.send(first + String(decoding: second.prefix(cut), as: UTF8.self))
                _ = try await connection.text(until: "unsupported_grant_type")
                try await connection.send(String(decoding: second.dropFirst(cut), as: UTF8.self))
                let answers = Self.answers(in: try await connection.textUntilClosed())
                #expect(answers.count == 2, "cut at \(cut)")
            }
        }
    }

    @Test("Slow body behind another request: the first is answered, the trickle is cut off at the deadline")
    func slowBody() async throws {
        var limits = HTTPLimits()
        limits.bodyDeadline = .milliseconds(300)
        try await connect(limits) { connection in
            try await connection.send(
                Self.get("/health/live") + "POST /oauth2/token HTTP/1.1\r\n\(Self.form)Content-Length: 60000\r\n\r\n")
            let drip = Task { try await connection.drip() }
            let answers = Self.answers(in: try await connection.textUntilClosed())
            drip.cancel()
            #expect(answers.count == 1)
            #expect(answers.first?.contains("\"live\"") == true)
        }
    }

    @Test("Slow head behind another request: the first is answered, and the connection ends at the idle timeout")
    func slowHead() async throws {
        var limits = HTTPLimits()
        limits.idleTimeout = .seconds(5)
        let halfway = Self.get("/health/live") + "GET /health/live HTTP/1.1\r\nHost: h\r\nX-Slow: "
        try await connect(limits, sending: halfway) { connection in
            let answers = Self.answers(in: try await connection.textUntilClosed())
            #expect(answers.count == 1)
        }
    }

    @Test(
        "Body over the limit: 413 says that the connection ends, and nothing behind the body is acted upon",
        arguments: ["Content-Length: 70000\r\n", "Transfer-Encoding: chunked\r\n"])
    func largeBody(framing: String) async throws {
        try await connect { connection in
            let isChunked = framing.hasPrefix("Transfer")
            let bytes = String(repeating: "a", count: 70_000)
            try await connection.send("POST /oauth2/token HTTP/1.1\r\n\(Self.form)\(framing)\r\n")
            if isChunked { try await connection.send("11170\r\n\(bytes)\r\n") }
            let refusal = try await connection.text(until: "\r\n\r\n").lowercased()
            #expect(refusal.hasPrefix("http/1.1 413"))
            #expect(refusal.contains("connection: close"))
            // The server may be gone before all of it is sent, as it should.
            try? await connection.send((isChunked ? "0\r\n\r\n" : bytes) + Self.get("/health/live"))
            let all = try await connection.textUntilClosed()
            #expect(Self.answers(in: all).count == 1)
            #expect(!all.contains("\"live\""))
        }
    }

    @Test("Request smuggling by an early response: the body of a request that was refused by its head is not a request")
    func bodyOfRefusedRequest() async throws {
        try await connect { connection in
            let smuggled = Self.get("/health/live")
            try await connection.send(
                "POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: \(smuggled.utf8.count)\r\n\r\n")
            _ = try await connection.text(until: "\r\n\r\n")
            try? await connection.send(smuggled)
            let all = try await connection.textUntilClosed()
            #expect(all.hasPrefix("HTTP/1.1 415"))
            #expect(!all.contains("\"live\""))
        }
    }

    @Test("Garbage behind a request: the request is answered, and the garbage ends the connection with 400")
    func garbage() async throws {
        try await connect { connection in
            try await connection.send(Self.get("/health/live") + "\u{1}\u{2}\u{3} / HTTP/9\r\n\r\n")
            try? await connection.finishSending()
            let answers = Self.answers(in: try await connection.textUntilClosed())
            #expect(answers.first?.contains("\"live\"") == true)
            #expect(answers.count == 1 || answers[1].hasPrefix("400"))
        }
    }
}
