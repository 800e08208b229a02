import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Login nonces over HTTP", .covers("POST /v1/login-nonces, login_method=nonce"))
struct LoginNonceHTTPTests {
    private func accessToken(
        _ client: any TestClientProtocol, secret: String, scope: String = "login_nonces"
    ) async throws -> String {
        let answer = try await client.post(
            "/oauth2/token",
            [
                "grant_type": "client_credentials", "client_id": "backend", "client_secret": secret, "scope": scope,
            ])
        return try #require(try answer.member("access_token"), "\(answer.text)")
    }

    private func ask(
        _ client: any TestClientProtocol, _ body: String, token: String?
    ) async throws -> TestResponse {
        try await client.post(
            "/v1/login-nonces", body: body, "application/json",
            token.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }

    private func signIn(_ client: any TestClientProtocol, nonce: String) async throws -> TestResponse {
        let (path, key) = ("/oauth2/authorize-challenge", ProofKey())
        func send(_ proofNonce: String?) async throws -> TestResponse {
            try await client.post(
                path,
                [
                    "client_id": "wallet", "scope": "openid", "code_challenge": Journey.challenge,
                    "code_challenge_method": "S256", "login_method": "nonce", "login_nonce": nonce,
                ], [.dpop: key.proof(path, nonce: proofNonce)])
        }
        let first = try await send(nil)
        return try await send(first.headers[.dpopNonce])
    }

    @Test("A backend's token gets a nonce for a minute, and the app's sign-in with it gets a code, once")
    func issuesAndSignsIn() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let secret = try await server.makeBackend { $0.scopes = ["login_nonces"] }
            let token = try await accessToken(client, secret: secret)
            let answer = try await ask(client, #"{"username":"maria","clientId":"wallet"}"#, token: token)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try answer.json["expiresIn"]?.integer == 60)
            let nonce = try #require(try answer.member("nonce"))
            let first = try await signIn(client, nonce: nonce)
            #expect(first.status == .ok, "\(first.text)")
            let again = try await signIn(client, nonce: nonce)
            #expect(again.status == .unauthorized)
            #expect(try again.member("error_code") == "invalid_credentials")
        }
    }

    @Test("Without a token 401 with a challenge, without the scope 403, for an unknown person 404, malformed 400")
    func refusals() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let secret = try await server.makeBackend { $0.scopes = ["login_nonces", "wallet_operations"] }
            let good = #"{"username":"maria","clientId":"wallet"}"#
            let none = try await ask(client, good, token: nil)
            #expect(none.status == .unauthorized)
            #expect(none.headers[.wwwAuthenticate] != nil)
            let narrow = try await accessToken(client, secret: secret, scope: "wallet_operations")
            let forbidden = try await ask(client, good, token: narrow)
            #expect(forbidden.status == .forbidden)
            #expect(forbidden.headers[.wwwAuthenticate]?.contains("login_nonces") == true)
            let token = try await accessToken(client, secret: secret)
            let nobody = try await ask(client, #"{"username":"nobody","clientId":"wallet"}"#, token: token)
            #expect(nobody.status == .notFound)
            #expect(try nobody.member("code") == "account_not_found")
            for body in [
                #"{"clientId":"wallet"}"#, #"{"username":"maria"}"#,
                #"{"username":"maria","clientId":"wallet","acr":"2fa"}"#,
                #"{"username":"maria","accountId":"00000000-0000-4000-8000-000000000000","clientId":"wallet"}"#,
            ] {
                let malformed = try await ask(client, body, token: token)
                #expect(malformed.status == .badRequest, "\(body)")
            }
        }
    }
}
