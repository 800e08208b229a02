import Crypto
import Foundation
import Testing

/// Malformed and hostile requests to the token endpoint, over real HTTP.
@Suite("Attacks on the token endpoint", .onceForAllEngines)
struct WrongTokenRequestTests {
    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "A body that is no form, or an ambiguous one, is invalid_request",
        arguments: [
            "grant_type=refresh_token&grant_type=client_credentials", "grant_type=%00", "grant_type=%zz",
            "grant_type=refresh_token&refresh_token=%C0%AF", "grant_type=refresh_token&refresh_token=a%00b", "", "&&&",
            "grant_type=", "client_id=com.example.wallet&client_id=other&grant_type=refresh_token&refresh_token=x",
        ])
    func malformedForms(body: String) async throws {
        try await SharedServer.use { server, client in
            let answer = try await client.web.send(
                "POST", await server.url("/oauth2/token"), headers: ["Content-Type": Self.form], body: Data(body.utf8))
            #expect(answer.status == 400 || answer.status == 401)
            #expect(["invalid_request", "invalid_client"].contains(answer.members["error"]))
        }
    }

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

    @Test("DPoP: a proof for another URL or method, an old one, and one of the algorithm none are refused")
    func wrongProofs() async throws {
        try await SharedServer.use { server, plain in
            let client = StandardClient(plain.client, at: server, key: P256.Signing.PrivateKey())
            let tokens = try await client.signIn(try await server.makeAccount("proofs-\(randomText(4).lowercased())"))
            let url = await server.url("/oauth2/token")
            let fields = [
                ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", client.client.id),
            ]
            let probe = try await client.web.post(
                url, fields: fields,
                headers: ["DPoP": try client.proof(method: "GET", url: url, nonce: nil, accessToken: nil)])
            #expect(probe.status == 400)
            let elsewhere = try client.proof(
                method: "POST", url: await server.url("/oauth2/revoke"), nonce: nil, accessToken: nil)
            let valid = try client.proof(method: "POST", url: url, nonce: nil, accessToken: nil)
            let parts = valid.split(separator: ".")
            let none = base64URL(Data(#"{"typ":"dpop+jwt","alg":"none"}"#.utf8)) + "." + parts[1] + "."
            for proof in [elsewhere, none, "a.b.c", "", valid + "A", "\(valid), \(valid)"] {
                let answer = try await client.web.post(url, fields: fields, headers: ["DPoP": proof])
                #expect(answer.status == 400 || answer.status == 401)
                #expect(answer.members["access_token"] == nil)
            }
            _ = try client.tokens(await client.refresh(tokens.refresh))
        }
    }

    @Test("10,000 headers, a request line without end and half a request leave the server answering")
    func hostileConnections() async throws {
        try await SharedServer.use { server, client in
            let port = await server.port
            let headers = (0..<10_000).map { "X-\($0): y\r\n" }.joined()
            let flood = try await RawConnection.exchange(
                port: port, "GET /health/live HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
            #expect(flood.status.map { $0 >= 400 } ?? flood.closed)
            let endless = try await RawConnection.exchange(
                port: port, "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\n\r\n")
            #expect(endless.status.map { $0 >= 400 } ?? endless.closed)
            let smuggled = try await RawConnection.exchange(
                port: port,
                "POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            )
            #expect(smuggled.status.map { $0 >= 400 } ?? smuggled.closed)
            let half = try RawConnection(port: port)
            half.send(Data("POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Le".utf8))
            let healthy = try await client.web.get(await server.url("/health/live"))
            #expect(healthy.status == 200)
        }
    }
}
