import Foundation
import Testing

/// A standard server that answers a refresh oddly. The scripted server has each oddity by name
/// (`Peers/interoperability/standard_server.py`).
@Suite("Odd answers to a refresh", .onceForAllEngines, .runningPeers)
struct OddRefreshTests {
    /// Refusals of the refresh token for good, by servers that do not call it `invalid_grant`.
    private static let refusals = [
        "refresh-invalid-request", "refresh-invalid-token", "refresh-access-denied",
    ]
    /// Refusals of the client, by which an operator's mistake would sign everybody out.
    private static let mistakes = ["refresh-unauthorized-client", "refresh-invalid-client"]
    /// Answers that say nothing about the session.
    private static let troubles = [
        "refresh-html", "refresh-400-without-body", "refresh-403-access-denied", "refresh-500-invalid-grant",
        "refresh-429", "refresh-429-seconds", "refresh-429-date", "refresh-503",
    ]

    @Test(
        "A refusal for good, whatever the server calls it, leads to the page with the next sign-in", arguments: refusals
    )
    func refused(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            try await wallet.signIn()
            try await wallet.callSucceeds()
        }
    }

    @Test(
        "A refusal of the client keeps the session: sign-in shows no page, has the server's words and names --again",
        arguments: mistakes)
    func mistake(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            let signIn = try await wallet.own.run("sign-in", "--no-open")
            #expect(signIn.ending == .exited(1))
            let words = oddity.dropFirst("refresh-".count)
            #expect(signIn.errors.contains("so says the server: \(words)"), "\(signIn.errors)")
            #expect(signIn.errors.contains("wallet sign-in --again"), "\(signIn.errors)")
            #expect(!signIn.errors.contains("Open this page"), "\(signIn.errors)")
            let status = try await wallet.own.succeeds("status", "--json").json
            #expect(status["signedIn"] as? Bool == true)
            try await wallet.issuer.mend()
            try await wallet.callSucceeds()
            let told = try await wallet.issuer.told
            #expect(told.spent == 0 && told.alive == 1)
        }
    }

    @Test(
        "Signing in with --again shows the page and renews nothing, whatever a refresh would return",
        arguments: refusals + mistakes + troubles + ["refresh-error-with-200"])
    func again(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            try await wallet.signIn("--again")
            #expect(try await wallet.issuer.told.refreshes == 0)
            try await wallet.callSucceeds()
        }
    }

    @Test(
        "Trouble keeps the session, sign-in says that the token has expired, and the same tokens work once it is over",
        arguments: troubles)
    func trouble(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1))
            let status = try await wallet.own.succeeds("status", "--json").json
            #expect(status["signedIn"] as? Bool == true)
            let signIn = try await wallet.own.run("sign-in", "--no-open")
            #expect(signIn.ending == .exited(1), "no token is valid: \(signIn.errors)")
            #expect(signIn.errors.contains("wallet sign-in --again"), "\(signIn.errors)")
            #expect(!signIn.errors.contains("You are already signed in."), "\(signIn.errors)")
            try await wallet.issuer.mend()
            try await wallet.callSucceeds()
            let told = try await wallet.issuer.told
            #expect(told.spent == 0 && told.alive == 1)
        }
    }

    @Test(
        "A wait that the server asks for is observed, in seconds and as a date", arguments: ["429-seconds", "429-date"])
    func retryAfter(_ oddity: String) async throws {
        try await OddWallet.with("refresh-\(oddity)") { wallet in
            try await wallet.signIn(expired: true)
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1))
            #expect(try await wallet.issuer.told.refreshes == 1)
        }
    }

    @Test("After a response without a reason, the wallet names the way out, each time")
    func unexplained() async throws {
        try await OddWallet.with("refresh-400-without-body") { wallet in
            try await wallet.signIn(expired: true)
            var told: [String] = []
            for _ in 0..<3 { told.append(try await wallet.own.run("refresh").errors) }
            #expect(told.allSatisfy { $0.contains("wallet sign-in --again") }, "\(told)")
            #expect(told.map { $0.contains("3 unusable responses in a row") } == [false, false, true], "\(told)")
            #expect(told.allSatisfy { $0.components(separatedBy: "sign in").count == 1 }, "one way on: \(told)")
        }
    }

    @Test("The wallet waits for a response that takes 22 seconds: the refresh token goes out once")
    func slow() async throws {
        try await OddWallet.with("refresh-slow") { wallet in
            try await wallet.signIn(expired: true)
            try await wallet.own.succeeds("refresh")
            let told = try await wallet.issuer.told
            #expect(told.refreshes == 1 && told.spent == 0)
        }
    }

    @Test(
        "A new refresh token is kept before the rest of its response is judged",
        arguments: ["renewed-without-token-type", "renewed-with-expired-id-token"])
    func kept(_ oddity: String) async throws {
        try await OddWallet.with(oddity) { wallet in
            try await wallet.signIn(expired: true)
            // Whether this answer is taken does not matter here.
            _ = try await wallet.own.run("refresh")
            try await wallet.issuer.mend()
            try await wallet.own.succeeds("refresh")
            try await wallet.callSucceeds()
            let told = try await wallet.issuer.told
            #expect(told.spent == 0 && told.alive == 1)
        }
    }

    @Test("attack: tokens of another person in a refresh are dropped and never used; a new sign-in works")
    func anotherPerson() async throws {
        try await OddWallet.with("renewed-for-another-person") { wallet in
            try await wallet.signIn(expired: true)
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1))
            let call = try await wallet.own.run("call", wallet.issuer.resource.absoluteString)
            #expect(call.ending == .exited(1))
            let status = try await wallet.own.run("status", "--json")
            #expect(try status.json["subject"] as? String != "eve")
            try await wallet.signIn("--again")
            try await wallet.callSucceeds()
            #expect(try await wallet.issuer.told.foreign == 0)
        }
    }
}
