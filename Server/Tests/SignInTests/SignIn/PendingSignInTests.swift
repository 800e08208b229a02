import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("How long an unfinished sign-in lives")
struct PendingSignInTests {
    @Test("attack: asking for the code again and again does not keep a native sign-in alive past ten minutes")
    func native() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        let first = try #require(try await app.signIn().refusal?.session)
        server.clock.advance(by: .minutes(9))
        let second = try #require(try await app.proceed(first, .resendEmail).refusal?.session)
        let code = try await server.emailedCode()
        server.clock.advance(by: .minutes(1))
        #expect(try await app.proceed(second, .emailCode(code)).refusal?.error == "invalid_session")
    }

    @Test("attack: asking for the code again and again does not keep a page's sign-in alive past ten minutes")
    func page() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        let first = try await browser.signIn(client.request()).page()
        server.clock.advance(by: .minutes(9))
        let second = try await browser.submit(first, .resendEmailCode).page()
        let code = try await server.emailedCode()
        server.clock.advance(by: .minutes(1))
        let page = try await browser.submit(second, .checkEmailCode(code)).page()
        guard case .credentials = page.step else {
            Issue.record("the sign-in went on: \(String(describing: page.step))")
            return
        }
    }
}
