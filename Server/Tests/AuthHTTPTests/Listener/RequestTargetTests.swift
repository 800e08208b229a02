import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthHTTP

@Suite("Odd request targets")
struct RequestTargetTests {
    @Test(
        "Host injection: whatever stands in the request line or in Host, no answer repeats it and the server goes on",
        arguments: [
            "GET http://evil.example/health/live HTTP/1.1\r\nHost: evil.example\r\n",
            "GET http://evil.example/.well-known/openid-configuration HTTP/1.1\r\nHost: h\r\n",
            "GET //evil.example/oauth2/authorize HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n",
            "GET /%2f%2fevil.example HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n",
            "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n",
            "GET /health/live HTTP/1.1\r\n", "GET /health/live HTTP/1.1\r\nHost: h\r\nHost: evil.example\r\n",
            "GET /.well-known/openid-configuration HTTP/1.0\r\n", "GET ? HTTP/1.1\r\nHost: h\r\n",
            "GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: h\r\n",
            "GET /assets/../oauth2/authorize HTTP/1.1\r\nHost: h\r\n",
        ])
    func targets(head: String) async throws {
        try await TestServer.serve { _, client in
            let connection = try await RawConnection.open(port: try #require(client.port))
            try await connection.send(head + "Connection: close\r\n\r\n")
            let answer = try await connection.textUntilClosed()
            #expect(!answer.contains("evil.example"))
            #expect(!answer.contains("root:"))
            #expect(!answer.hasPrefix("HTTP/1.1 5") || answer.hasPrefix("HTTP/1.1 501"), "\(answer.prefix(80))")
            let live = try await client.get("/health/live")
            #expect(live.status == .ok)
        }
    }
}
