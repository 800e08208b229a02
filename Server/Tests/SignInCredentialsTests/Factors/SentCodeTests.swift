import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("A code that is sent as a second factor")
struct SentCodeTests {
    @Test("A device that is not linked is asked for a code, which makes the sign-in one of two factors")
    func asked() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let outcome = try await app.signIn()
        let refusal = try #require(outcome.refusal)
        #expect(refusal.status == 400)
        #expect(refusal.statusCode == 412)
        #expect(refusal.error == "insufficient_authorization")
        let asked = try outcome.asked()
        #expect(asked.prompt.method == "otp")
        #expect(asked.prompt.channel == "EMAIL")
        #expect(asked.prompt.destination == "a…@example.com")
        #expect(asked.prompt.alternatives.isEmpty)
        #expect(asked.prompt.isCodeSent)
        let message = try #require(try await server.messages().first)
        #expect(message.kind == "second_factor_code")
        #expect(try message.content.string("to") == "ada@example.com")
        #expect(try message.content.string("channel") == "EMAIL")

        let code = try await app.answer(try await server.sentCode(), to: asked).code()
        let tokens = try await app.redeem(code).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        #expect(claims.amr == ["pwd", "otp"])
        let left = try await server.rows(of: "open_factors")
        #expect(left == 0)
    }

    @Test("A key that completed a second factor is linked, and is not asked again until the password changes")
    func linked() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        _ = try await app.redeem(app.signInWithCode().code()).tokens()
        _ = try await app.signIn().code()
        #expect(try await TestApp(client: app.client).signIn().errorCode == "mfa_required")
        server.clock.advance(by: .seconds(1))
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        #expect(try await app.signIn(password: "another phrase 8").errorCode == "mfa_required")
    }

    @Test("A key whose session was taken away by the removal of its device is asked again (a stolen phone)")
    func removedDevice() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let phone = TestDevice(app: app, tokens: try await app.redeem(app.signInWithCode().code()).tokens())
        let enrolled = try await phone.enrolled(account)
        _ = try await phone.signIn(as: enrolled.id).code()
        server.clock.advance(by: .seconds(1))
        let other = TestApp(client: app.client)
        let tablet = TestDevice(app: other, tokens: try await other.redeem(other.signInWithCode().code()).tokens())
        #expect(try await tablet.remove(enrolled.id) == nil)
        #expect(try await app.signIn().errorCode == "mfa_required")
    }

    @Test(
        "attack: a key whose token was stolen is asked for a second factor again, whatever other sessions it has",
        .threat("A stolen password"))
    func stolenToken() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.redeem(app.signInWithCode().code()).tokens()
        let token = try #require(try await app.redeem(app.signIn().code()).tokens().refreshToken)
        let next = try await app.client.refresh(
            token, attempt: RefreshAttempt("AAECAwQFBgcICQoLDA0ODw"), proof: app.key)
        _ = try await app.client.refresh(
            try #require(next.tokens().refreshToken), attempt: RefreshAttempt("BBECAwQFBgcICQoLDA0ODw"),
            proof: app.key
        ).tokens()
        let reuse = try await app.client.refresh(
            token, attempt: RefreshAttempt("CCECAwQFBgcICQoLDA0ODw"), proof: app.key)
        #expect(reuse.refusal == .invalidGrant)
        _ = try await app.signIn().asked()
        server.clock.advance(by: .seconds(1))
        // A second factor links it again.
        _ = try await app.redeem(app.signInWithCode().code()).tokens()
        _ = try await app.signIn().code()
    }

    @Test("An enrolled device is linked by its proof, also with another key for its tokens")
    func enrolledDevice() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let phone = TestDevice(app: app, tokens: try await app.redeem(app.signInWithCode().code()).tokens())
        let enrolled = try await phone.enrolled(account)
        let renewed = TestDevice(
            app: TestApp(client: app.client), tokens: phone.tokens, deviceKey: phone.deviceKey)
        _ = try await renewed.signIn(as: enrolled.id).code()
    }

    @Test("An account without a second factor signs in by its password, to what one factor opens")
    func withoutFactors() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let claims = try await server.claims(of: app.redeem(app.signIn().code()).tokens())
        #expect(claims.acr == AuthenticationStrength.singleFactor)
    }

    @Test("A brand that allows new devices asks for nothing, unless the request wants two factors (step-up)")
    func allowed() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        _ = try await app.signIn().code()
        let login = PasswordLogin(username: try Username("ada"), password: try Password("correct horse battery"))
        let outcome = try await app.step(.begin(.password(login)), acrValues: [AuthenticationStrength.twoFactors])
        let asked = try outcome.asked()
        _ = try await app.answer(try await server.sentCode(), to: asked).code()
    }

    @Test("The second factor comes before a new password: a stolen password sets no other")
    func beforePassword() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        try await server.administer(["account", "expire-password", "ada"])
        let asked = try await app.signIn().asked()
        let early = try await app.proceed(asked.session, .newPassword(Password("a fresh phrase 7")))
        #expect(early.errorCode == nil)
        #expect(throws: OAuthRefusal.self) { try early.code() }
        let refusal = try #require(try await app.answer(try await server.sentCode(), to: asked).refusal)
        #expect(refusal.errorCode == "password_change_required")
        let code = try await app.proceed(
            try #require(refusal.session), .newPassword(Password("a fresh phrase 7"))
        ).code()
        let claims = try await server.claims(of: app.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test(
        "A wrong code is answered 401 and leaves the sign-in open, five times; then it is over, the right code included"
    )
    func fiveTries() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let asked = try await app.signIn().asked()
        let wrong = try await server.wrongCode()
        for number in 1...5 {
            let refusal = try #require(try await app.answer(wrong, to: asked).refusal)
            #expect(refusal.status == 401)
            #expect(refusal.errorCode == "invalid_credentials")
            #expect((refusal.session != nil) == (number < 5))
        }
        #expect(try await app.answer(try await server.sentCode(), to: asked).isOver)
        let left = try await server.rows(of: "open_factors")
        #expect(left == 0)
    }

    @Test("Of a thousand parallel answers no more than five are compared, and a new sign-in brings no new tries")
    func parallelAnswers() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let asked = try await app.signIn().asked()
        let wrong = try await server.wrongCode()
        let compared = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    if case .refused(.wrongSecondFactor) = try await app.answer(wrong, to: asked) {
                        true
                    } else {
                        false
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        // An answer that was compared while the last try ended the sign-in learns that it is over.
        #expect((1...5).contains(compared))
        server.clock.advance(by: .seconds(31))
        let again = try await app.signIn().asked()
        let outcome = try await app.answer(try await server.sentCode(), to: again)
        guard case .refused(.tooManyWrongCodes(let seconds)) = outcome else {
            Issue.record("a new sign-in brought new tries: \(String(describing: outcome))")
            return
        }
        server.clock.advance(by: .seconds(seconds))
        _ = try await app.answer(try await server.sentCode(), to: again).code()
    }

    @Test("A code opens one sign-in once (replay), and no other sign-in (a code begged from the holder)")
    func boundToItsSignIn() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let asked = try await app.signIn().asked()
        let code = try await server.sentCode()
        let thief = TestApp(client: app.client)
        let other = try await thief.signIn().asked()
        #expect(try await thief.answer(code, to: other).errorCode == "invalid_credentials")
        // Another sign-in's token with one's own session.
        let swapped = AskedFactor(session: other.session, prompt: asked.prompt)
        #expect(try await thief.answer(code, to: swapped).isOver)
        // And another key's session.
        #expect(try await thief.answer(code, to: asked).isOver)
        _ = try await app.answer(code, to: asked).code()
        #expect(try await app.answer(code, to: asked).isOver)
    }

    @Test("A code is of no use after five minutes, and the sign-in after ten")
    func expires() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let asked = try await app.signIn().asked()
        let code = try await server.sentCode()
        server.clock.advance(by: .minutes(5))
        #expect(try await app.answer(code, to: asked).errorCode == "invalid_credentials")
        let again = try await app.proceed(asked.session, .resendFactor).asked()
        _ = try await app.answer(try await server.sentCode(), to: again).code()
        let late = TestApp(client: app.client)
        let open = try await late.signIn().asked()
        server.clock.advance(by: .minutes(10))
        #expect(try await late.answer(try await server.sentCode(), to: open).isOver)
    }

    @Test("A code is sent again after half a minute, three times in all; the new one voids the old and the tries go on")
    func resend() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let asked = try await app.signIn().asked()
        #expect(asked.prompt.resendAfter == 30)
        #expect(asked.prompt.sent == true)
        let first = try await server.sentCode()
        let early = try await app.proceed(asked.session, .resendFactor).asked().prompt
        #expect(early.resendAfter == 30)
        #expect(early.sent == false)
        #expect(early.isCodeSent, "the first one still counts")
        #expect(try await server.codesSent() == 1)
        for _ in 1...4 { _ = try await app.answer(try await server.wrongCode(), to: asked) }
        var before = 1
        for _ in 1...3 {
            server.clock.advance(by: .seconds(30))
            let again = try await app.proceed(asked.session, .resendFactor).asked().prompt
            let count = try await server.codesSent()
            #expect(again.sent == (count == before + 1))
            before = count
        }
        #expect(try await server.codesSent() == 3)
        // The fifth try, with the code that was void.
        let found = try await app.answer(first, to: asked)
        guard case .refused(.wrongSecondFactor(nil)) = found else {
            Issue.record("the tries were reset, or the old code still works: \(String(describing: found))")
            return
        }
    }

    @Test("Another channel may be chosen, a factor that the account does not have may not")
    func choose() async throws {
        let (server, app) = try await TestApp.ofReachablePerson(phone: "+35921234567")
        let asked = try await app.signIn().asked()
        #expect(asked.prompt.alternatives == [.init(method: "otp", channel: "SMS", destination: "…67")])
        let byMail = try await server.sentCode()
        server.clock.advance(by: .seconds(1))
        let bySMS = try await app.proceed(asked.session, .chooseFactor(.sms)).asked()
        #expect(bySMS.prompt.channel == "SMS")
        let message = try #require(try await server.messages().first)
        #expect(try message.content.string("to") == "+35921234567")
        #expect(try message.content.string("channel") == "SMS")
        #expect(try await app.answer(byMail, to: bySMS).errorCode == "invalid_credentials")
        let refused = try await app.proceed(asked.session, .chooseFactor(.totp))
        #expect(throws: OAuthRefusal.self) { try refused.code() }
        let code = try await app.answer(try await server.sentCode(), to: bySMS).code()
        let claims = try await server.claims(of: app.redeem(code).tokens())
        #expect(claims.amr == ["pwd", "sms"])
    }

    @Test("An unconfirmed address is no second factor; confirming it by its code is one")
    func unconfirmedAddress() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        let refusal = try #require(try await app.signIn().refusal)
        #expect(refusal.errorCode == "email_unverified")
        let session = try #require(refusal.session)
        let code = try await app.proceed(session, .emailCode(try await server.emailedCode())).code()
        let claims = try await server.claims(of: app.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test(
        "A wrong password is answered alike, after equal work, whether or not the account has a second factor (enumeration)"
    )
    func enumeration() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        _ = try await server.account("without")
        var answers: [(String?, Int?, Bool)] = []
        for name in ["ada", "without", "nobody"] {
            let before = server.context.passwords.hashesComputed
            let refusal = try await TestApp(client: app.client).signIn(name, password: "a wrong one").refusal
            #expect(server.context.passwords.hashesComputed - before == 1, "\(name)")
            answers.append((refusal?.errorCode, refusal?.status, refusal?.session == nil))
        }
        #expect(answers.allSatisfy { $0 == ("invalid_credentials", 401, true) })
        #expect(try await server.codesSent() == 0)
    }

    @Test("The database holds no code, and the server no code in its memory: only a MAC that fits one sign-in")
    func stored() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        _ = try await app.signIn().asked()
        let row = try await server.context.database.read {
            try $0.row("SELECT code_mac, sends, tries FROM open_factors", [])
        }
        let mac = try #require(try row?.blob("code_mac"))
        #expect(mac.count == 32)
        // A million digests without a key are made in a second.
        let code = try await server.sentCode()
        #expect(mac != Array(SHA256.hash(data: Array(code.utf8))))
        #expect(try row?.integer("sends") == 1)
        #expect(try row?.integer("tries") == 0)
    }
}
