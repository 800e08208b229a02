import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What becomes of the session of a signed-in wallet at a standard server that is odd: signing out, signing in again, stepping up,
/// and sending the token elsewhere.
@Suite("A session at a server with odd answers", .onceForAllEngines, .runningPeers)
struct OddSessionTests {
    /// How a server answers the revocation, and what the wallet says of it.
    struct Revocation: Sendable, CustomTestStringConvertible {
        let oddity: String
        /// The member `revocation` of `wallet sign-out --json`.
        let answer: String
        var testDescription: String { oddity }

        static let all =
            [
                ("plain", "revoked"), ("no-revocation", "notOffered"), ("revocation-503", "queued"),
                ("revocation-html", "queued"),
            ].map(Self.init)
            + [302, 400, 401, 403, 404, 405].map { Self(oddity: "revocation-\($0)", answer: "refused") }

        private init(oddity: String, answer: String) {
            self.oddity = oddity
            self.answer = answer
        }
    }

    @Test(
        "Only a revocation that the server answers by 200 is called one, and no redirect is followed",
        arguments: Revocation.all)
    func signOut(_ revocation: Revocation) async throws {
        try await OddWallet.with(revocation.oddity) { wallet in
            try await wallet.signIn()
            let out = try await wallet.own.succeeds("sign-out", "--json").json
            #expect(out["revocation"] as? String == revocation.answer)
            #expect(out["revoked"] as? Bool == (revocation.answer == "revoked"))
            let told = try await wallet.issuer.told
            #expect(told.redirected == 0)
            #expect((told.alive == 0) == (revocation.answer == "revoked"))
            #expect(try await wallet.own.run("status").ending == .exited(1))
        }
    }

    @Test("Without a signed-in person, sign-out reports nothing as revoked")
    func signOutTwice() async throws {
        try await OddWallet.with("revocation-401") { wallet in
            let never = try await wallet.own.succeeds("sign-out", "--json").json
            #expect(never["revoked"] as? Bool == false && never["revocation"] == nil)
            let status = try await wallet.own.run("status")
            #expect(status.errors.contains("no one is signed in at"), "\(status.errors)")
            try await wallet.signIn()
            #expect(try await wallet.own.succeeds("sign-out", "--json").json["revocation"] as? String == "refused")
            let again = try await wallet.own.succeeds("sign-out", "--json").json
            #expect(again["revoked"] as? Bool == false && again["revocation"] as? String != "revoked")
        }
    }

    @Test(
        "A revocation refused without a reason is asked for again after a minute, not by each command, and the sign-out says so"
    )
    func refusedRevocation() async throws {
        try await OddWallet.with("revocation-401") { wallet in
            try await wallet.signIn()
            let out = try await wallet.own.succeeds("sign-out")
            #expect(
                out.output.contains("Commands you run in a minute or later ask again; otherwise it will expire"),
                "\(out.output)")
            for command in ["status", "token", "sign-out"] { _ = try await wallet.own.run(command) }
            #expect(try await wallet.issuer.told.revocations == 1)
            try await wallet.issuer.mend()
            try await wallet.issuer.setClock(ahead: 61)
            // It learns the server's time by signing in. While that session goes on, the former one waits.
            try await wallet.signIn()
            #expect(try await wallet.own.succeeds("sign-out", "--json").json["revoked"] as? Bool == true)
            #expect(try await wallet.issuer.told.alive == 0)
        }
        try await OddWallet.with("revocation-400") { wallet in
            try await wallet.signIn()
            let out = try await wallet.own.succeeds("sign-out")
            #expect(out.output.contains(". It will expire there by itself"), "\(out.output)")
            try await wallet.issuer.mend()
            _ = try await wallet.own.run("status")
            #expect(try await wallet.issuer.told.alive == 1)
        }
    }

    @Test("Where every sign-in has its own grant and the same sid, the sign-out ends those that step-ups replaced too")
    func oneSessionID() async throws {
        try await OddWallet.with("one-sid") { wallet in
            try await wallet.signIn()
            for _ in 0..<2 { _ = try await wallet.tryToSignIn(["--step-up"]) }
            #expect(try await wallet.issuer.told.alive == 3)
            #expect(try await wallet.own.succeeds("sign-out", "--json").json["revoked"] as? Bool == true)
            #expect(try await wallet.issuer.told.alive == 0)
        }
    }

    @Test("Three sign-outs at once send each token once, and none says that the server could not be reached")
    func signOutAtOnce() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            for _ in 0..<3 { _ = try await wallet.tryToSignIn(["--step-up"]) }
            let outputs = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<3 { group.addTask { try await wallet.own.succeeds("sign-out").output } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outputs.count { $0.contains("Signed out.") } == 1, "\(outputs)")
            #expect(outputs.count { $0.contains("No one was signed in.") } == 2, "\(outputs)")
            let told = try await wallet.issuer.told
            #expect(told.alive == 0)
            // The one that signed out sends its own token even if another one has.
            #expect((4...5).contains(told.revocations))
        }
    }

    @Test("A step-up whose page comes back after a sign-out signs no one in, and says why")
    func signOutDuringStepUp() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            let begun = try await wallet.own.begin(["--step-up"])
            #expect(try await wallet.own.succeeds("sign-out", "--json").json["revoked"] as? Bool == true)
            let callback = try await HeadlessBrowser(ledger: SecretLedger()).signIn(
                at: begun.page, typing: [:], until: begun.redirectURI)
            let stepUp = try await wallet.own.finish(begun, with: callback)
            #expect(stepUp.ending == .exited(1), "\(stepUp.output)")
            #expect(stepUp.output.contains("you signed out at"), "\(stepUp.output)")
            #expect(stepUp.output.contains("while the page was open"), "\(stepUp.output)")
            #expect(try await wallet.own.run("status").ending == .exited(1))
            #expect(try await wallet.issuer.told.alive == 0)
        }
    }

    @Test("Where no one is signed in, a command that takes a walletauth server names the sign-in on the server's pages")
    func accountCommandWithoutSession() async throws {
        try await OddWallet.with("plain") { wallet in
            let answer = try await wallet.own.run("pin", "remove")
            #expect(answer.ending == .exited(1))
            #expect(answer.errors.contains("wallet sign-in --browser"), "\(answer.errors)")
            #expect(!answer.errors.contains("you stay signed in"), "\(answer.errors)")
        }
    }

    @Test("A sign-out at another server than is signed in is refused, and names the one that is; that session goes on")
    func signOutElsewhere() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            let elsewhere = "http://127.0.0.1:9"
            let own = wallet.issuer.url.absoluteString
            let out = try await wallet.own.run("sign-out", "--issuer", elsewhere)
            #expect(out.ending == .exited(1))
            #expect(out.errors.contains("wallet sign-out --issuer \(own) --client-id wallet"), "\(out.errors)")
            let status = try await wallet.own.run("status", "--issuer", elsewhere)
            #expect(status.ending == .exited(1))
            #expect(status.errors.contains("no one is signed in at \(elsewhere)"), "\(status.errors)")
            #expect(status.errors.contains("last used at \(own): omit --issuer"), "\(status.errors)")
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.revoked == 0)
            #expect(try await wallet.own.succeeds("sign-out", "--json").json["revoked"] as? Bool == true)
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
        "A command that takes a walletauth server says so at any other, and the session goes on",
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
        "Where the new sign-in cannot begin, --again leaves the session as it was",
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

    @Test("Where another program has the port of the redirect URI, --again leaves the session as it was")
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

    @Test("A step-up that the server answers by an old sign-in is refused, names --prompt login and keeps the session")
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
        "A step-up by age at a server that does not say when a person signed in is refused by that reason; the session goes on",
        arguments: ["plain", "zero-auth-time"])
    func unknownSignInTime(_ oddity: String) async throws {
        try await OddWallet.with(oddity, for: "unknownSignInTime") { wallet in
            try await wallet.signIn()
            for prompt in [[], ["--prompt", "login"]] as [[String]] {
                let stepUp = try await wallet.tryToSignIn(["--step-up", "--max-age", "60"] + prompt)
                #expect(!stepUp.succeeded)
                #expect(stepUp.output.contains("does not say when you signed in"), "\(stepUp.output)")
                #expect(!stepUp.output.contains("with: --prompt login"), "\(stepUp.output)")
            }
            try await wallet.callSucceeds()
        }
    }

    @Test("A server that refuses what the step-up requires has its words passed on, and the session goes on")
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
                #expect(try answer.json["code"] as? String == "malformed_answer")
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
        "A step-up that the server ignores says what it did not confirm and ends with 1, and the new session goes on",
        arguments: IgnoredStepUp.all)
    func ignoredStepUp(_ stepUp: IgnoredStepUp) async throws {
        let label = "ignoredStepUp-\(stepUp.scope)-\(stepUp.arguments.count)"
        try await OddWallet.with(stepUp.oddity, for: label, scope: stepUp.scope) { wallet in
            try await wallet.signIn()
            let result = try await wallet.tryToSignIn(["--step-up"] + stepUp.arguments)
            #expect(result.ending == .exited(stepUp.told == nil ? 0 : 1), "\(result.output)")
            #expect(result.output.contains(stepUp.told ?? "\"acr\" : \"urn:x\""), "\(result.output)")
            #expect(result.output.contains("\"unconfirmed\"") == (stepUp.told != nil), "\(result.output)")
            #expect(result.output.contains("\"step_up_unconfirmed\"") == (stepUp.told != nil), "\(result.output)")
            try await wallet.callSucceeds()
        }
    }

    @Test("A call that asks for another sign-in has the wallet name the command for it")
    func stepUp() async throws {
        try await OddWallet.with("userinfo-step-up") { wallet in
            try await wallet.signIn()
            let call = try await wallet.own.run("call", wallet.issuer.resource.absoluteString)
            #expect(call.ending == .exited(1))
            #expect(
                call.errors.contains("wallet sign-in --step-up --acr urn:x --acr urn:y --max-age 5"), "\(call.errors)")
        }
    }

    @Test("attack: a bearer token goes to no other server than the issuer until the person says so, once")
    func foreignCall() async throws {
        try await OddWallet.with("plain") { wallet in
            try await wallet.signIn()
            // The same server by another name, which is another origin.
            let foreign = wallet.issuer.resource.absoluteString.replacing("127.0.0.1", with: "localhost")
            let refused = try await wallet.own.run("call", foreign, "--json")
            #expect(refused.ending == .exited(1))
            #expect(try refused.json["code"] as? String == "token_not_sent")
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
                #expect(try refused.json["code"] as? String == "token_not_sent", "\(refused.errors)")
                let variable = try await own.program.run(
                    command + ["--json"], environment: ["WALLET_BACKEND": foreign])
                #expect(try variable.json["code"] as? String == "token_not_sent", "\(variable.errors)")
            }
            #expect(try await own.run("balance", "--json").json["code"] as? String == "no_backend")
            _ = try await own.run("balance", "--backend", foreign, "--send-token")
            for command in ["balance", "payees"] {
                let code = try await own.run(command, "--json").json["code"] as? String
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
