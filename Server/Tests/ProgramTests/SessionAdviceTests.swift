import Programs
import Testing
import WalletAuth

@testable import wallet

@Suite("What `wallet` advises about sessions and profiles")
struct SessionAdviceTests {
    @Test("A session that is kept and not renewed comes with --again as the way out, unless waiting mends it")
    func notRenewed() throws {
        let refused = WalletError(.renewalRefused, .refused, during: .refresh, reachedServer: true, reason: "no")
        func failure(_ error: WalletError?, hasExpired: Bool) -> Failure? {
            Failure(notRenewing: error, at: "https://id.example.org", hasExpired: hasExpired)
        }
        for hasExpired in [false, true] {
            let line = try #require(failure(refused, hasExpired: hasExpired)).line
            #expect(line.contains("wallet sign-in --again"), "\(line)")
            #expect(failure(nil, hasExpired: hasExpired) == nil)
        }
        let busy = WalletError(
            .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .refresh, reason: "busy")
        #expect(failure(busy, hasExpired: false) == nil)
    }

    @Test("An argument that the SDK or the server refuses is to be corrected: another sign-in would not help")
    func argument() {
        let place = Failure.Place(server: "https://id.example.org", client: "com.example.wallet")
        for error in [
            WalletError(.badRequest, .refused, during: .setPushAddress, reason: "token is not one"),
            WalletError(
                .badRequest, .refused, during: .changeContact, reachedServer: true, reason: "phone is not a number"),
            WalletError(
                .unacceptableAnswers, .refused, during: .changeFactors, reachedServer: true, reason: "Answer 3 to 5"),
        ] {
            let failure = Failure(error, at: place)
            #expect(failure.line.contains("correct what you typed"), "\(failure.line)")
            #expect(!failure.line.contains("sign in"), "\(failure.line)")
            #expect(failure.document.error.hint == failure.advice)
        }
    }

    @Test("A session whose token has expired is not called one that goes on, whatever kept it from being renewed")
    func expired() throws {
        func line(_ outcome: WalletError.Outcome, reachedServer: Bool) throws -> String {
            let error = WalletError(
                "a_code", outcome, during: .refresh, reachedServer: reachedServer, reason: "the cause")
            return try #require(Failure(notRenewing: error, at: "https://id.example.org", hasExpired: true)).line
        }
        let answered = try line(.temporarilyUnavailable(retryAfter: nil), reachedServer: true)
        #expect(answered.contains("your token has expired and could not be renewed"), "\(answered)")
        #expect(answered.contains("the cause") && answered.contains("wallet sign-in --again"), "\(answered)")
        for outcome in [.offline, .temporarilyUnavailable(retryAfter: nil)] as [WalletError.Outcome] {
            let unreached = try line(outcome, reachedServer: false)
            #expect(unreached.contains("your token has expired and could not be renewed"), "\(unreached)")
            #expect(unreached.contains("when the server can be reached") && !unreached.contains("--again"))
        }
    }

    @Test("Sessions that a sign-out could not end are counted in a sentence of their own")
    func unrevoked() throws {
        #expect(SignOut.line(ofUnrevoked: 0) == nil)
        let one = try #require(SignOut.line(ofUnrevoked: 1))
        #expect(one.hasPrefix("1 older session stays active at the server until it expires"), "\(one)")
        let more = try #require(SignOut.line(ofUnrevoked: 4))
        #expect(more.hasPrefix("4 older sessions stay active at the server until they expire"), "\(more)")
        #expect(more.contains("the newest 16"), "\(more)")
    }

    @Test("The commands of an advice name the profile that the command was for, and no profile where it named none")
    func profile() {
        let error = WalletError(.signedOut, .signedOut(.neverSignedIn), during: .setUp, reason: "no")
        #expect(
            Failure(error, at: Failure.Place(profile: "aurora")).advice
                == "sign in with: wallet sign-in --profile aurora")
        #expect(Failure(error, at: Failure.Place()).advice == "sign in with: wallet sign-in")
        for (advice, expected) in [
            (
                "sign in with wallet sign-in --username NAME, then: wallet pin set",
                "sign in with wallet sign-in --profile a --username NAME, then: wallet pin set --profile a"
            ),
            (
                "first: wallet device-token generate --username NAME",
                "first: wallet device-token generate --profile a --username NAME"
            ),
            ("wallet sign-in --profile a", "wallet sign-in --profile a"),
            ("ask the wallet's issuer", "ask the wallet's issuer"),
            ("wait for the other wallet command to finish", "wait for the other wallet command to finish"),
        ] {
            #expect(Failure.naming("a", in: advice) == expected)
        }
    }

    @Test("A hint after a success names the profile and the user too; what a person signs is shown to the letter")
    func hints() {
        let terminal = Terminal(format: .text, profile: "new", username: "ada")
        for (line, expected) in [
            ("Sign in with: wallet sign-in --pin", "Sign in with: wallet sign-in --profile new --pin"),
            ("Set your PIN again: wallet pin set", "Set your PIN again: wallet pin set --profile new"),
            (
                "Start it: wallet device-token generate --username NAME",
                "Start it: wallet device-token generate --profile new --username ada"
            ),
            ("run `wallet account keep` before then", "run `wallet account keep --profile new` before then"),
            ("See: wallet call", "See: wallet call --profile new"),
            ("  Pay for wallet status", "  Pay for wallet status"),
        ] {
            #expect(terminal.named(line) == expected)
            #expect(Terminal(format: .text).named(line) == line)
        }
        #expect(terminal.named("wallet sign-in --profile new --pin") == "wallet sign-in --profile new --pin")
    }

    @Test("A sign-in that replaced another account's session names that account, and its server if it was another one")
    func replaced() throws {
        let ada = SignedInAccount(issuer: "https://a.example.com", subject: "1", name: "ada")
        #expect(SignedInAccount(issuer: ada.issuer, subject: "1", name: "1").line(replacing: ada) == nil)
        let eve = SignedInAccount(issuer: ada.issuer, subject: "2", name: "eve")
        let line = try #require(eve.line(replacing: ada))
        #expect(line.hasPrefix("ada was signed in here before and is now signed out."), "\(line)")
        let elsewhere = SignedInAccount(issuer: "https://b.example.com", subject: "1", name: "ada")
        #expect(elsewhere.line(replacing: ada)?.hasPrefix("ada at https://a.example.com was signed in") == true)
    }

    @Test("An address or a number that was typed is not the account's user name; what the server said is")
    func knownName() {
        func known(_ typed: String?, _ name: String? = nil) -> String? {
            var profile = Profile(issuer: "https://a.example.com", clientID: "c")
            (profile.username, profile.accountName) = (typed, name)
            return profile.knownName
        }
        #expect(known("grace") == "grace")
        #expect(known("grace@example.com") == nil && known("+35921234567") == nil && known(nil) == nil)
        #expect(known("grace@example.com", "grace") == "grace" && known(nil, "grace") == "grace")
    }

    @Test("A page's address shows the user name, unless that is an address or a number", arguments: ["typed", "said"])
    func loginHint(by source: String) {
        for (name, hint) in [("grace", "grace"), ("grace@example.com", nil), ("+359 2 123", nil)] as [(String, String?)]
        {
            var profile = Profile(issuer: "https://a.example.com", clientID: "c")
            if source == "typed" { profile.username = name } else { profile.accountName = name }
            #expect(profile.loginHint == hint, "\(name)")
        }
    }
}
