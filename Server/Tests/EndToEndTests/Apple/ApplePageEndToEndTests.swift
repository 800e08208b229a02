import Foundation
import Testing

/// A real browser at the running server and at the sandbox's stand-in for Apple.
@Suite("Sign in with Apple on the hosted pages, end to end", .onceForAllEngines, .covers("/sandbox/apple"))
struct ApplePageEndToEndTests {
    private static let redirectURI = "https://app.example.com/callback"

    private struct Seen: Decodable {
        let button: String
        let cancelled: String
        let cancelledAt: String
        let hidden: String
        let offer: String
        let address: String
        let suggested: String
        let console: [String]
        let first: [String: String]
        let second: [String: String]
    }

    @Test(
        "Chromium cancels at Apple, creates an account by Apple's cross-site form, and is signed in at once the next time"
    )
    func journey() async throws {
        try await withServer { server in
            let app = try await server.makePublicClient(redirectURI: Self.redirectURI, options: ["--allow-bearer"])
            try await server.addStandInForApple(for: app, options: ["--services-id", "com.example.wallet.web"])
            let client = StandardClient(app, at: server)
            let begun = await client.beginAuthorization()
            let output = try await server.peer(
                "chromium_apple.py", [begun.url.absoluteString, Self.redirectURI, "ada-here"])
            let seen = try JSONDecoder().decode(Seen.self, from: output)

            #expect(seen.button == "Sign in with Apple")
            #expect(seen.cancelled.contains("You did not sign in with Apple. Try again, or sign in another way."))
            for address in [seen.cancelledAt, seen.address] {
                let callback = await server.issuer.absoluteString + "/sign-in/provider/default/apple?"
                #expect(address.hasPrefix(callback), "\(address)")
                #expect(Set(queryItems(of: address).keys) == ["state", "response"])
            }
            #expect(seen.hidden.contains("@privaterelay.appleid.com"))
            #expect(seen.offer.contains("You don’t have an account yet"))
            #expect(seen.offer.contains("ada@example.com"))
            // The name and the address that Apple's form has unsigned are believed nowhere.
            for page in [seen.hidden, seen.offer] { #expect(!page.contains("bank.example")) }
            #expect(seen.suggested == "ada")
            #expect(seen.console.isEmpty, "\(seen.console)")

            var subjects: Set<String> = []
            for answer in [seen.first, seen.second] {
                #expect(answer["state"] == begun.state)
                let code = try #require(answer["code"])
                server.ledger.enter(code)
                let tokens = try client.tokens(await client.redeem(code, verifier: begun.verifier))
                #expect(try TokenClaims.all(of: tokens.access)["amr"] as? [String] == ["fed"])
                subjects.insert(try TokenClaims.text("sub", of: tokens.access))
            }
            #expect(subjects.count == 1, "the same person both times")
            let account = try await server.require(["account", "show", "ada-here"])
            #expect(account.contains(try #require(subjects.first)))
            let listed = try await server.require(["account", "list", "--json"])
            #expect(listed.components(separatedBy: "\"username\"").count == 2, "\(listed)")
        }
    }
}
