import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("A lost phone and a former authenticator app, on the account's page", .threat("The account's own page"))
struct AccountPageRemovalTests {
    private func setUp() async throws -> (server: TestServer, device: TestDevice, id: String) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let device = try await TestDevice.signedIn(account, server.publicClient())
        return (server, device, try await device.enrolled(account).id.rawValue)
    }

    @Test("The page asks first, then removes the phone: its sessions end, and the browser stays signed in")
    func lostPhone() async throws {
        let (server, device, id) = try await setUp()
        server.clock.advance(by: .minutes(2))
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        #expect(page.overview?.devices.map(\.id) == [id])
        let question = try await browser.press(.askToRemoveDevice(id: id), on: page).accountPage()
        guard case .removal(.device(id, name: "Ada's phone")) = question.step else {
            Issue.record("no question: \(question.step)")
            return
        }
        #expect(try await device.list().count == 1)
        for _ in 0..<2 {
            let removed = try await browser.press(.removeDevice(id: id), on: question).accountPage()
            #expect(removed.notice == .deviceRemoved)
            #expect(removed.overview?.devices.isEmpty == true)
        }
        #expect(try await server.told("device_removed") == 1)
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await device.list() }
        #expect(try await browser.openAccount().accountPage().overview != nil)
    }

    @Test("attack: neither a cookie nor a password alone removes the phone, and no one removes another person's")
    func thief() async throws {
        let (server, device, id) = try await setUp()
        _ = try await server.reachableAccount("eve")
        let browser = TestBrowser(server)
        _ = try await browser.signIn(on: browser.openAccount().page())
        let seen = try await browser.openAccount().accountPage()
        for action in [AccountPage.Action.askToRemoveDevice(id: id), .removeDevice(id: id)] {
            let asked = try await browser.press(action, on: seen).page()
            #expect(asked.purpose == .accountChange)
        }
        let eve = TestBrowser(server)
        server.clock.advance(by: .minutes(2))
        var page = try await eve.signIn(on: eve.openAccount().page(), "eve")
        for action in [AccountPage.Action.askToRemoveDevice(id: id), .removeDevice(id: id), .removeDevice(id: "x")] {
            page = try await eve.press(action, on: page).accountPage()
            #expect(page.notice == nil && page.overview != nil)
        }
        #expect(try await device.list().count == 1)
    }

    @Test("An authenticator app is removed after a question, and a double click succeeds twice")
    func authenticator() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        let on = try await browser.press(
            .confirmAuthenticator(server.code(of: waiting.setup())), on: waiting
        ).accountPage()
        #expect(on.overview?.hasAuthenticator == true)
        let question = try await browser.press(.askToRemoveAuthenticator, on: on).accountPage()
        guard case .removal(.authenticator) = question.step else {
            Issue.record("no question: \(question.step)")
            return
        }
        for _ in 0..<2 {
            let removed = try await browser.press(.removeAuthenticator, on: question).accountPage()
            #expect(removed.notice == .authenticatorRemoved)
            #expect(removed.overview?.hasAuthenticator == false)
        }
        #expect(try await server.told("totp_removed") == 1)
    }
}
