import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

/// Each row of the table "What an operator closes" in the threat model, against everything that a device, its app or a backend calls.
@Suite("What an operator closes", .threat("What an operator closes"), .covers("what an operator closes signs nothing"))
struct OperatorSwitchTests {
    /// What an operator does.
    enum Switch: String, CaseIterable {
        case suspendDevice, deactivateDevice, removeDevice
        case deactivateAccount, expirePassword, eraseAccount
        case deleteClient
        /// The first write of the deletion, as another process made it, before its notice arrived.
        case deleteClientElsewhere

        func take(_ till: TestTill) async throws {
            let (server, device) = (till.server, till.phone.id.rawValue)
            let account = AccountReference.id(till.account.rawValue)
            let client = till.phone.device.app.client.id.rawValue
            switch self {
            case .suspendDevice: try await server.administer(["device", "suspend", device])
            case .deactivateDevice: try await server.administer(["device", "deactivate", device])
            case .removeDevice: try await server.administer(["device", "remove", device])
            case .deactivateAccount:
                try await server.administer(AdminRequest(["account", "deactivate"] + account.words))
            case .expirePassword:
                try await server.administer(AdminRequest(["account", "expire-password"] + account.words))
            case .eraseAccount: try await server.administer(AdminRequest(["account", "erase"] + account.words))
            case .deleteClient: try await server.administer(["client", "delete", client])
            case .deleteClientElsewhere:
                let now = server.clock.now()
                let isDeleted = try await server.context.database.write {
                    try Clients.delete(client, now: now, on: $0)
                }
                #expect(isDeleted)
            }
        }

        /// The answer to a request that the device signs.
        var answer: Answer {
            switch self {
            case .suspendDevice: .thrown(.deviceSuspended)
            case .deactivateDevice: .thrown(.deviceDeactivated)
            case .removeDevice, .eraseAccount, .deleteClient, .deleteClientElsewhere: .thrown(.invalidCredentials)
            case .deactivateAccount: .refused(.refused(.walletDeactivated))
            case .expirePassword: .refused(.refused(.passwordChangeRequired))
            }
        }

        /// The answer to an assertion that was made before.
        var answerToAssertion: DeviceTransactionRefusal {
            switch self {
            case .suspendDevice: .assertion(.deviceSuspended)
            case .deactivateDevice: .assertion(.deviceDeactivated)
            case .removeDevice, .eraseAccount, .deleteClient: .assertion(.invalidCredentials)
            case .deactivateAccount: .refused(.walletDeactivated)
            case .expirePassword: .refused(.passwordChangeRequired)
            case .deleteClientElsewhere: .refused(.notFound)
            }
        }
    }

    enum Answer: Hashable {
        case accepted
        case thrown(PINRefusal)
        case refused(DeviceTransactionRefusal)
    }

    private func answer<Value>(
        _ call: () async throws -> Result<Value, DeviceTransactionRefusal>
    ) async throws -> Answer {
        do {
            return try await call().refusal.map { Answer.refused($0) } ?? .accepted
        } catch let refusal as PINRefusal {
            return .thrown(refusal)
        }
    }

    @Test(
        "attack: what an operator closes claims, confirms, rejects, drafts and signs nothing from that moment on",
        arguments: Switch.allCases)
    func device(closing: Switch) async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let claimed = try await till.claim(till.created().link).get()
        let confirmed = try await till.confirmed()
        let byBiometrics = try await till.byBiometrics(confirmed)
        let other = try await till.confirmed()
        let byPIN = try await till.byPIN(other)
        let draft = try await till.draft().get()
        let ofDraft = try await till.byBiometrics(draft.transaction)
        try await closing.take(till)
        #expect(try await answer { try await till.claim(created.link) } == closing.answer)
        #expect(try await answer { try await till.confirm(claimed) } == closing.answer)
        #expect(try await answer { try await till.reject(claimed) } == closing.answer)
        #expect(try await answer { try await till.draft() } == closing.answer)
        #expect(try await till.sign(confirmed, byBiometrics).refusal == closing.answerToAssertion)
        #expect(try await till.sign(other, byPIN).refusal == closing.answerToAssertion)
        #expect(try await till.store(draft.draft, ofDraft).refusal == closing.answerToAssertion)
        #expect(try await till.server.rows(of: "transactions WHERE state = 'signed'") == 0)
    }

    @Test(
        "attack: what an operator closes refreshes nothing, calls nothing, consents to nothing, and gets no new operation",
        arguments: Switch.allCases)
    func session(closing: Switch) async throws {
        let till = try await TestTill.open()
        let phone = till.phone.device
        let app = phone.app
        let tokens = try await app.client.refresh(
            try #require(phone.tokens.refreshToken), proof: app.key
        ).tokens()
        let device = TestDevice(app: app, tokens: tokens, deviceKey: phone.deviceKey)
        let shop = TestShop(server: till.server, client: till.client, account: till.account, device: device)
        let event = try await shop.required(TestShop.transfer())
        _ = try await device.call(.get, Endpoints.devices.path)
        let check = till.server.context.accessTokens
        let claims = try await till.server.claims(of: tokens)
        #expect(try await check.lives(claims, now: till.server.clock.now()))

        try await closing.take(till)
        #expect(try await !check.lives(claims, now: till.server.clock.now()))
        await #expect(throws: OAuthRefusal.self) { try await device.call(.get, Endpoints.devices.path) }
        await #expect(throws: OAuthRefusal.self) { try await shop.challenge(.email, of: event) }
        let next = try await shop.ask(TestShop.transfer(), id: "op-2").refusal
        let isClosed = closing == .deactivateAccount || closing == .eraseAccount
        #expect(next == (isClosed ? .accountNotFound : .sessionNotFound))
        let refresh = try await app.client.refresh(try #require(tokens.refreshToken), proof: app.key)
        #expect(refresh.refusal != nil)
    }

    @Test("After a password expired, the PIN's sign-in leads to a new one, and then the device signs again")
    func newPassword() async throws {
        let till = try await TestTill.open()
        try await Switch.expirePassword.take(till)
        let session = try await till.phone.signIn(TestTill.pin).passwordSession()
        #expect(try await till.draft().refusal == .refused(.passwordChangeRequired))
        let password = try Password("a staple of correct batteries")
        _ = try await till.phone.device.app.proceed(session, .newPassword(password)).code()
        _ = try await till.draft().get()
    }

    @Test("attack: a transaction of a backend that was deleted is neither claimed nor signed")
    func deletedBackend() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byBiometrics(confirmed)
        try await till.server.administer(["client", "delete", till.client.id.rawValue])
        #expect(try await till.claim(created.link).refusal == .refused(.notFound))
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.notFound))
    }

    @Test("Deleting a client ends its sessions, devices and operations; after an interruption, again ends the rest")
    func rows() async throws {
        let till = try await TestTill.open()
        let client = till.phone.device.app.client.id.rawValue
        _ = try await till.phone.device.app.client.signIn(till.account, proof: TestKey())
        // The first write alone, as a command that was interrupted leaves it.
        try await Switch.deleteClientElsewhere.take(till)
        let ended = try await till.server.administer(["client", "delete", client])
        #expect(ended["endedSessions"]?.integer == 2)
        #expect(ended["removedDevices"]?.integer == 1)
        #expect(try await till.server.rows(of: "sessions WHERE revoked_reason = 'client_deleted'") == 2)
        #expect(try await till.server.rows(of: "devices WHERE state <> 'removed'") == 0)
        #expect(try await till.server.rows(of: "security_events WHERE kind = 'device.removed'") == 1)
        let again = await till.server.flows.administration.execute(["client", "delete", client])
        #expect(again.status == .refused)

        let shop = try await TestShop.open()
        _ = try await shop.required(TestShop.transfer())
        let withdrawn = try await shop.server.administer(["client", "delete", shop.client.id.rawValue])
        #expect(withdrawn["cancelledOperations"]?.integer == 1)
        #expect(try await shop.server.rows(of: "wallet_operations WHERE state = 'cancelled'") == 1)
    }
}
