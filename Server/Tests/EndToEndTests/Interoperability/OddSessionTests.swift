import Foundation
import Testing

/// What becomes of the session of a signed-in wallet at a standard server that is odd: signing in again, stepping up, and
/// sending the token elsewhere.
@Suite(
    "A session at a server with odd answers",
    .covers("a server ignores a step-up", "the terminal wallet sends a bearer token to a server that could use it"),
    .onceForAllEngines, .runningPeers)
struct OddSessionTests {
    @Test("If no one is signed in, a command that needs a walletauth server names the sign-in on the server's pages")
    func accountCommandWithoutSession() async throws {
        try await OddWallet.with("plain") { wallet in
            let answer = try await wallet.own.run("pin", "remove")
            #expect(answer.ending == .exited(1))
            #expect(answer.errors.contains("wallet sign-in --browser"), "\(answer.errors)")
            #expect(!answer.errors.contains("you stay signed in"), "\(answer.errors)")
        }
    }

    @Test("At a server without native sign-in, --again leaves the session as it was, and says which sign-in there is")
    func nativeAgain() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            let native = try await wallet.own.program.run(
                ["sign-in", "--again", "--username", "ada", "--password-stdin"], input: "correct horse battery\n")
            #expect(native.ending == .exited(1))
            #expect(native.errors.contains("supports sign-in only on its own pages"), "\(native.errors)")
            #expect(native.errors.contains("wallet sign-in --browser --again"), "\(native.errors)")
            let stepUp = try await wallet.own.program.run(
                ["sign-in", "--step-up", "--username", "ada", "--password-stdin"], input: "correct horse battery\n")
            #expect(stepUp.errors.contains("wallet sign-in --browser --step-up"), "\(stepUp.errors)")
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.revoked == 0)
        }
    }

    @Test(
        "A command that needs a walletauth server says so at any other, and the session goes on",
        arguments: [
            ["mfa", "list"], ["mfa", "authenticator", "--begin"], ["identity", "list"], ["device", "list"],
            ["device", "enroll", "Phone"], ["pin", "set", "--pin-stdin"], ["pin", "remove"],
            ["device-token", "generate", "--username", "ada", "--password-stdin"], ["device-token", "expire"],
        ])
    func accountCommand(_ command: [String]) async throws {
        try await OddWallet.with("plain", for: "account-" + command.joined(separator: "-")) { wallet in
            try await wallet.signIn()
            let answer = try await wallet.own.program.run(command)
            #expect(answer.ending == .exited(1))
            #expect(answer.errors.contains("walletauth server"), "\(answer.errors)")
            #expect(!answer.errors.contains("try again"), "\(answer.errors)")
            try await wallet.callSucceeds()
        }
    }

    @Test(
        "If the new sign-in cannot begin, --again leaves the session as it was",
        arguments: ["http://127.0.0.1:9", "ISSUER/"])
    func againElsewhere(issuer: String) async throws {
        try await OddWallet.with("plain", for: "againElsewhere-\(issuer.utf8.count)") { wallet in
            try await wallet.signIn()
            let elsewhere = issuer.replacing("ISSUER", with: wallet.issuer.url.absoluteString)
            let again = try await wallet.own.run("sign-in", "--again", "--no-open", "--issuer", elsewhere)
            #expect(again.ending == .exited(1))
            #expect(!again.errors.contains("Signed out"), "\(again.errors)")
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.revoked == 0)
        }
    }

    @Test("If another program has the port of the redirect URI, --again leaves the session as it was")
    func againWithTakenPort() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            // A page that is open holds its port.
            let other = try await wallet.own.begin(["--step-up"])
            let port = try #require(URL(string: other.redirectURI)?.port)
            let again = try await wallet.own.run(
                "sign-in", "--again", "--no-open", "--redirect-uri", "http://127.0.0.1:\(port)/callback")
            #expect(again.ending == .exited(1))
            #expect(again.errors.contains("Address already in use"), "\(again.errors)")
            #expect(!again.errors.contains("--username"), "\(again.errors)")
            other.process.send(SIGTERM)
            _ = await other.process.wait()
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.revoked == 0)
        }
    }

    @Test(
        "A step-up that the server answers with an old sign-in is refused, names --prompt login and keeps the session")
    func oldSignIn() async throws {
        try await OddWallet.with("old-sign-in") { wallet in
            try await wallet.signIn()
            let stepUp = try await wallet.tryToSignIn(["--step-up", "--max-age", "60"])
            #expect(!stepUp.succeeded)
            #expect(stepUp.output.contains("with: --prompt login"), "\(stepUp.output)")
            let again = try await wallet.tryToSignIn(["--step-up", "--max-age", "60", "--prompt", "login"])
            #expect(!again.succeeded && !again.output.contains("with: --prompt login"), "\(again.output)")
            #expect(again.output.contains("sign out on the server's own pages"), "\(again.output)")
            try await wallet.callSucceeds()
        }
    }

    @Test(
        "A step-up by age at a server that does not say when a person signed in is refused for that reason; the session goes on",
        arguments: ["plain", "zero-auth-time"])
    func unknownSignInTime(_ oddity: String) async throws {
        try await OddWallet.with(oddity, for: "unknownSignInTime") { wallet in
            try await wallet.signIn()
            for prompt in [[], ["--prompt", "login"]] as [[String]] {
                let stepUp = try await wallet.tryToSignIn(["--step-up", "--max-age", "60"] + prompt)
                #expect(!stepUp.succeeded)
                #expect(stepUp.output.contains("does not report when you signed in"), "\(stepUp.output)")
                #expect(!stepUp.output.contains("with: --prompt login"), "\(stepUp.output)")
            }
            try await wallet.callSucceeds()
        }
    }

    @Test("If a server refuses what the step-up requires, its words are passed on, and the session goes on")
    func refusedRequirement() async throws {
        try await OddWallet.with("max-age-refused") { wallet in
            try await wallet.signIn()
            let stepUp = try await wallet.tryToSignIn(["--step-up", "--max-age", "0"])
            #expect(!stepUp.succeeded)
            #expect(stepUp.output.contains("so says the server: invalid_request"), "\(stepUp.output)")
            #expect(stepUp.output.contains("you are still signed in"), "\(stepUp.output)")
            #expect(stepUp.output.contains("try --max-age 1"), "\(stepUp.output)")
            #expect(!stepUp.output.contains("--client-id"), "\(stepUp.output)")
            try await wallet.callSucceeds()
        }
    }

    @Test("A server that is no backend is called one that may not be, and no mistake of this program")
    func noBackend() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            for command in [["balance"], ["payees", "list"], ["payees", "remove", "Dune Bakery"]] {
                let answer = try await wallet.own.program.run(
                    command + ["--backend", wallet.issuer.url.absoluteString, "--json"])
                #expect(answer.ending == .exited(1))
                #expect(try answer.failure["code"] as? String == "malformed_answer")
                #expect(answer.errors.contains("is it the wallet's backend?"), "\(answer.errors)")
            }
        }
    }

    /// A step-up, and what the server leaves of it.
    struct IgnoredStepUp: Sendable, CustomTestStringConvertible {
        let oddity: String
        let scope: String
        let arguments: [String]
        /// Nil if the server confirms it.
        let told: String?
        var testDescription: String { "\(oddity), \(scope): \(arguments.joined(separator: " "))" }

        static let all = [
            Self(
                oddity: "plain", scope: "openid", arguments: [],
                told: "did not confirm two factors: it named no class"),
            Self(
                oddity: "confirmed-class", scope: "openid", arguments: ["--acr", "urn:y"],
                told: "did not confirm the class urn:y: it named the class urn:x"),
            Self(
                oddity: "confirmed-class", scope: "openid", arguments: ["--acr", "urn:y", "--acr", "urn:x"],
                told: nil),
            Self(
                oddity: "plain", scope: "profile", arguments: ["--max-age", "0"],
                told: "did not confirm that you signed in just now"),
        ]
    }

    @Test(
        "A step-up that the server ignores reports what was not confirmed and ends with 1, and the new session goes on",
        arguments: IgnoredStepUp.all)
    func ignoredStepUp(_ stepUp: IgnoredStepUp) async throws {
        let label = "ignoredStepUp-\(stepUp.scope)-\(stepUp.arguments.count)"
        try await OddWallet.with(stepUp.oddity, for: label, scope: stepUp.scope) { wallet in
            try await wallet.signIn()
            let result = try await wallet.tryToSignIn(["--step-up"] + stepUp.arguments)
            #expect(result.ending == .exited(stepUp.told == nil ? 0 : 1), "\(result.output)")
            #expect(result.output.contains(stepUp.told ?? "\"acr\":\"urn:x\""), "\(result.output)")
            #expect(result.output.contains("\"unconfirmed\"") == (stepUp.told != nil), "\(result.output)")
            #expect(result.output.contains("\"step_up_unconfirmed\"") == (stepUp.told != nil), "\(result.output)")
            try await wallet.callSucceeds()
        }
    }

    @Test("If a call asks for another sign-in, the wallet names the command for it")
    func stepUp() async throws {
        try await OddWallet.with("userinfo-step-up") { wallet in
            try await wallet.signIn()
            let call = try await wallet.own.run("call", wallet.issuer.resource.absoluteString)
            #expect(call.ending == .exited(1))
            #expect(
                call.errors.contains("wallet sign-in --step-up --acr urn:x --acr urn:y --max-age 5"), "\(call.errors)")
        }
    }

    @Test("attack: a bearer token goes to no server but the issuer until the person says so, once")
    func foreignCall() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            // The same server by another name, which is another origin.
            let foreign = wallet.issuer.resource.absoluteString.replacing("127.0.0.1", with: "localhost")
            let refused = try await wallet.own.run("call", foreign, "--json")
            #expect(refused.ending == .exited(1))
            #expect(try refused.failure["code"] as? String == "token_not_sent")
            #expect(refused.errors.contains("http://localhost:"), "\(refused.errors)")
            #expect(refused.errors.contains("--send-token"), "\(refused.errors)")
            try await wallet.own.succeeds("call", foreign, "--send-token")
            try await wallet.own.succeeds("call", foreign)
            // Another sign-in at the same server changes nothing about it.
            try await wallet.signIn("--again")
            try await wallet.own.succeeds("call", foreign)
        }
    }

    @Test("attack: a bearer token goes to no backend until the person says so, and a refused backend is not remembered")
    func foreignBackend() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            let own = wallet.own
            let foreign = wallet.issuer.url.absoluteString.replacing("127.0.0.1", with: "localhost")
            for command in [["balance"], ["payees", "list"], ["transfer", "--to", "x", "--amount", "1.00"]] {
                let refused = try await own.program.run(command + ["--backend", foreign, "--json"])
                #expect(refused.ending == .exited(1))
                #expect(try refused.failure["code"] as? String == "token_not_sent", "\(refused.errors)")
                let variable = try await own.program.run(
                    command + ["--json"], environment: ["WALLET_BACKEND": foreign])
                #expect(try variable.failure["code"] as? String == "token_not_sent", "\(variable.errors)")
            }
            #expect(try await own.run("balance", "--json").failure["code"] as? String == "no_backend")
            _ = try await own.run("balance", "--backend", foreign, "--send-token")
            for command in ["balance", "payees"] {
                let code = try await own.run(command, "--json").failure["code"] as? String
                #expect(code != "token_not_sent" && code != "no_backend", "\(code ?? "none")")
            }
        }
    }

    @Test("A redirect URI that was named goes with the next sign-in at the same server")
    func rememberedRedirect() async throws {
        try await OddWallet.with("plain") { wallet in
            let first = try await wallet.own.program.startSignIn(
                ["--scope", wallet.own.scope, "--redirect-uri", "http://127.0.0.1/elsewhere"])
            let callback = try await HeadlessBrowser(ledger: SecretLedger()).signIn(
                at: first.page, typing: [:], until: first.redirectURI)
            #expect(try await wallet.own.finish(first, with: callback).succeeded)
            let next = try await wallet.own.program.startSignIn(["--again"])
            let named = queryItems(of: next.page.absoluteString)["redirect_uri"]
            #expect(named.flatMap(URL.init(string:))?.path == "/elsewhere", "\(named ?? "none")")
            next.process.send(SIGTERM)
            _ = await next.process.wait()
        }
    }
}
