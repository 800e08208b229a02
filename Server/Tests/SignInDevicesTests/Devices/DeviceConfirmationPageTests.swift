import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite(
    "A device that awaits its code, on the account's page", .threat("Relying apps"),
    .covers("an installation awaiting its code"))
struct DeviceConfirmationPageTests {
    private func awaited(
        _ outcome: AuthorizationAnswer.Outcome
    ) throws -> (page: AccountPage, device: AccountOverview.Device?) {
        let page = try outcome.accountPage()
        return (page, page.overview?.devices.first { $0.awaitsCode })
    }

    @Test("It is shown, and confirmed by the code that was sent: from then on it signs in")
    func confirmed() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        let sent = try #require(try await server.messages().first { $0.kind == "instance_code" })
        let code = try OneTimeCode(sent.content.string("code") ?? "")
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try #require(page.overview?.devices.first)
        #expect(waiting.awaitsCode && waiting.id == id.rawValue)
        let wrong = try OneTimeCode(code.reveal() == "000000" ? "000001" : "000000")
        let refused = try awaited(
            await browser.press(.confirmDevice(id: id.rawValue, code: wrong), on: page))
        #expect(refused.page.notice == .wrongDeviceCode)
        #expect(refused.device != nil)
        #expect(try await device.signIn(as: id).errorCode == "app_instance_unverified")
        let done = try awaited(
            await browser.press(.confirmDevice(id: id.rawValue, code: code), on: refused.page))
        #expect(done.page.notice == .deviceConfirmed)
        #expect(done.device == nil)
        _ = try await device.signIn(as: id).code()
        let again = try awaited(
            await browser.press(.confirmDevice(id: id.rawValue, code: code), on: done.page))
        #expect(again.page.notice == .noSuchDevice)
    }

    @Test("attack: another person's page neither confirms the device nor has its code sent")
    func anotherPerson() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        let sent = try #require(try await server.messages().first { $0.kind == "instance_code" })
        let code = try OneTimeCode(sent.content.string("code") ?? "")
        _ = try await server.account("bob")
        let browser = TestBrowser(server)
        let page = try await browser.typePassword(on: browser.openAccount().page(), "bob").accountPage()
        let before = try await server.messages().count
        let confirmed = try awaited(await browser.press(.confirmDevice(id: id.rawValue, code: code), on: page))
        #expect(confirmed.page.notice == .noSuchDevice)
        let asked = try awaited(await browser.press(.sendDeviceCode(id: id.rawValue), on: confirmed.page))
        #expect(asked.page.notice == .noSuchDevice)
        #expect(try await server.messages().count == before)
        #expect(try await device.signIn(as: id).errorCode == "app_instance_unverified")
    }
}
