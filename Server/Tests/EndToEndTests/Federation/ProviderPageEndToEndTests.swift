import Foundation
import Testing

/// A real browser at the running server and at a provider that is not ours.
@Suite(
    "Signing in by a provider on the hosted pages, end to end", .onceForAllEngines,
    .covers("GET|POST /sign-in/provider/{brandIdentity}/{providerId}"))
struct ProviderPageEndToEndTests {
    private static let redirectURI = "https://app.example.com/callback"

    private struct Seen: Decodable {
        let button: String
        let declined: String
        let address: String
        let offer: String
        let suggested: String
        let label: String
        let overflow: Int
        let console: [String]
        let reloaded: String
        let first: [String: String]
        let second: [String: String]
    }

    /// Authlib's provider, with what is said of it.
    private func withPeer(
        _ environment: [String: String], for server: RunningServer,
        _ body: (URL, _ password: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (password, secret) = ("Pw-\(UUID().uuidString)", "Secret-\(UUID().uuidString)")
        server.ledger.enter(password)
        server.ledger.enter(secret)
        let settings = [
            "PEER_PASSWORD": password, "PEER_SECRET": secret,
            "PEER_REDIRECT_URI": await server.url("/sign-in/provider/default/example").absoluteString,
            "PEER_TELLS_EMAIL": "1",
        ]
        let peer = try await PeerProcess.start(
            "authlib_provider.py", settings.merging(environment) { _, new in new }, in: folder.url)
        defer { peer.stop() }
        let issuer = try #require(URL(string: peer.address))
        try await PeerProvider.add(
            issuer, to: server, secret: secret, options: ["--on-sign-in-page", "--label", "Authlib", "--trust-email"])
        try await body(issuer, password)
    }

    /// Sends Chromium on its way, and redeems what it brings back.
    private func journey(_ server: RunningServer, _ issuer: URL, _ password: String) async throws -> Seen {
        let app = try await server.makePublicClient(redirectURI: Self.redirectURI, options: ["--allow-bearer"])
        let client = StandardClient(app, at: server)
        let begun = await client.beginAuthorization()
        let output = try await server.peer(
            "chromium_provider.py", [begun.url.absoluteString, Self.redirectURI, issuer.absoluteString, "ada-here"],
            input: password + "\n")
        let seen = try JSONDecoder().decode(Seen.self, from: output)
        var subjects: Set<String> = []
        for answer in [seen.first, seen.second] {
            #expect(answer["state"] == begun.state)
            let code = try #require(answer["code"])
            server.ledger.enter(code)
            let tokens = try client.tokens(await client.redeem(code, verifier: begun.verifier))
            let claims = try TokenClaims.all(of: tokens.access)
            #expect(claims["amr"] as? [String] == ["fed"])
            subjects.insert(try #require(claims["sub"] as? String))
        }
        #expect(subjects.count == 1, "the same person both times")
        return seen
    }

    private func expectPages(_ seen: Seen) {
        #expect(seen.button == "Continue with Authlib")
        #expect(seen.declined.contains("You did not sign in with Authlib."))
        #expect(seen.offer.contains("You don’t have an account yet"))
        #expect(seen.offer.contains("ada@example.com"))
        #expect(!seen.offer.contains("allory"))
        #expect(seen.suggested == "ada")
        #expect(seen.label == "Username")
        #expect(seen.overflow == 0)
        #expect(seen.console.isEmpty, "\(seen.console)")
        #expect(seen.reloaded.contains("This sign-in has already been used"))
    }

    @Test(
        """
        Chromium signs in by Authlib's provider, which names itself in its responses; an account is created once, and \
        opened the next time
        """
    )
    func query() async throws {
        try await withServer { server in
            try await withPeer(["PEER_NAMES_ISSUER": "1"], for: server) { issuer, password in
                expectPages(try await journey(server, issuer, password))
            }
        }
    }

    @Test(
        "Chromium comes back by a form that a page of another site posts, as Apple's does: no cookie is lost, no code is in the URL"
    )
    func formPost() async throws {
        try await withServer { server in
            let mode = ["PEER_HOST": "localhost", "PEER_RESPONSE_MODE": "form_post"]
            try await withPeer(mode, for: server) { issuer, password in
                #expect(issuer.host() == "localhost")
                #expect(await server.issuer.host() == "127.0.0.1")
                let seen = try await journey(server, issuer, password)
                expectPages(seen)
                let items = queryItems(of: seen.address)
                #expect(Set(items.keys) == ["state", "response"])
            }
        }
    }
}
