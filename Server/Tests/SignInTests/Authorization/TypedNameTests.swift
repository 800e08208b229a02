import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Names with white space around them")
struct TypedNameTests {
    /// As a keyboard's suggestion, a web page and a spreadsheet leave it.
    static let typed = [" ada", "ada ", "\tada", "\u{A0}Ada\u{A0}", "ada\r\n"]

    @Test("The page signs in by password and by PIN, whatever white space is around the name", arguments: typed)
    func page(name: String) async throws {
        let (server, client, _) = try await TestServer.withPIN()
        _ = try await TestBrowser(server).signIn(client.request(), name).code()
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin, name).code()
    }

    @Test("The page sends a recovery code to the person whose name has white space around it", arguments: typed)
    func recovery(name: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let page = try await browser.submit(browser.open(client.request()).page(), .recover(username: name)).page()
        #expect(page.step == .recoveryCode(canResend: true))
        #expect(page.recoveryName == TypedText.trimmed(name))
        #expect(try await server.recoveryCodesSent() == 1)
    }

    @Test("login_hint finds the session of the person, and fills the form without the white space", arguments: typed)
    func hint(name: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let form = try client.request { $0["login_hint"] = name }
        let filled = TypedText.trimmed(name)
        #expect(try await browser.open(form).page().step == .credentials(username: filled))
        _ = try await browser.signIn(client.request()).code()
        let silent = try client.request {
            $0["login_hint"] = name
            $0["prompt"] = "none"
        }
        _ = try await browser.open(silent).code()
    }

    @Test("Commands create and find one account, whatever white space is around the name", arguments: typed)
    func commands(name: String) async throws {
        let server = try await TestServer.start()
        let created = try await server.administer {
            try await AccountAdministration($0).create(
                AccountRegistration(username: name, password: "correct horse battery"))
        }
        #expect(created["usernames"]?.array?.map(\.string) == [TypedText.trimmed(name)])
        let shown = try await server.administer(["account", "show", name])
        #expect(shown["accountId"] == created["accountId"])
    }
}
