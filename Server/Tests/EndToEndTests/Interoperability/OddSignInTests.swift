import Foundation
import Testing

/// A standard server that is odd where a person signs in. The scripted server has each oddity by name
/// (`Peers/interoperability/standard_server.py`).
@Suite("Odd answers at sign-in", .onceForAllEngines, .runningPeers)
struct OddSignInTests {
    @Test(
        "Whatever is at RFC 8414's location, a valid OpenID Connect document is enough",
        arguments: [
            "oauth-place-html", "oauth-place-catch-all", "oauth-place-other-json", "oauth-place-500", "oauth-place-503",
        ])
    func discovery(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { try await $0.signIn() }
    }

    @Test("If neither location has metadata, the wallet says which URL returned what")
    func noMetadata() async throws {
        try await OddWallet.with("both-places-html") { wallet in
            let refused = try await wallet.own.run("sign-in", "--no-open")
            #expect(refused.ending == .exited(1))
            for place in ["/.well-known/oauth-authorization-server/", "/.well-known/openid-configuration"] {
                #expect(refused.errors.contains(place), "\(refused.errors)")
            }
        }
    }

    @Test("A network's own page in place of the metadata is reported as one, and the session goes on")
    func portal() async throws {
        try await OddWallet.with("both-places-html") { wallet in
            try await wallet.issuer.mend()
            try await wallet.signIn()
            try await wallet.issuer.mend(false)
            for command in [["refresh"], ["sign-in", "--step-up", "--no-open"], ["sign-in", "--again", "--no-open"]] {
                let refused = try await wallet.own.program.run(command)
                #expect(refused.ending == .exited(1))
                #expect(refused.errors.contains("responded with a web page instead of"), "\(refused.errors)")
                #expect(!refused.errors.contains("--client-id"), "\(refused.errors)")
            }
            let refused = try await wallet.own.run("refresh", "--json")
            #expect(try refused.failure["code"] as? String == "malformed_answer")
            try await wallet.issuer.mend()
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.revoked == 0)
        }
    }

    @Test("Metadata that is elsewhere is not fetched there, and the wallet says which URL redirects")
    func redirectedMetadata() async throws {
        try await OddWallet.with("metadata-redirected") { wallet in
            let refused = try await wallet.own.run("sign-in", "--no-open")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("redirect"), "\(refused.errors)")
            #expect(refused.errors.contains("/.well-known/"), "\(refused.errors)")
            #expect(try await wallet.issuer.told.redirected == 0)
        }
    }

    @Test(
        "Members that the wallet does not use may be of any kind",
        arguments: [
            "relative-jwks-uri", "plain-http-end-session", "end-session-with-fragment", "numeric-acr-values",
        ])
    func unusedMembers(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { try await $0.signIn() }
    }

    @Test(
        "Members that decide nothing are read tolerantly, at sign-in and in a refresh",
        arguments: [
            "expires-in-text", "expires-in-decimal", "scope-with-two-spaces", "scope-array", "tokens-of-64-kib",
            "claims-of-other-types",
        ])
    func tolerantly(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            try await wallet.callSucceeds()
            try await wallet.own.succeeds("refresh")
            let told = try await wallet.issuer.told
            #expect(told.refreshes == 2 && told.spent == 0)
        }
    }

    @Test("A code with spaces in it is redeemed as it is")
    func codeWithSpaces() async throws {
        try await OddWallet.with("code-with-space") { try await $0.signIn() }
    }

    @Test(
        "attack: an ID token for another sign-in, issuer or client is refused, and its tokens are revoked",
        arguments: ["wrong-nonce", "wrong-issuer", "wrong-audience"])
    func wrongIDToken(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            let refused = try await wallet.tryToSignIn()
            #expect(refused.ending == .exited(1))
            // What a person reads has no name of a Swift type or case in it.
            #expect(!refused.output.contains("(name:") && !refused.output.contains("claim("), "\(refused.output)")
            #expect(try await wallet.own.run("status").ending == .exited(1))
            #expect(try await wallet.issuer.told.alive == 0)
        }
    }

    @Test("attack: a response with a duplicated member is refused")
    func doubledMember() async throws {
        try await OddWallet.with("doubled-member") { wallet in
            let refused = try await wallet.tryToSignIn()
            #expect(refused.ending == .exited(1))
            #expect(try await wallet.own.run("status").ending == .exited(1))
        }
    }

    @Test("What the server says about the client is passed on, without commands for another server")
    func serversOwnWords() async throws {
        try await OddWallet.with("code-invalid-client") { wallet in
            let refused = try await wallet.tryToSignIn()
            #expect(refused.ending == .exited(1))
            #expect(refused.output.contains("so says the server: invalid-client"), "\(refused.output)")
            #expect(!refused.output.contains("walletauth"), "\(refused.output)")
        }
    }

    @Test("If the response to a code was lost, the wallet says to start again")
    func lostCode() async throws {
        try await OddWallet.with("code-lost") { wallet in
            let lost = try await wallet.tryToSignIn()
            #expect(lost.ending == .exited(1))
            #expect(lost.output.contains("start the sign-in again"), "\(lost.output)")
        }
    }

    @Test("Without a refresh token the wallet names the scope to try")
    func noRefreshToken() async throws {
        try await OddWallet.with("no-refresh-token", scope: "openid") { wallet in
            try await wallet.signIn()
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1))
            let advice = "wallet sign-in --again --scope \"openid offline_access\""
            #expect(refresh.errors.contains(advice), "\(refresh.errors)")
            let status = try await wallet.own.succeeds("status")
            #expect(status.output.contains("and ends the session"), "\(status.output)")
            #expect(!status.output.contains("renewed"), "\(status.output)")
        }
    }

    @Test(
        "offline_access is sent with prompt=consent, since a server may refuse or drop it otherwise",
        arguments: ["offline-refused-without-consent", "offline-dropped-without-consent"])
    func offlineAccess(_ oddity: String) async throws {
        try await OddWallet.with(oddity, scope: "openid offline_access") { wallet in
            try await wallet.signIn()
            try await wallet.own.succeeds("refresh")
            #expect(try await wallet.issuer.told.prompts == ["consent"])
        }
    }

    @Test("A prompt that is given by name is sent as it is")
    func chosenPrompt() async throws {
        try await OddWallet.with("plain") { wallet in
            let begun = try await wallet.own.begin(["--prompt", "login"])
            #expect(queryItems(of: begun.page.absoluteString)["prompt"] == "login")
            begun.process.send(SIGTERM)
            _ = await begun.process.wait()
        }
    }

    @Test("If a server answers openid without an ID token, the wallet names the option that works")
    func noIDToken() async throws {
        try await OddWallet.with("no-id-token") { wallet in
            let finished = try await wallet.tryToSignIn()
            #expect(!finished.succeeded)
            #expect(finished.output.contains("--client-id wallet --scope SCOPE"), "\(finished.output)")
        }
    }
}
