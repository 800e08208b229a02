import Foundation
import HummingbirdTesting
import Testing

@testable import HTTP

/// `Expect: 100-continue` (RFC 9110 §10.1.1).
@Suite("Clients that ask before they send a body")
struct ContinueAnswersTests {
    /// Answered with `unsupported_grant_type`.
    private static let body = "grant_type=x&client_id=y"

    private static func head(_ version: String = "1.1", announcing length: Int? = nil) -> String {
        "POST /oauth2/token HTTP/\(version)\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Expect: 100-Continue\r\nContent-Length: \(length ?? body.utf8.count)\r\nConnection: close\r\n\r\n"
    }

    private func connect(
        sending text: String, _ limits: HTTPLimits = HTTPLimits(),
        _ test: @Sendable (RawConnection) async throws -> Void
    ) async throws {
        try await TestServer.serve {
            $0.limits = limits
        } _: { _, client in
            try await test(try await RawConnection.open(port: try #require(client.port), sending: text))
        }
    }

    @Test("They are told to go on, once the requests before are answered")
    func goOn() async throws {
        try await connect(sending: "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n" + Self.head()) { connection in
            let first = try await connection.text(until: "100 Continue\r\n\r\n")
            #expect(first.contains("\"live\""))
            try #require(first.hasSuffix("HTTP/1.1 100 Continue\r\n\r\n"))
            try await connection.send(Self.body)
            let all = try await connection.textUntilClosed()
            #expect(all.contains("unsupported_grant_type"))
            #expect(all.components(separatedBy: "HTTP/1.1 ").count == 4)
        }
    }

    @Test("With the body behind the question there is only the answer")
    func bodyBehindHead() async throws {
        try await connect(sending: Self.head() + Self.body) { connection in
            let answer = try await connection.textUntilClosed()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test("A body over the limit is refused before it is sent")
    func largeBody() async throws {
        try await connect(sending: Self.head(announcing: 70_000)) { connection in
            let head = try await connection.text(until: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 413 "), "\(head)")
            await connection.close()
        }
    }

    @Test("HTTP/1.0 has no such question: there is no answer before the body")
    func oldVersion() async throws {
        var limits = HTTPLimits()
        limits.bodyDeadline = .milliseconds(300)
        try await connect(sending: Self.head("1.0"), limits) { connection in
            let answer = try await connection.textUntilClosed()
            #expect(answer.isEmpty, "\(answer)")
        }
    }
}
