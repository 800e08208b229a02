import Foundation
import Testing

/// What becomes of a sign-out at a standard server that is odd.
@Suite("A sign-out at a server with odd answers", .onceForAllEngines, .runningPeers)
struct OddSignOutTests {
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
        "Only a revocation that the server answers with 200 is reported as one, and no redirect is followed",
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
        "A revocation refused without a reason is sent again after a minute, not by each command, and the sign-out says so"
    )
    func refusedRevocation() async throws {
        var attempt = 0
        // Each time at an issuer of its own, until the commands run within the minute.
        let asked = try await inTime(.seconds(60), "a sign-out and three commands") {
            attempt += 1
            return try await OddWallet.revocationsByFurtherCommands("refusedRevocation-\(attempt)")
        }
        #expect(asked == 1)
        try await OddWallet.with("revocation-401") { wallet in
            try await wallet.signIn()
            let out = try await wallet.own.succeeds("sign-out")
            #expect(
                out.output.contains("Commands you run in a minute or later ask again; otherwise it will expire"),
                "\(out.output)")
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

    @Test("If every sign-in has its own grant and the same sid, the sign-out also ends those that step-ups replaced")
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

    @Test(
        "A sign-out at a server where no one is signed in is refused, and names the one where someone is; that session goes on"
    )
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
}

extension OddWallet {
    /// Signs in and out at a server that refuses the revocation, and runs further commands.
    /// - Returns: how often the revocation was asked for.
    fileprivate static func revocationsByFurtherCommands(_ label: String) async throws -> Int {
        var asked = 0
        try await OddWallet.with("revocation-401", for: label) { wallet in
            try await wallet.signIn()
            try await wallet.own.succeeds("sign-out")
            for command in ["status", "token", "sign-out"] { _ = try await wallet.own.run(command) }
            asked = try await wallet.issuer.told.revocations
        }
        return asked
    }
}
