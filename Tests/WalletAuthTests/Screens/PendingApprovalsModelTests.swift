import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuthUI

@Suite("The list of what waits", .covers("what a screen shows")) @MainActor
struct PendingApprovalsModelTests {
    private let consent = ConsentModel(languages: ["en"], locale: Locale(identifier: "en_US"))
    private let transaction = TransactionModel(languages: ["en"], locale: Locale(identifier: "en_US"))
    private let model: PendingApprovalsModel

    init() {
        model = PendingApprovalsModel(
            consent: consent, transaction: transaction, languages: ["en"], locale: Locale(identifier: "en_US"))
    }

    private func request(_ till: Till) throws -> String {
        try till.world.server.requestApproval(.init(try Shop.operation(), by: [.push]), of: "alice")
    }

    /// Opens the only entry.
    private func open(_ till: Till) throws -> Task<Void, Never> {
        let item = try #require(model.items.first)
        return Task { [model] in await model.open(item, with: till.wallet) }
    }

    @Test("A payment shows amount, payee and who asked, and is approved by face or fingerprint")
    func payment() async throws {
        let till = try await Till()
        _ = try request(till)
        #expect(!model.isLoaded)
        await model.load(from: till.wallet)
        let item = try #require(model.items.first)
        #expect(item.name == "Transfer" && item.amount == "€12.50" && item.payee == "Blumen Huber")
        #expect(item.requester == "Shop, Firefox on Windows")
        let opening = try open(till)
        await observed { consent.phase == .asking }
        #expect(consent.isPresented)
        #expect(consent.summary?.amount == "€12.50")
        #expect(consent.requester == "Shop, Firefox on Windows")
        #expect(consent.question?.kind == .biometrics)
        consent.useBiometrics()
        await opening.value
        #expect(consent.phase == .approved && !consent.isPresented)
        #expect(model.items.isEmpty && model.isLoaded)
        #expect(till.world.server.consents.map(\.proved) == [[.push]])
    }

    @Test("A person who does not confirm by face is asked again, and one who cancels leaves the payment in the list")
    func declined() async throws {
        let till = try await Till()
        _ = try request(till)
        await model.load(from: till.wallet)
        let opening = try open(till)
        await observed { consent.phase == .asking }
        till.world.keys.presence.failure = .refused
        consent.useBiometrics()
        #expect(consent.phase == .checking)
        await observed { consent.phase == .asking }
        #expect(consent.question?.fault == "That wasn’t confirmed. Try again.")
        consent.decline()
        await opening.value
        #expect(consent.phase == .declined && !consent.isPresented)
        #expect(model.items.count == 1)
        #expect(till.world.server.consents.map(\.isRefused) == [false])
    }

    @Test("“I didn’t start this” ends the payment; if that does not arrive, the sheet says so and offers it again")
    func disowned() async throws {
        let till = try await Till()
        let event = try SCAEventID(request(till))
        await model.load(from: till.wallet)
        let opening = try open(till)
        await observed { consent.phase == .asking }
        till.world.server.inject(.unavailable(retryAfter: .seconds(60)), at: Endpoints.approvalRefusal.path(event))
        till.world.server.inject(.unavailable(retryAfter: .seconds(60)), at: Endpoints.approvals.path)
        consent.decline(isDisowned: true)
        await opening.value
        #expect(consent.phase == .failed && consent.isNotStopped && consent.isPresented)
        #expect(model.items.count == 1, "the list stays while the server is not available")
        #expect(model.message?.isEmpty == false)
        await consent.disownAgain()
        #expect(consent.phase == .declined)
        #expect(till.world.server.consents.map(\.isRefused) == [true])
        await model.load(from: till.wallet)
        #expect(model.items.isEmpty && model.message == nil)
    }

    @Test("What was approved elsewhere meanwhile ends with an error, and leaves the list")
    func late() async throws {
        let till = try await Till()
        let event = try request(till)
        await model.load(from: till.wallet)
        let opening = try open(till)
        await observed { consent.phase == .asking }
        till.world.server.approveElsewhere(event)
        consent.useBiometrics()
        await opening.value
        #expect(consent.phase == .failed)
        #expect(consent.error?.code == .eventNotFound)
        #expect(model.items.isEmpty)
    }

    @Test("A push message opens its transaction; one about something that ended opens nothing")
    func push() async throws {
        let till = try await Till()
        _ = try till.world.server.createTransaction(Till.coffee(for: try AccountID(Shop.alice)))
        await model.load(from: till.wallet)
        let item = try #require(model.items.first)
        #expect(item.name == "A request to read and sign" && item.amount == nil)
        let hint = ApprovalHint(kind: .transaction, id: item.id)
        let opening = Task { [model] in await model.open(hint, with: till.wallet) }
        await observed { transaction.phase == .confirming }
        #expect(transaction.summary?.payee == "Café Zürich")
        transaction.confirm()
        await observed { transaction.phase == .verifying }
        transaction.useBiometrics()
        await opening.value
        #expect(transaction.phase == .signed)
        #expect(till.statuses == [.signed])
        #expect(model.items.isEmpty)
        transaction.cancel()
        await model.open(hint, with: till.wallet)
        #expect(transaction.phase == .idle)
    }

    @Test("A person who signs out leaves no list")
    func cleared() async throws {
        let till = try await Till()
        _ = try request(till)
        await model.load(from: till.wallet)
        #expect(model.items.count == 1)
        _ = try await till.wallet.logout()
        await model.load(from: till.wallet)
        #expect(model.items.isEmpty && !model.isLoaded)
        model.clear()
        #expect(model.message == nil)
    }
}
