import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Going on as the person whom the browser knows")
struct ConfirmationTests {
    @Test("The page goes on as whom it named, not as whom another tab signed in since")
    func named() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("grace")
        let client = try await server.publicClient { $0.redirectURIs = ["http://127.0.0.1/callback"] }
        let browser = TestBrowser(server)
        func request(_ prompt: String? = nil) throws -> FormParameters {
            try client.request {
                $0["redirect_uri"] = "http://127.0.0.1:5000/callback"
                $0["prompt"] = prompt
            }
        }
        _ = try await browser.signIn(request()).code()
        let page = try await browser.open(request()).page()
        #expect(page.step == .confirmation(username: "ada"))
        let bindingOfPage = browser.cookies.binding
        _ = try await browser.signIn(request("login"), "grace").code()
        browser.cookies.binding = bindingOfPage
        let asked = try await browser.submit(page, .confirm).page()
        #expect(asked.step == .credentials(username: nil))
    }

    @Test("Another person may sign in instead, and the old session is forgotten")
    func anotherAccount() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("grace")
        let client = try await server.publicClient { $0.redirectURIs = ["http://127.0.0.1/callback"] }
        let browser = TestBrowser(server)
        let request = try client.request { $0["redirect_uri"] = "http://127.0.0.1:5000/callback" }
        _ = try await browser.signIn(request).code()
        let page = try await browser.open(request).page()
        let kept = try #require(browser.cookies.session)
        let credentials = try await browser.submit(page, .useAnotherAccount).page()
        #expect(browser.cookies.session == nil)
        // A copy of the cookie is worthless as well.
        let sessions = server.flows.signIn.authorization.pages.sessions
        #expect(try await sessions.find(kept, now: server.clock.now()) == nil)
        _ = try await browser.submit(
            credentials, .signIn(username: "grace", password: Password("correct horse battery"))
        ).code()
    }
}
