import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Nothing secret in any description", .threat("Secrets in logs"), .covers("a log or description shows a secret"))
struct SecretsTests {
    @Test(
        "Diagnostics, errors, configurations, outcomes and their reflections hold no token, code, verifier or password")
    func redacted() async throws {
        let world = World()
        let external = try world.server.accessToken(for: "alice").reveal()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.unavailable(503, retryAfter: .seconds(30)), at: "/oauth2/token")
        let error = await failure { try await wallet.accessToken() }
        var texts: [String] = []
        func note(_ value: some Any) {
            texts += ["\(value)", String(reflecting: value)]
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
        }
        note(error as Any)
        note(wallet)
        note(wallet.authentication)
        note(wallet.diagnostics)
        texts.append(String(decoding: try JSONEncoder().encode(wallet.diagnostics), as: UTF8.self))
        note(world.configuration(.external(token: external, expiresAt: nil)).signIn)
        note(world.configuration(.external(token: external, expiresAt: nil)))
        let challenge = OAuthCodeChallenge()
        note(challenge)
        note(OAuthCodeResponse(code: "the-code", challenge: challenge, redirectURI: World.redirectURI))
        note(try await wallet.login(username: "bob", password: "battery staple"))
        note(try await wallet.accessToken())
        var secrets = [external, "the-code", challenge.verifier.reveal(), "battery staple"]
        secrets.append(try await wallet.accessToken().reveal())
        secrets += world.server.requests.flatMap { request in
            ["code", "code_verifier", "refresh_token", "attempt", "password"].compactMap { request.form[$0] }
        }
        #expect(secrets.count > 6)
        for secret in secrets {
            #expect(!texts.contains { $0.contains(secret) }, "a secret of \(secret.count) characters is shown")
        }
    }

    @Test("A transport that logs what it sends and receives shows method, URL and status, and no header, body or query")
    func transport() throws {
        let secret = "a-secret"
        let request = HTTPRequest(
            method: "POST", url: try url("https://user:\(secret)@auth.example.com/callback?code=\(secret)#\(secret)"),
            headers: ["Authorization": "DPoP \(secret)"], body: Data(secret.utf8))
        let response = HTTPResponse(status: 200, headers: ["DPoP-Nonce": secret], body: Data(secret.utf8))
        #expect("\(request)" == "POST https://auth.example.com/callback")
        #expect("\(response)" == "200")
        #expect("\(request.headers)" == "Authorization")
        for value in [request, response, request.headers, response.headers] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
        }
    }

    @Test("Diagnostics say what support needs: state, token, clock, server and what went wrong last")
    func diagnostics() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.endSessions(of: "alice")
        world.expireToken()
        _ = await failure { try await wallet.accessToken() }
        let report = wallet.diagnostics
        #expect(report.state == "signed_out")
        #expect(report.signOutReason == .sessionEnded)
        #expect(report.serverOffers?.contains("DPoP") == true)
        #expect(report.events.last?.result == "signed_out")
        #expect(report.description.contains("refresh: signed_out"))
    }
}
