import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite("Odd request targets")
struct RequestTargetTests {
    @Test(
        "Host injection: whatever the request line or Host holds, no response repeats it and the server goes on",
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

    @Test(
        "attack: a Host that is missing, duplicated, empty or malformed is 400, and nothing after it gets a response",
        .threat("DNS rebinding and tunnels"),
        arguments: [
            "", "Host: h\r\nHost: h\r\n", "Host: h\r\nHost: evil.example\r\n", "Host:\r\n", "Host: \r\n",
            "Host: :80\r\n", "Host: h:x\r\n", "Host: h:80:80\r\n", "Host: a@h\r\n", "Host: h/\r\n", "Host: h h\r\n",
            "Host: [::1\r\n", "Host: [::1]x\r\n", "Host: [h]\r\n", "Host: h\u{e9}\r\n",
        ])
    func malformedHosts(field: String) async throws {
        try await TestServer.serve { _, client in
            let port = try #require(client.port)
            let good = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n"
            let connection = try await RawConnection.open(port: port)
            try await connection.send(good + "GET /health/live HTTP/1.1\r\n\(field)\r\n" + good)
            let answers = try await connection.textUntilClosed().components(separatedBy: "HTTP/1.1 ").dropFirst()
            try #require(answers.count == 2, "\(answers)")
            #expect(answers.first?.hasPrefix("200 ") == true)
            #expect(answers.last?.hasPrefix("400 ") == true)
        }
    }

    @Test("A host by name, address or escape, with a port or without, is served; HTTP/1.0 needs none")
    func goodHosts() async throws {
        try await TestServer.serve { _, client in
            let port = try #require(client.port)
            for head in [
                "1.1\r\nHost: h\r\n", "1.1\r\nHost: 127.0.0.1:\(port)\r\n", "1.1\r\nhost: [::1]:80\r\n",
                "1.1\r\nHost: [2001:DB8::1]\r\n", "1.1\r\nHost: a_b.Example\r\n", "1.1\r\nHost: h%2d:\r\n",
                "1.0\r\n", "1.0\r\nHost: h\r\n",
            ] {
                let connection = try await RawConnection.open(port: port)
                try await connection.send("GET /health/live HTTP/\(head)Connection: close\r\n\r\n")
                let answer = try await connection.textUntilClosed()
                #expect(answer.contains(" 200 "), "\(head): \(answer.prefix(60))")
            }
        }
    }
}
