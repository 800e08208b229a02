import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthCredentials
@testable import AuthFoundation
@testable import AuthSignIn

@Suite("Forms of the account's page that arrive twice")
struct RepeatedFactorFormTests {
    private func setUp() async throws -> (server: TestServer, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: nil)
        return (server, TestBrowser(server))
    }

    @Test("A double click on setting up an authenticator app shows the secret that the first click made")
    func repeatedSetup() async throws {
        let (_, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let first = try await browser.press(.setUpAuthenticator, on: page).accountPage().setup()
        let second = try await browser.press(.setUpAuthenticator, on: page).accountPage().setup()
        #expect(second.secret == first.secret)
    }

    @Test("attack: the recovery codes of a form are others for each page, and are not shown again once one is spent")
    func codesOfForms() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let first = try await browser.press(.makeRecoveryCodes, on: page).accountPage()
        let codes = try first.codes().map { $0.reveal() }
        #expect(Set(codes).count == RecoveryCodeFormat.count)
        let next = try await browser.press(.show, on: first).accountPage()
        let second = try await browser.press(.makeRecoveryCodes, on: next).accountPage().codes().map { $0.reveal() }
        #expect(Set(codes).isDisjoint(with: second))
        #expect(try await browser.press(.makeRecoveryCodes, on: page).fault == .stalePage)
        let account = try #require(try await server.accountID())
        let record = try #require(UniqueID(bytes: account.bytes))
        let digest = try #require(RecoveryCodeFormat.digest(of: second[0], account: record))
        #expect(try await server.context.database.write { try RecoveryCodes.spend(digest, of: record, on: $0) })
        #expect(try await browser.press(.makeRecoveryCodes, on: next).fault == .stalePage)
    }
}
