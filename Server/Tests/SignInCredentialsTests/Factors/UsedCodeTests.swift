import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Codes of an authenticator app that were used before")
struct UsedCodeTests {
    private struct Scene {
        let server: TestServer
        let setup: AuthenticatorSetup
        let browser: TestBrowser
        let page: SignInPage
    }

    /// An account whose authenticator app was set up with the present code, and another browser that is asked for a code.
    private func scene() async throws -> Scene {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let own = TestBrowser(server)
        let page = try await own.signIn(on: own.openAccount().page())
        let waiting = try await own.press(.setUpAuthenticator, on: page).accountPage()
        let setup = try waiting.setup()
        _ = try await own.press(.confirmAuthenticator(server.code(of: setup)), on: waiting).accountPage()
        let browser = TestBrowser(server)
        let asked = try await browser.signIn(try await server.publicClient().request()).page()
        return Scene(server: server, setup: setup, browser: browser, page: asked)
    }

    @Test("The page says to wait for the next one, it costs no try, and the next one signs in")
    func used() async throws {
        let scene = try await scene()
        let (server, browser) = (scene.server, scene.browser)
        var page = scene.page
        let code = try server.code(of: scene.setup).reveal()
        for _ in 0..<(OpenFactors.mostTries + 1) {
            page = try await browser.submit(page, .answerFactor(Password(code))).page()
            #expect(page.notice == .codeUsed)
        }
        server.clock.advance(by: TOTP.step)
        let next = try server.code(of: scene.setup).reveal()
        _ = try await browser.submit(page, .answerFactor(Password(next))).code()
    }

    @Test("race: a right code that is posted twice signs in twice, also if it is spent once the second was charged")
    func postedTwice() async throws {
        let scene = try await scene()
        let (server, page) = (scene.server, scene.page)
        server.clock.advance(by: TOTP.step)
        let code = try server.code(of: scene.setup).reveal()
        let second = TestBrowser(server)
        second.cookies = scene.browser.cookies
        let row = try await server.context.database.read { connection in
            try connection.row("SELECT id, account_id, expires_at FROM open_factors", [])
        }
        let open = try #require(row)
        let factor = OpenFactorRecord(
            id: try open.id("id"), accountID: try open.id("account_id"), kind: .totp,
            expiresAt: try open.time("expires_at"))
        _ = try await scene.browser.submit(page, .answerFactor(Password(code))).code()
        // The second was charged while the factor was open.
        try await server.context.database.write { _ = try OpenFactors.open(factor, on: $0) }
        _ = try await second.submit(page, .answerFactor(Password(code))).code()
    }

    @Test("attack: wrong codes between used ones still end the sign-in after five")
    func mixed() async throws {
        let scene = try await scene()
        let (server, browser) = (scene.server, scene.browser)
        var page = scene.page
        let code = try server.code(of: scene.setup).reveal()
        // Three steps are accepted, so a code of a far one is wrong.
        let secret = try #require(Base32.decode(scene.setup.secret.reveal()))
        let wrong = TOTP.code(at: TOTP.stepNumber(at: server.clock.now()) + 1_000, secret: secret)
        for _ in 1..<OpenFactors.mostTries {
            page = try await browser.submit(page, .answerFactor(Password(wrong))).page()
            #expect(page.notice == .wrongAnswer)
            page = try await browser.submit(page, .answerFactor(Password(code))).page()
            #expect(page.notice == .codeUsed)
        }
        page = try await browser.submit(page, .answerFactor(Password(wrong))).page()
        #expect(page.notice == .factorHeld(retryAfter: 60))
    }
}
