import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite("A PIN that a restore locked", .covers("why a PIN is locked: tries or a restore"))
struct RestoredPINTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    @Test("A device learns that a restore locked its PIN, and no message blames wrong PINs")
    func device() async throws {
        let till = try await TestTill.open().restarted(epoch: 1)
        let phone = till.phone
        let refused = try await phone.evaluate(phone.use(phone.exchange(TestTill.pin)))
        #expect(refused.refusal == .locked(.restore))
        #expect(try await phone.record()?.state.lockReason == .restore)
        #expect(try await till.server.messages().allSatisfy { $0.kind != "pin_locked" })
    }

    @Test("A PIN that wrong PINs locked before the restore stays locked by them")
    func lockedBefore() async throws {
        let before = try await TestTill.open()
        for _ in 0..<5 { _ = try await before.phone.signIn("314159") }
        let phone = try await before.restarted(epoch: 1).phone
        let refused = try await phone.evaluate(phone.use(phone.exchange(TestTill.pin)))
        #expect(refused.refusal == .locked(.tooManyTries))
        #expect(try await phone.record()?.state.lockReason == .tooManyTries)
    }

    @Test("A transaction that is to be signed by it fails, and the device learns why")
    func transaction() async throws {
        let till = try await TestTill.open().restarted(epoch: 1)
        till.server.clock.advance(by: till.server.context.settings.devices.coolingPeriod)
        let confirmed = try await till.confirmed()
        let phone = till.phone
        let refused = try await phone.evaluate(phone.use(phone.exchange(TestTill.pin), act: till.act(confirmed)))
        #expect(refused.refusal == .locked(.restore))
        #expect(try await till.report(confirmed.transactionID).status == .failed)
    }

    @Test("The account's page says which of the two locked an account's PIN", arguments: [true, false])
    func account(isRestored: Bool) async throws {
        var server = try await TestServer.start()
        let account = try await server.reachableAccount()
        try await server.offerPINs()
        try await server.setPIN(of: account)
        if isRestored {
            server = try await server.restarted(epoch: 1)
        } else {
            let client = try await server.bearerClient()
            for _ in 0..<5 {
                _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
            }
        }
        let page = try await TestBrowser(server).openPIN()
        #expect(page.pin?.state == (isRestored ? .lockedByRestore : .locked))
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["pin"]?.string == "locked")
        #expect(shown["pinLockReason"]?.string == (isRestored ? "RESTORE" : "TOO_MANY_TRIES"))
        let hindrance = try #require(shown["hindrances"]?.strings?.first { $0.contains("PIN") })
        #expect(hindrance.contains(isRestored ? "restored from a backup" : "too many wrong PINs"), "\(hindrance)")
    }

    @Test("device list and account show tell an operator why the PIN of a device is locked", arguments: [true, false])
    func operators(isRestored: Bool) async throws {
        var till = try await TestTill.open()
        if isRestored {
            till = try await till.restarted(epoch: 1)
        } else {
            for _ in 0..<5 { _ = try await till.phone.signIn("314159") }
        }
        let reason = isRestored ? "RESTORE" : "TOO_MANY_TRIES"
        let words = isRestored ? "because the database was restored from a backup" : "after too many wrong PINs"
        for command in [
            AdminRequest(["device", "list"] + Self.ada.words), AdminRequest(["account", "show"] + Self.ada.words),
        ] {
            let device = try #require(
                try await till.server.administer(command)["devices"]?.array?.first?.object, "\(command)")
            #expect(device["pin"]?.string == "locked")
            #expect(device["pinLockReason"]?.string == reason)
        }
        let listed = await till.server.flows.administration.execute(
            AdminRequest(["device", "list"] + Self.ada.words)
        )
        .lines
        #expect(listed.contains { $0.contains(isRestored ? "locked (restore)" : "locked (wrong PINs)") }, "\(listed)")
        let shown = await till.server.flows.administration.execute(
            AdminRequest(["account", "show"] + Self.ada.words)
        ).lines
        let told = try #require(shown.first { $0.hasPrefix("device") }, "\(shown)")
        #expect(told.contains(till.phone.id.rawValue) && told.contains("its PIN is locked \(words)"), "\(told)")
    }
}
