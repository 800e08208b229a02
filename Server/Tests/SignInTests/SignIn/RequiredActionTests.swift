import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Required actions", .threat("Guessing e-mail confirmation codes"))
struct RequiredActionTests {
    private func expired(_ username: String = "ada") async throws -> (TestServer, TestApp, AuthSession) {
        let server = try await TestServer.start()
        _ = try await server.account(username)
        try await server.administer(["account", "expire-password", username])
        let app = TestApp(client: try await server.publicClient())
        let refusal = try #require(try await app.signIn(username).refusal)
        #expect(refusal.errorCode == "password_change_required")
        #expect(refusal.statusCode == 508)
        return (server, app, try #require(refusal.session))
    }

    private func unverified() async throws -> (TestServer, TestApp, AuthSession) {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        let refusal = try #require(try await app.signIn().refusal)
        #expect(refusal.errorCode == "email_unverified")
        #expect(refusal.statusCode == 418)
        return (server, app, try #require(refusal.session))
    }

    @Test("An expired password is reported only after it was typed correctly")
    func toldAfterwards() async throws {
        let (_, app, _) = try await expired()
        #expect(try await app.signIn(password: "a wrong one").errorCode == "invalid_credentials")
    }

    @Test("A new password ends the old one and goes on to a code; the holder is notified")
    func newPassword() async throws {
        let (server, app, session) = try await expired()
        let code = try await app.proceed(session, .newPassword(Password("a fresh phrase 7"))).code()
        _ = try await app.redeem(code).tokens()
        #expect(try await server.messages().contains { $0.kind == "password_changed" })
        #expect(try await app.signIn().errorCode == "invalid_credentials")
        _ = try await app.signIn(password: "a fresh phrase 7").code()
    }

    @Test("A session that was used to set a password sets no second one")
    func once() async throws {
        let (_, app, session) = try await expired()
        _ = try await app.proceed(session, .newPassword(Password("a fresh phrase 7"))).code()
        let again = try await app.proceed(session, .newPassword(Password("another phrase 8")))
        #expect(again.refusal?.error == "invalid_session")
    }

    @Test(
        "A new password that is too short, common, the name, or the present one is refused, and the session goes on",
        arguments: [
            ("short", PasswordRuleViolation.tooShort), ("password1", .tooCommon), ("Ada.Lovelace", .containsName),
            ("correct horse battery", .unchanged),
        ])
    func unacceptable(password: String, fault: PasswordRuleViolation) async throws {
        let (_, app, session) = try await expired("ada.lovelace")
        let outcome = try await app.proceed(
            session, .newPassword(Password(password)))
        guard case .refused(.passwordUnacceptable(let next, let told)) = outcome else {
            Issue.record("the password was taken: \(String(describing: outcome))")
            return
        }
        #expect(told == fault)
        _ = try await app.proceed(next, .newPassword(Password("a fresh phrase 7"))).code()
    }

    @Test("A sign-in's session is worth nothing to another key, client, challenge or after ten minutes")
    func sessionBinding() async throws {
        let (server, app, session) = try await expired()
        let password = Continuation.newPassword(try Password("a fresh phrase 7"))
        #expect(try await TestApp(client: app.client).proceed(session, password).refusal?.error == "invalid_session")
        let other = TestApp(client: try await server.publicClient("other"))
        #expect(try await other.proceed(session, password).refusal?.error == "invalid_session")
        #expect(
            try await app.step(.proceed(session, password), scope: "openid").refusal?.error == "invalid_session")
        #expect(try await app.proceed(AuthSession("AAAA"), password).refusal?.error == "invalid_session")
        server.clock.advance(by: .minutes(10))
        #expect(try await app.proceed(session, password).refusal?.error == "invalid_session")
    }

    @Test("A session that waits for one thing is not served by another")
    func wrongStep() async throws {
        let (_, app, session) = try await expired()
        let found = try await app.proceed(session, .emailCode(EmailCode("123456")))
        guard case .invalid(.invalidRequest) = found else {
            Issue.record("a password was mended by a code: \(String(describing: found))")
            return
        }
    }

    @Test("The code in the mail confirms the address and goes on")
    func emailCode() async throws {
        let (server, app, session) = try await unverified()
        let message = try #require(try await server.messages().first)
        #expect(message.content["to"]?.string == "ada@example.com")
        let code = try await app.proceed(session, .emailCode(try await server.emailedCode())).code()
        _ = try await app.redeem(code).tokens()
        _ = try await app.signIn().code()
    }

    @Test("A wrong code is refused, the session goes on, and the sixth try is not compared")
    func emailCodeGuesses() async throws {
        let (server, app, session) = try await unverified()
        let right = try await server.emailedCode()
        let wrong = try EmailCode(right.reveal() == "000000" ? "000001" : "000000")
        for _ in 0..<5 {
            let refusal = try #require(try await app.proceed(session, .emailCode(wrong)).refusal)
            #expect(refusal.status == 401)
            #expect(refusal.session != nil)
        }
        #expect(try await app.proceed(session, .emailCode(right)).errorCode == "invalid_credentials")
        server.clock.advance(by: .seconds(61))
        _ = try await app.proceed(session, .emailCode(right)).code()
    }

    @Test("A code is over after five minutes")
    func emailCodeAge() async throws {
        let (server, app, session) = try await unverified()
        let code = try await server.emailedCode()
        server.clock.advance(by: .minutes(5))
        #expect(try await app.proceed(session, .emailCode(code)).errorCode == "invalid_credentials")
    }

    @Test("Sending again too soon sends nothing: no mailbox is flooded")
    func resend() async throws {
        let (server, app, session) = try await unverified()
        for _ in 0..<5 {
            #expect(try await app.proceed(session, .resendEmail).errorCode == "email_unverified")
        }
        #expect(try await server.messages().count { $0.kind == "email_code" } == 1)
        server.clock.advance(by: .seconds(31))
        #expect(try await app.proceed(session, .resendEmail).errorCode == "email_unverified")
        #expect(try await server.messages().count { $0.kind == "email_code" } == 2)
    }

    @Test("Each answer tells whether it had a code sent, and when the next can be")
    func sentCode() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        let begun = try #require(try await app.signIn().refusal)
        let session = try #require(begun.session)
        #expect(begun.sentCode == CodeSending(isSent: true, resendAfter: 30))
        server.clock.advance(by: .seconds(10))
        let early = try await app.proceed(session, .resendEmail).refusal
        #expect(early?.sentCode == CodeSending(isSent: false, resendAfter: 20))
        // Nor does another sign-in send one.
        let anew = try await TestApp(client: app.client).signIn().refusal
        #expect(anew?.sentCode == CodeSending(isSent: false, resendAfter: 20))
        server.clock.advance(by: .seconds(20))
        let sent = try await app.proceed(session, .resendEmail).refusal
        #expect(sent?.sentCode == CodeSending(isSent: true, resendAfter: 60))
        #expect(try await server.messages().count { $0.kind == "email_code" } == 2)
    }

    @Test("What can be no code costs no try", arguments: ["12ab", "12345", "1234567"])
    func impossibleCode(typed: String) async throws {
        let (server, app, session) = try await unverified()
        for _ in 0..<6 {
            #expect(try await app.proceed(session, .emailCode(EmailCode(typed))).errorCode == "invalid_credentials")
        }
        _ = try await app.proceed(session, .emailCode(try await server.emailedCode())).code()
    }
}
