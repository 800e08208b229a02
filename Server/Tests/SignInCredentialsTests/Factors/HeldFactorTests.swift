import Core
import FlowSupport
import Kernel
import Store
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("A second factor whose answers are not compared for a while, on the page")
struct HeldFactorTests {
    private struct Scene {
        let server: TestServer
        let client: TestClient
        let setup: AuthenticatorSetup
        let recoveryCodes: [RecoveryCode]
        let browser: TestBrowser
        /// After the fifth wrong code.
        let page: SignInPage
    }

    /// Ada with an address and an authenticator app, and a browser that sent five wrong codes.
    private func scene(recoveryCodes: Bool = false) async throws -> Scene {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let own = TestBrowser(server)
        let waiting = try await own.press(.setUpAuthenticator, on: own.signIn(on: own.openAccount().page()))
            .accountPage()
        let setup = try waiting.setup()
        let changed = try await own.press(.confirmAuthenticator(server.code(of: setup)), on: waiting).accountPage()
        let codes = recoveryCodes ? try await own.press(.makeRecoveryCodes, on: changed).accountPage().codes() : []
        server.clock.advance(by: .minutes(5))
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        var page = try await browser.signIn(client.request()).page()
        for _ in 0..<OpenFactors.mostTries {
            page = try await browser.submit(page, .answerFactor(Password("000000"))).page()
        }
        return Scene(
            server: server, client: client, setup: setup, recoveryCodes: codes, browser: browser, page: page)
    }

    @Test("The fifth wrong code names the wait, and the page after the next sign-in too, without asking for a code")
    func named() async throws {
        let scene = try await scene()
        #expect(scene.page.notice == .factorHeld(retryAfter: 60))
        scene.server.clock.advance(by: .seconds(13))
        #expect(try await scene.browser.load(scene.page).page().notice == .factorHeld(retryAfter: 47))
        let held = try await scene.browser.signIn(scene.client.request()).page()
        #expect(held.step == .heldFactor(instead: []))
        #expect(held.notice == .tooManyAttempts(retryAfter: 47))
        scene.server.clock.advance(by: .seconds(48))
        let over = try await scene.browser.load(held).page()
        #expect(over.step == held.step)
        #expect(over.notice == nil)
        let asked = try await scene.browser.submit(over, .resendFactor).page()
        #expect(asked.notice == nil)
        guard case .secondFactor(let factor) = asked.step else {
            Issue.record("asked for \(asked.step)")
            return
        }
        #expect(factor.kind == .totp)
        let code = try scene.server.code(of: scene.setup).reveal()
        _ = try await scene.browser.submit(asked, .answerFactor(Password(code))).code()
    }

    @Test("Meanwhile no code is sent: not by choosing it, nor by trying again")
    func nothingSent() async throws {
        let scene = try await scene()
        let sent = try await scene.server.codesSent()
        let held = try await scene.browser.signIn(scene.client.request()).page()
        for action in [SignInPage.Action.chooseFactor(.email), .resendFactor] {
            let page = try await scene.browser.submit(held, action).page()
            #expect(page.step == .heldFactor(instead: []))
            #expect(page.notice == .tooManyAttempts(retryAfter: 60))
        }
        #expect(try await scene.server.codesSent() == sent)
        // Support finds it in the audit log.
        let recorded = try await scene.server.context.database.read {
            try $0.row("SELECT COUNT(*) AS number FROM security_events WHERE kind = 'factor.held'", [])?.integer(
                "number")
        }
        #expect(recorded == 1)
    }

    @Test("Answers from another browser hold a page that is open already, which says so in place of the field")
    func openPage() async throws {
        let scene = try await scene()
        scene.server.clock.advance(by: .seconds(61))
        let open = try await scene.browser.signIn(scene.client.request()).page()
        let other = TestBrowser(scene.server)
        let asked = try await other.signIn(scene.client.request()).page()
        _ = try await other.submit(asked, .answerFactor(Password("000000"))).page()
        let code = try scene.server.code(of: scene.setup).reveal()
        let held = try await scene.browser.submit(open, .answerFactor(Password(code))).page()
        #expect(held.step == .heldFactor(instead: []))
        let sent = try await scene.server.codesSent()
        #expect(try await scene.browser.submit(held, .chooseFactor(.email)).page().step == held.step)
        #expect(try await scene.server.codesSent() == sent)
    }

    @Test("A recovery code, which is counted apart, signs in meanwhile")
    func instead() async throws {
        let scene = try await scene(recoveryCodes: true)
        let held = try await scene.browser.signIn(scene.client.request()).page()
        #expect(held.step == .heldFactor(instead: [.recoveryCode]))
        let asked = try await scene.browser.submit(held, .chooseFactor(.recoveryCode)).page()
        guard case .secondFactor(let factor) = asked.step else {
            Issue.record("asked for \(asked.step)")
            return
        }
        #expect(factor.kind == .recoveryCode)
        #expect(factor.alternatives == [])
        let code = try #require(scene.recoveryCodes.first).reveal()
        _ = try await scene.browser.submit(asked, .answerFactor(Password(code))).code()
    }
}
