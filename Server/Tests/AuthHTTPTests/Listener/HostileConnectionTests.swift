import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import HTTP
@testable import Web

@Suite(
    "Hostile connections",
    .covers(
        "limits of a peer by IPv4 address", "long runs of combining marks are refused before anything compares them"))
struct HostileConnectionTests {
    /// Sends something raw, and says what came back until the server closed.
    private func exchange(
        _ text: String, finishing: Bool = false, limits: HTTPLimits = HTTPLimits()
    ) async throws -> String {
        let answer = Answer()
        try await TestServer.serve {
            $0.limits = limits
        } _: { _, client in
            let connection = try await RawConnection.open(port: try #require(client.port))
            // The server may close before all is written, as it should.
            try? await connection.send(text)
            if finishing { try? await connection.finishSending() }
            await answer.set(try await connection.textUntilClosed())
            #expect(try await isAnswering(port: try #require(client.port)), "the server still answers others")
        }
        return await answer.text
    }

    /// Asks again where an idle timeout was faster than this machine, which has other tests to run.
    private func isAnswering(port: Int) async throws -> Bool {
        for _ in 0..<20 {
            let request = "GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            guard let connection = try? await RawConnection.open(port: port, sending: request),
                let answer = try? await connection.textUntilClosed(), !answer.isEmpty
            else { continue }
            return answer.hasPrefix("HTTP/1.1 200")
        }
        return false
    }

    private actor Answer {
        var text = ""
        func set(_ text: String) { self.text = text }
    }

    private static let head =
        "POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"

    @Test("Header flood: 10,000 headers end the connection with 400")
    func headerFlood() async throws {
        let headers = (0..<10_000).map { "X-\($0): y\r\n" }.joined()
        let answer = try await exchange("GET /health/live HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"))
        #expect(!answer.contains("live"))
    }

    @Test(
        "attack: a target or field with more combining marks in a row than a language needs is 400, before any comparison",
        arguments: [
            "GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: \(HostileConnectionTests.marks)\r\n",
            "GET /health/live HTTP/1.1\r\nHost: h\r\nCookie: a=\(HostileConnectionTests.marks)\r\n",
            "GET /assets/\(HostileConnectionTests.escapedMarks) HTTP/1.1\r\nHost: h\r\n",
            "GET /health/live?a=\(HostileConnectionTests.escapedMarks) HTTP/1.1\r\nHost: h\r\n",
            "GET /assets/\(HostileConnectionTests.escapedMarks)/%ff HTTP/1.1\r\nHost: h\r\n",
            "GET /assets/a?b=%&c=\(HostileConnectionTests.escapedMarks) HTTP/1.1\r\nHost: h\r\n",
        ])
    func combiningMarks(head: String) async throws {
        let answer = try await exchange(head + "\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(80))")
        #expect(!answer.contains("live"))
    }

    @Test("A field with letters and marks of any language is served")
    func markedLetters() async throws {
        let text = String(repeating: "u\u{308}\u{304}", count: 500)
        let answer = try await exchange(
            "GET /health/live HTTP/1.1\r\nHost: h\r\nCookie: a=\(text)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer.prefix(80))")
    }

    private static let marks = String(repeating: "\u{345}\u{334}", count: 2_000)
    private static let escapedMarks = String(repeating: "%CD%85", count: 1_000)

    @Test("A header of a megabyte and a request line without end close the connection")
    func longLines() async throws {
        for text in [
            "GET /health/live HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 1 << 20))\r\n\r\n",
            "GET /\(String(repeating: "a", count: 1 << 20)) HTTP/1.1\r\n\r\n",
        ] {
            let answer = try await exchange(text)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("Slow body: one that trickles in is cut off at the deadline, however busy it looks")
    func slowBody() async throws {
        var limits = HTTPLimits()
        limits.bodyDeadline = .milliseconds(300)
        try await TestServer.serve { [limits] in
            $0.limits = limits
        } _: { _, client in
            let connection = try await RawConnection.open(port: try #require(client.port))
            try await connection.send(Self.head + "Content-Length: 60000\r\n\r\n")
            let drip = Task { try await connection.drip() }
            let answer = try await connection.textUntilClosed()
            drip.cancel()
            #expect(!answer.contains("200 OK"))
            let live = try await client.get("/health/live")
            #expect(live.status == .ok)
        }
    }

    @Test("Slow head: a head that never ends, and a connection that says nothing, are closed at the idle timeout")
    func slowHead() async throws {
        var limits = HTTPLimits()
        limits.idleTimeout = .seconds(1)
        for text in ["", "GET /health/live HTTP/1.1\r\nHost: h\r\nX-Slow: "] {
            let answer = try await exchange(text, limits: limits)
            #expect(answer.isEmpty)
        }
    }

    @Test("Endless body: one that was refused as too large is not read for ever")
    func endlessBody() async throws {
        let chunk = "10000\r\n\(String(repeating: "a", count: 0x10000))\r\n"
        let answer = try await exchange(
            Self.head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 64))
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 413"))
    }

    @Test(
        "Truncated request: a body that ends before its announced length is never acted upon",
        .threat("Connection floods and request smuggling"))
    func truncatedBody() async throws {
        let answer = try await exchange(
            Self.head + "Content-Length: 100\r\n\r\ngrant_type=client_credentials", finishing: true)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"))
        #expect(!answer.contains("unsupported_grant_type") && !answer.contains("access_token"))
    }

    @Test("Request smuggling: two lengths, or a length with chunks, are refused")
    func smuggling() async throws {
        for framing in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: h\r\n\r\n",
            "Content-Length: 3\r\nContent-Length: 40\r\n\r\na=b", "Content-Length: +3\r\n\r\na=b",
            "Content-Length: 0x3\r\n\r\na=b", "Transfer-Encoding: identity, xchunked\r\n\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: h\r\n\r\n",
            "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: h\r\n\r\n",
            "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: h\r\n\r\n",
            "Content-Length: 3, 40\r\n\r\na=b", "Content-Length: -1\r\n\r\na=b",
            "Content-Length: 99999999999999999999\r\n\r\na=b",
        ] {
            let answer = try await exchange(Self.head + framing, finishing: true)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(framing): \(answer)")
            #expect(!answer.contains("live"))
        }
    }

    @Test(
        "Chunks of a malformed size, or without their end, are never acted upon",
        arguments: ["zz\r\n", "-1\r\n", "0x18\r\n", "ffffffffffffffffff\r\n", "\r\n", "2\r\n", "18", "ff\r\n"])
    func malformedChunks(size: String) async throws {
        let answer = try await exchange(
            Self.head + "Transfer-Encoding: chunked\r\n\r\n\(size)grant_type=x&client_id=yyy\r\n0\r\n\r\n",
            finishing: true)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
        #expect(!answer.contains("unsupported_grant_type"))
    }

    @Test("Header injection: bare line feeds and null bytes in a header end the connection")
    func headerInjection() async throws {
        for text in [
            "GET /health/live HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: h\r\nX: a\nY: b\r\n\r\n",
        ] {
            let answer = try await exchange(text, finishing: true)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("Connection flood: one peer's silent connections beyond its quota are closed, and places come back")
    func connectionFlood() async throws {
        var limits = HTTPLimits()
        limits.maxConnectionsPerPeer = 8
        let flood = limits
        try await TestServer.serve {
            $0.limits = flood
        } _: { _, client in
            let port = try #require(client.port)
            var silent: [RawConnection] = []
            for _ in 0..<8 { silent.append(try await RawConnection.open(port: port)) }
            let ninth = try await RawConnection.open(port: port)
            let refused = try await ninth.textUntilClosed()
            #expect(refused.isEmpty)
            for connection in silent { await connection.close() }
            // The server learns of the closing a moment later.
            try await eventually("the places") { try await isAnswering(port: port) }
        }
    }

    private static let stylesheet = "GET /assets/\(PageAssets().stylesheetName) HTTP/1.1\r\nHost: h\r\n"

    /// Waits until a connection that sends all this, and then reads nothing, ends at the idle timeout.
    private func waitForEnd(of requests: String) async throws {
        try await TestServer.use { server in
            // A client that keeps no connection of its own: there is one place.
            try await server.serve(.ahc(.http)) {
                $0.limits.idleTimeout = .seconds(1)
                $0.limits.maxConnectionsPerPeer = 1
            } _: { client in
                let port = try #require(client.port)
                let reader = try await RawConnection.open(port: port, sending: requests, isReading: false)
                try await eventually("an answer") { server.log.lines.contains { $0.contains("/assets/") } }
                try await eventually("the place of the connection") { try await isAnswering(port: port) }
                await reader.close()
            }
        }
    }

    @Test("Slow reader: pipelined responses that no one reads end the connection at the idle timeout")
    func slowReader() async throws {
        // More than the buffers of both kernels hold.
        try await waitForEnd(of: String(repeating: Self.stylesheet + "\r\n", count: 2000))
    }

    @Test("A request behind the last one of a connection does not keep it open")
    func requestBehindLast() async throws {
        try await waitForEnd(of: Self.stylesheet + "Connection: close\r\n\r\n" + Self.stylesheet + "\r\n")
    }

    @Test("A reader that begins late gets every pipelined response")
    func lateReader() async throws {
        try await TestServer.serve {
            $0.limits = .patient
        } _: { server, client in
            let requests = String(repeating: Self.stylesheet + "\r\n", count: 599)
            let reader = try await RawConnection.open(
                port: try #require(client.port),
                sending: requests + Self.stylesheet + "Connection: close\r\n\r\n", isReading: false)
            try await eventually("an answer") { server.log.lines.contains { $0.contains("/assets/") } }
            try await reader.read()
            let answers = try await reader.textUntilClosed()
            #expect(answers.components(separatedBy: "HTTP/1.1 200").count == 601)
        }
    }
}
