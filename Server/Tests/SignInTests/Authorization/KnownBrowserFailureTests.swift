import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Wrong passwords in a browser that the account knows", .threat("Account enumeration"))
struct KnownBrowserFailureTests {
    private func known(
        _ server: TestServer, _ client: TestClient
    ) async throws -> (browser: TestBrowser, login: FormParameters) {
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        return (browser, try client.request { $0["prompt"] = "login" })
    }

    private func mail(of server: TestServer) async throws -> String {
        let reader = try #require(server.flows.messages)
        return try #require(try await reader.recent(limit: 10).first { $0.kind == "wallet_deactivated" }).text
    }

    private func fail(_ browser: TestBrowser, _ login: FormParameters, times: Int) async throws -> SignInPage {
        var page = try await browser.signIn(login, password: "a wrong one").page()
        for _ in 1..<times { page = try await browser.signIn(login, password: "a wrong one").page() }
        return page
    }

    @Test("The page counts down from the third failure, also when it is loaded again; a stranger's never does")
    func countdown() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let (browser, login) = try await known(server, client)
        #expect(try await fail(browser, login, times: 2).attemptsLeft == nil)
        let third = try await fail(browser, login, times: 1)
        #expect(third.attemptsLeft == 2)
        #expect(try await browser.load(third).page().attemptsLeft == 2)
        let stranger = TestBrowser(server)
        #expect(try await fail(stranger, client.request(), times: 4).attemptsLeft == nil)
        #expect(try await fail(browser, login, times: 1).attemptsLeft == 1)
    }

    @Test("The last failure leads to a recovery, which opens the account; the mail says so")
    func recovery() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let (browser, login) = try await known(server, client)
        let closed = try await fail(browser, login, times: 5)
        #expect(closed.notice == .closedByFailures)
        #expect(closed.step == .recovery(username: "ada"))
        let mail = try await self.mail(of: server)
        #expect(mail.contains("There were too many wrong passwords."))
        #expect(mail.contains("“Forgot your password?”"))
        // The right password leads there as well: it is not compared any more.
        #expect(try await browser.signIn(login).page().notice == .closedByFailures)
        let asked = try await browser.submit(closed, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await server.recoveryCode())
        let proved = try await browser.submit(asked, .checkRecoveryCode(code)).page()
        _ = try await browser.submit(proved, .setPassword(Password("another phrase 8"))).code()
    }

    @Test("What an operator deactivated names no recovery, on the page and in the mail")
    func byOperator() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let (browser, login) = try await known(server, client)
        try await server.administer(["account", "deactivate", "ada"])
        let closed = try await browser.signIn(login).page()
        #expect(closed.notice == .walletDeactivated)
        #expect(closed.step == .credentials(username: "ada"))
        let mail = try await self.mail(of: server)
        #expect(mail.contains("until it is reactivated"))
        #expect(!mail.contains("Forgot your password?"))
    }
}
