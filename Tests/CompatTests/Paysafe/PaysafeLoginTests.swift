import Foundation
import PaysafeCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "Sign-in on the app's own screens under Paysafe's names", .threat("Apps that moved here from another vendor"),
    .covers("scaRequired at loginWithPassword, loginWithPin"))
@MainActor
struct PaysafeLoginTests {
    private typealias Way = PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerification

    private static let factors: [ScriptedServer.Factor] = [
        .init(method: "otp", channel: "SMS", answer: "111111"), .init(method: "totp", answer: "222222"),
        .init(method: "recovery_code", answer: "ABCD-EFGH"),
    ]

    @Test("The password signs in, and authenticating with the token keeps the session that the wallet renews")
    func password() async throws {
        let world = try PaysafeWorld()
        let token = try await world.logIn().get().accessToken
        let wallet = try #require(world.wallet.walletAuth)
        #expect(wallet.isLoggedIn)
        try await world.result { world.wallet.authenticate(.init(token), completion: $0) }.get()
        #expect(world.server.sessions.map(\.endedBecause) == [nil])
        try await wallet.refresh()
        #expect(wallet.isLoggedIn)
    }

    @Test("Another token replaces the session, and the first one begins it no more")
    func anotherToken() async throws {
        let world = try PaysafeWorld()
        let first = try await world.logIn().get().accessToken
        try await world.authenticate()
        let wallet = try #require(world.wallet.walletAuth)
        #expect(wallet.identity?.tokenType == .bearer)
        _ = await world.result { world.wallet.authenticate(.init(first), completion: $0) }
        #expect(wallet.identity?.tokenType == .dpop, "it is used as it is, and not taken for the present session's")
    }

    @Test("The PIN of the account signs in")
    func pin() async throws {
        let world = try PaysafeWorld()
        world.server.setAccountPIN(of: "alice", "804613")
        func logIn(_ pin: String) async -> Result<PaysafeCompat.Wallet.TokenResponse, PaysafeCompat.WalletError> {
            await world.result {
                world.wallet.standaloneAuthenticationService.loginWithPin(
                    clientIdentifier: "com.example.wallet", brandIdentity: "default",
                    request: .init(username: "alice", pin: pin), completion: $0)
            }
        }
        guard case .failure(.refused(let failure)) = await logIn("111222") else {
            Issue.record("a wrong PIN")
            return
        }
        #expect(failure.code == "invalid_credentials")
        _ = try await logIn("804613").get()
        #expect(world.wallet.walletAuth?.isLoggedIn == true)
    }

    @Test("A wrong password is refused, and another client's identifier is misconfigured before anything is sent")
    func refused() async throws {
        let world = try PaysafeWorld()
        guard case .failure(.misconfigured) = await world.logIn(client: "C4JTpgmp3:XqIOmHdk") else {
            Issue.record("another client")
            return
        }
        #expect(world.server.requests.isEmpty)
        guard case .failure(.refused(let failure)) = await world.logIn("wrong") else {
            Issue.record("a wrong password")
            return
        }
        #expect(failure.code == "invalid_credentials")
    }

    @Test("A second factor is an event: challenged, answered wrongly and rightly, and the sign-in repeated")
    func secondFactor() async throws {
        let world = try PaysafeWorld()
        world.server.setState(of: "alice", .secondFactors(Self.factors))
        let event = try world.event(await world.logIn())
        #expect(event.availableVerifications.map(\.channel) == [.sms, .authenticator])
        let early = try world.event(await world.logIn(repeating: event))
        #expect(early == event, "nothing was verified yet")
        #expect(try await world.attempt("111111", at: event).get().statusReason == .notChallenged)
        let sent = world.server.requests.count
        let challenge = try await world.challenge(event).get()
        #expect(challenge.wasSent)
        #expect(world.server.requests.count == sent, "the sign-in itself has sent the code")
        let wrong = try await world.attempt("000000", at: event).get()
        #expect(wrong.status == .failed)
        #expect(wrong.currentAttempts == 1)
        #expect(world.wallet.walletAuth?.isLoggedIn == false)
        #expect(try await world.attempt("111111", at: event).get().status == .verified)
        let token = try await world.logIn(repeating: event).get()
        #expect(try await world.wallet.walletAuth?.accessToken().reveal() == token.accessToken)
    }

    @Test("attack: a verified sign-in is not answered with the token of another person who has signed in since")
    func otherSession() async throws {
        let world = try PaysafeWorld()
        world.server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
        world.server.setState(of: "alice", .secondFactors(Self.factors))
        let event = try world.event(await world.logIn())
        _ = try await world.challenge(event).get()
        #expect(try await world.attempt("111111", at: event).get().status == .verified)
        let token = try world.server.accessToken(for: "bob").reveal()
        try await world.result { world.wallet.authenticate(.init(token), completion: $0) }.get()
        guard case .failure(.refused(let failure)) = await world.logIn("wrong", repeating: event) else {
            Issue.record("a wrong password")
            return
        }
        #expect(failure.code == "invalid_credentials")
        // The right password begins a sign-in of its own.
        #expect(try world.event(await world.logIn(repeating: event)).eventID != event.eventID)
    }

    @Test("attack: a sign-in's token is not taken for the session of another person who has signed in since")
    func otherPerson() async throws {
        let world = try PaysafeWorld()
        world.server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
        let token = try await world.logIn().get().accessToken
        let wallet = try #require(world.wallet.walletAuth)
        // Not by a call of this module.
        try await wallet.authenticate(accessToken: world.server.accessToken(for: "bob").reveal())
        _ = await world.result { world.wallet.authenticate(.init(token), completion: $0) }
        #expect(wallet.identity?.subject == PaysafeWorld.alice)
    }

    @Test("The same call sends a sign-in's code again, and another verification chooses another factor")
    func choose() async throws {
        let world = try PaysafeWorld()
        world.server.setState(of: "alice", .secondFactors(Self.factors))
        let event = try world.event(await world.logIn())
        #expect(try await world.challenge(event).get().wasSent)
        world.clock.advance(by: .seconds(30))
        let sent = world.server.requests.count
        #expect(try await world.challenge(event).get().wasSent)
        #expect(world.server.requests.count > sent)
        let app = Way(method: .otp, channel: .authenticator)
        _ = try await world.challenge(event, by: app).get()
        #expect(try await world.attempt("222222", at: event, by: app).get().status == .verified)
        let mail = await world.challenge(event, by: Way(method: .otp, channel: .email)).failure
        guard case .refused? = mail else {
            Issue.record("\(String(describing: mail))")
            return
        }
    }

    @Test("The fifth wrong answer to a sign-in's event is dataError, and the sign-in begins again")
    func triesUsedUp() async throws {
        let world = try PaysafeWorld()
        world.server.setState(of: "alice", .secondFactors(Self.factors))
        let event = try world.event(await world.logIn())
        _ = try await world.challenge(event).get()
        #expect(try await world.attempt("no digits", at: event).get().currentAttempts == 0)
        for _ in 1...4 { #expect(try await world.attempt("000000", at: event).get().status == .failed) }
        #expect(await world.attempt("000000", at: event).failure == .dataError)
        let next = try world.event(await world.logIn(repeating: event))
        #expect(next.eventID != event.eventID)
    }

    @Test(
        "What these calls cannot ask for is left to the page",
        arguments: [
            (ScriptedServer.AccountState.passwordChangeRequired, "password_change_required"),
            (.emailUnverified(code: "123456"), "email_unverified"), (.browserOnly, "redirect_to_web"),
            (.secondFactors([.init(method: "secret_question", question: "Whose?", answer: "hers")]), "mfa_required"),
        ])
    func page(state: ScriptedServer.AccountState, code: String) async throws {
        let world = try PaysafeWorld()
        world.server.setState(of: "alice", state)
        guard case .failure(.signInPageRequired(let failure)) = await world.logIn() else {
            Issue.record("another outcome")
            return
        }
        #expect(failure.code.rawValue == code)
        #expect(failure.reason.contains("getAuthenticationDetails"))
        #expect(world.wallet.walletAuth?.isLoggedIn == false)
    }
}
