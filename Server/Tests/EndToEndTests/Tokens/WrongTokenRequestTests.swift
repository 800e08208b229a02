import Foundation
import Testing

/// Malformed and hostile requests to the token endpoint, over real HTTP.
@Suite("Attacks on the token endpoint", .onceForAllEngines)
struct WrongTokenRequestTests {
    @Test("HTTP says what is wrong with the request: method, content type, size")
    func httpRefusals() async throws {
        try await SharedServer.use { server, client in
            let url = await server.url("/oauth2/token")
            let wrongMethod = try await client.web.get(url)
            #expect(wrongMethod.status == 405)
            let wrongType = try await client.web.post(url, json: "{}")
            #expect(wrongType.status == 415)
            let huge = try await client.web.post(url, form: ["grant_type": String(repeating: "x", count: 70_000)])
            #expect(huge.status == 413)
            let elsewhere = try await client.web.get(await server.url("/no/such/path"))
            #expect(elsewhere.status == 404)
        }
    }

    @Test(
        "A refresh token that is forged or damaged is invalid_grant, whatever it looks like",
        arguments: [
            "wrt_", "wrt_AAAA", "wrt_" + String(repeating: "A", count: 120), "eyJhbGciOiJub25lIn0.e30.",
            String(repeating: "A", count: 8_000), "wrt_../../etc/passwd", "' OR 1=1 --",
        ])
    func forgedRefreshTokens(token: String) async throws {
        try await SharedServer.use { _, client in
            let answer = try await client.refresh(token)
            #expect(answer.status == 400)
            #expect(["invalid_grant", "invalid_request"].contains(answer.members["error"]))
        }
    }

    @Test("A changed letter anywhere in a refresh token is refused and leaves the session alone")
    func changedLetters() async throws {
        try await SharedServer.use { server, client in
            let tokens = try await client.signIn(try await server.makeAccount("letters-\(randomText(4).lowercased())"))
            for position in stride(from: 0, to: tokens.refresh.count, by: 5) {
                var letters = Array(tokens.refresh)
                letters[position] = letters[position] == "A" ? "B" : "A"
                #expect(try await client.refresh(String(letters)).status == 400)
            }
            _ = try client.tokens(await client.refresh(tokens.refresh))
        }
    }

    @Test("Client impersonation: a wrong secret, a missing one and a public client are refused client credentials")
    func clientCredentials() async throws {
        try await SharedServer.use { server, client in
            let backend = try await server.makeConfidentialClient("backend-\(randomText(4).lowercased())")
            let fields = [("grant_type", "client_credentials"), ("scope", "wallet_operations")]
            let right = StandardClient(backend, at: server)
            let answer = try await right.token(fields)
            #expect(answer.status == 200)
            #expect(answer.members["refresh_token"] == nil, "RFC 6749 §4.4.3")

            var guessed = backend
            guessed.secret = "guessed-secret"
            let wrong = try await StandardClient(guessed, at: server).token(fields)
            #expect(wrong.status == 401)
            #expect(wrong.members["error"] == "invalid_client")
            #expect(wrong.header("www-authenticate")?.hasPrefix("Basic") == true)
            #expect(try await client.token(fields + [("client_id", backend.id)]).status == 401)
            let publicClient = try await client.token(fields + [("client_id", client.client.id)])
            #expect(["unauthorized_client", "invalid_client"].contains(publicClient.members["error"]))
            let more = try await right.token([("grant_type", "client_credentials"), ("scope", "everything")])
            #expect(more.members["error"] == "invalid_scope")
        }
    }
}
