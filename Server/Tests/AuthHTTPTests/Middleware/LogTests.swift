import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import HTTP
@testable import Web

@Suite("The access log", .threat("Secrets in logs"))
struct LogTests {
    @Test("Secrets in a query, a path, a body or a header appear in no line of the log")
    func noSecrets() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let code = try await Journey.code(client)
            let tokens = try await Journey.redeem(client, code)
            let access = try #require(try tokens.member("access_token"))
            let refresh = try #require(try tokens.member("refresh_token"))
            _ = try await client.get("/oauth2/userinfo?access_token=\(access)", [.authorization: "Bearer \(access)"])
            _ = try await client.get("/secret-in-path/\(access)")
            _ = try await client.execute(uri: "/", method: .init("SECRETMETHOD") ?? .get)
            let lines = server.log.lines
            #expect(lines.contains { $0.contains("/oauth2/token") && $0.contains("200") })
            for secret in [
                code, access, refresh, "correct horse", Journey.verifier, "state-1", "nonce-1", "secret-in-path",
                "SECRETMETHOD",
            ] {
                #expect(!lines.contains { $0.contains(secret) }, "\(secret.prefix(12))")
            }
        }
    }

    @Test("Successful probes of the health are logged at debug, failed ones as warnings with their cause once")
    func probes() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                for path in ["/health/live", "/health/ready"] {
                    let answer = try await client.get(path)
                    #expect(answer.status == .ok)
                }
                await server.closeDatabase()
                for _ in 0..<2 {
                    // A success counts for a second.
                    while try await client.get("/health/ready").status == .ok {}
                }
                let found = server.log.lines.filter { $0.contains("request ") && $0.contains("/health/") }
                #expect(found.contains { $0.hasPrefix("debug") && $0.contains("/health/live") })
                #expect(!found.contains { $0.hasPrefix("info") })
                #expect(found.count { $0.hasPrefix("warning") && $0.contains("503") } == 2)
                #expect(server.log.lines.count { $0.contains("a test write to the database failed") } == 1)
            }
        }
    }

    @Test("Each request leaves one line with its route's template, status, duration and trace")
    func oneLine() async throws {
        try await TestServer.serve { server, client in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            _ = try await client.get("/assets/none?x=1", [.traceParent: "00-\(trace)-00f067aa0ba902b7-01"])
            let lines = server.log.lines.filter { $0.contains("/assets/{name}") }
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.contains(trace) && line.contains("404") && line.contains("us"))
        }
    }
}
