import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

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

    @Test(
        "A double click on adding, renaming or removing a passkey shows the result of the first click, which is made once"
    )
    func repeatedPasskeyChange() async throws {
        let (server, browser) = try await setUp()
        var page = try await browser.openPasskeys("ada")
        let creation = try #require(page.passkeys?.creation)
        var passkey = try SoftwarePasskey()
        passkey.userHandle = creation.userHandle
        let made = try passkey.register(creation.challenge, on: .own)
        func pressTwice(_ change: PasskeyChange) async throws -> [AccountPage.Notice?] {
            let first = try await browser.press(.changePasskeys(change), on: page).accountPage()
            let second = try await browser.press(.changePasskeys(change), on: page).accountPage()
            page = second
            return [first.notice, second.notice]
        }
        #expect(try await pressTwice(.add(made, name: "Laptop")) == [.passkeyAdded, .passkeyAdded])
        #expect(try await server.rows(of: "passkeys") == 1)
        let id = try #require(page.passkeys?.passkeys.first).id
        #expect(try await pressTwice(.rename(id: id, name: "Desk")) == [.passkeyRenamed, .passkeyRenamed])
        #expect(try await pressTwice(.remove(id: id)) == [.passkeyRemoved, .passkeyRemoved])
        #expect(try await server.rows(of: "passkeys") == 0)
    }

    @Test(
        "A double click on setting or removing the account PIN shows the result of the first click, which is made once")
    func repeatedPINChange() async throws {
        let (server, browser) = try await setUp()
        try await server.offerPINs()
        let set = AccountPage.Action.changePIN(.set(.success(try AccountPIN(TestServer.pin))))
        let page = try await browser.openPIN()
        for _ in 0..<2 { #expect(try await browser.press(set, on: page).accountPage().notice == .pinSet) }
        #expect(try await server.told("account_pin_set") == 1)
        let other = AccountPage.Action.changePIN(.set(.success(try AccountPIN("460397"))))
        #expect(try await browser.press(other, on: page).fault == .stalePage)
        server.clock.advance(by: .seconds(31))
        #expect(try await browser.press(set, on: page).fault == .stalePage)
        let next = try await browser.openPIN()
        for _ in 0..<2 {
            #expect(try await browser.press(.changePIN(.remove), on: next).accountPage().notice == .pinRemoved)
        }
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
