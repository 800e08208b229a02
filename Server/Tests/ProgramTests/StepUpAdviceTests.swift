import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What `wallet` advises at a step-up")
struct StepUpAdviceTests {
    @Test("attack: a class that a resource asks for is no command: only plain characters are repeated")
    func hostileClass() {
        func advice(_ classes: [String]) -> String {
            let error = WalletError(
                .insufficientUserAuthentication,
                .stepUp(AuthenticationRequirements(acrValues: classes, maximumAge: 5)), during: .perform,
                reachedServer: true, reason: "another sign-in")
            return Failure(error, at: Failure.Place()).advice
        }
        #expect(advice(["urn:x", "urn:y"]).contains("--step-up --acr urn:x --acr urn:y --max-age 5"))
        for hostile in ["x$(id)", "x`id`", "x;id", "x|id", "x&id", "'x", "\"x", "x>y", "x\\y", "x!y", "x*", "-x", "~x"]
        {
            let said = advice(["urn:x", hostile])
            #expect(said.contains("--step-up --acr CLASS --max-age 5"), "\(hostile)")
            #expect(said.contains("CLASS is the class it needs") && !said.contains(hostile), "\(said)")
        }
        #expect(!advice(["urn:x"]).contains("CLASS"))
    }

    @Test(
        "The advice after a step-up that an old sign-in answered asks for no page that was shown, or that cannot help")
    func stepUp() {
        func failure(_ reason: String, asksForSignIn: Bool) -> Failure? {
            Failure(
                steppingUp: WalletError(
                    .invalidIDToken, .refused, during: .stepUp, reachedServer: true, reason: "the ID token \(reason)"),
                to: AuthenticationRequirements(maximumAge: 60), at: "https://id.example.org",
                asksForSignIn: asksForSignIn)
        }
        // The usual advice names --prompt login.
        #expect(failure("is too old according to its auth_time", asksForSignIn: false) == nil)
        #expect(failure("has an unexpected nonce", asksForSignIn: true) == nil)
        let old = failure("is too old according to its auth_time", asksForSignIn: true)?.line ?? ""
        #expect(old.contains("sign out on the server's own pages") && !old.contains("--prompt"), "\(old)")
        #expect(old.contains("you are still signed in"), "\(old)")
        for asks in [true, false] {
            let unknown = failure("has no auth_time", asksForSignIn: asks)?.line ?? ""
            #expect(unknown.contains("https://id.example.org does not report when you signed in"), "\(unknown)")
            #expect(unknown.contains("you are still signed in") && !unknown.contains("--prompt"), "\(unknown)")
        }
    }

    @Test(
        "A server that refuses what a step-up requires leaves the session, and the advice is to require something else",
        arguments: [
            (AuthenticationRequirements(maximumAge: 0), "try --max-age 1 --prompt login or no --max-age, or ask"),
            (AuthenticationRequirements(maximumAge: 60), "try another --max-age, or ask"),
            (AuthenticationRequirements(acrValues: ["urn:x"]), "try another --acr:"),
            (
                AuthenticationRequirements(acrValues: ["urn:x"], maximumAge: 60),
                "try another --max-age or another --acr:"
            ),
        ])
    func refusedRequirement(requirements: AuthenticationRequirements, advice: String) throws {
        for code in ["invalid_request", "unmet_authentication_requirements"] as [WalletError.Code] {
            let error = WalletError(
                code, .misconfigured, during: .stepUp, reachedServer: true, reason: "max_age invalid")
            let failure = Failure(
                steppingUp: error, to: requirements, at: "https://id.example.org", asksForSignIn: false)
            let line = try #require(failure).line
            #expect(line.contains("refused the step-up: ") && line.contains("max_age invalid"), "\(line)")
            #expect(line.contains("you are still signed in; \(advice)"), "\(line)")
            #expect(!line.contains("--client-id"), "\(line)")
        }
        let endpoint = WalletError(
            "invalid_request", .misconfigured, during: .stepUp, reachedServer: true,
            answeredBy: URL(string: "https://id.example.org/token"), reason: "no")
        #expect(
            Failure(steppingUp: endpoint, to: requirements, at: "https://id.example.org", asksForSignIn: false) == nil)
    }

    @Test("An account without a second factor at a walletauth server learns how to add one, not to try another class")
    func noSecondFactor() throws {
        func advice(_ classes: [String], isFromWalletAuth: Bool) throws -> String {
            let error = WalletError(
                .unmetAuthenticationRequirements, .refused, during: .stepUp, reachedServer: true,
                isFromWalletAuth: isFromWalletAuth, reason: "no")
            let failure = Failure(
                steppingUp: error, to: AuthenticationRequirements(acrValues: classes), at: "https://id.example.org",
                asksForSignIn: false)
            return try #require(failure).advice
        }
        let twoFactors = "urn:wallet-auth:acr:2fa"
        #expect(try advice([twoFactors], isFromWalletAuth: true).contains("wallet mfa authenticator"))
        #expect(try advice([twoFactors], isFromWalletAuth: false).contains("another --acr"))
        #expect(try advice(["urn:x"], isFromWalletAuth: true).contains("another --acr"))
    }

    @Test("A change to the factors that needs two of them is not advised as the way to get a second one")
    func factorChange() {
        func advice(_ operation: WalletError.Operation) -> String {
            let error = WalletError(
                .insufficientUserAuthentication,
                .stepUp(AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"])), during: operation,
                reachedServer: true, reason: "two factors")
            return Failure(error, at: Failure.Place()).advice
        }
        #expect(!advice(.changeFactors).contains("wallet mfa authenticator"))
        #expect(advice(.changeFactors).contains("--two-factors, then repeat this"))
        #expect(advice(.perform).contains("wallet mfa authenticator"))
    }

    @Test("A step-up whose session ended while the page was open says so, and not that the person is still signed in")
    func endedMeanwhile() throws {
        func failure(_ reason: WalletError.SignOutReason, reachedServer: Bool = true) -> Failure? {
            Failure(
                steppingUp: WalletError(
                    .signedOut, .signedOut(reason), during: .stepUp, reachedServer: reachedServer, reason: "it ended"),
                to: AuthenticationRequirements(maximumAge: 0), at: "https://id.example.org", asksForSignIn: true)
        }
        let signedOut = try #require(failure(.loggedOut)).line
        #expect(signedOut.contains("you signed out at https://id.example.org while the page was open"), "\(signedOut)")
        let replaced = try #require(failure(.replacedByAnotherSignIn)).line
        #expect(replaced.contains("someone else signed in"), "\(replaced)")
        for line in [signedOut, replaced] { #expect(!line.contains("still signed in"), "\(line)") }
        // Without a page there was no session, which the usual text says.
        #expect(failure(.neverSignedIn, reachedServer: false) == nil)
    }
}
