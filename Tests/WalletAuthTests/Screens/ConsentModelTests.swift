import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthUI

@Suite("The screen of a payment's consent", .covers("what a screen shows")) @MainActor
struct ConsentModelTests {
    private let model = ConsentModel(languages: ["en"], locale: Locale(identifier: "en_US"))

    private func pay(_ shop: Shop, _ wallet: Wallet) throws -> Task<Int, any Error> {
        let payment = try shop.payment()
        return Task { [model] in try await model.perform(payment, with: wallet).1.status }
    }

    private func asked() async { await observed { model.phase == .asking } }

    @Test("Amount and payee come first, a wrong code is said at its field, and the right one pays")
    func pays() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        #expect(model.isPresented)
        #expect(model.summary?.amount == "€12.50")
        #expect(model.summary?.payee == "Blumen Huber")
        #expect(model.summary?.account == "DE02 1203 0000 0000 2020 51")
        #expect(model.summary?.lines.map(\.value) == ["Tulips"])
        #expect(model.question?.kind == .code)
        #expect(model.question?.instruction.contains("We sent") == true)
        #expect(model.question?.fault == nil && model.question?.attemptsLeft == nil)
        model.input = "12"
        model.submit()
        #expect(model.phase == .checking)
        await asked()
        #expect(model.question?.fault == "Check what you entered.")
        model.input = "000000"
        model.submit()
        await asked()
        #expect(model.question?.fault == "That’s not correct.")
        #expect(model.question?.attemptsLeft == "4 attempts left")
        #expect(model.input.isEmpty)
        model.input = Shop.code
        model.submit()
        #expect(try await payment.value == 201)
        #expect(model.phase == .approved)
        #expect(!model.isPresented)
        #expect(shop.carriedOut == 1)
    }

    @Test("For another device the screen has a button that waits, and says when it is not approved yet")
    func elsewhere() async throws {
        let shop = try Shop(by: .push)
        let wallet = try await shop.world.signedIn()
        let payment = try pay(shop, wallet)
        await asked()
        #expect(model.question?.kind == .elsewhere)
        #expect(model.question?.instruction == "Open the app on your other device and confirm there.")
        #expect(model.question?.canResend == true)
        model.waitElsewhere()
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(61))
        await asked()
        #expect(model.question?.fault == "You haven’t confirmed on your other device yet.")
        shop.server.approveElsewhere(Shop.event)
        model.waitElsewhere()
        #expect(try await payment.value == 201)
        #expect(model.phase == .approved)
    }

    /// Asks for an operation, and lets the person read it.
    private func read(
        _ type: String, _ content: WalletOperation? = nil
    ) async throws -> PaymentSummary {
        let (shop, wallet) = try await Shop.visited()
        let operation = try content ?? Shop.operation()
        shop.server.requireConsent(
            .init(
                try WalletOperation(
                    type: WalletOperationType(type), amount: operation.amount, payee: operation.payee,
                    details: operation.details), by: [.sms], code: Shop.code), at: Shop.path)
        let payment = try pay(shop, wallet)
        await asked()
        let summary = try #require(model.summary)
        model.dismiss()
        _ = await failure { try await payment.value }
        return summary
    }

    private static let huber = Result { try Payee(name: "Blumen Huber", account: "DE02120300000000202051") }

    @Test("A payment is one, in the heading, on the button and in the device's prompt")
    func payment() async throws {
        let summary = try await read("TRANSFER")
        #expect(summary.heading == "Confirm payment")
        #expect(summary.name == "Transfer" && summary.consequence == nil)
        #expect(summary.approval == "Approve €12.50")
        #expect(summary.reason == "Pay €12.50 to Blumen Huber")
        #expect(summary.advice.contains("Continue only if you started this yourself"))
    }

    @Test("A series of payments does not pass for one payment")
    func series() async throws {
        let summary = try await read("BEGIN_SERIES")
        #expect(summary.heading == "Start a series of payments")
        #expect(summary.consequence?.contains("further payments of this amount") == true)
        #expect(summary.approval == "Approve: Start a series of payments")
        #expect(summary.reason == "Start a series of payments: €12.50 to Blumen Huber")
    }

    @Test("Trust in a payee says what follows, and its end says that it ends")
    func trust() async throws {
        let huber = try WalletOperation(type: .trustPayee, payee: Self.huber.get())
        let trust = try await read("TRUST_PAYEE", huber)
        #expect(trust.heading == "Trust this payee from now on")
        #expect(trust.consequence?.contains("without your approval") == true)
        #expect(trust.approval == "Approve: Trust a payee")
        #expect(trust.reason == "Trust a payee: Blumen Huber")
        let distrust = try await read("DISTRUST_PAYEE", huber)
        #expect(distrust.heading == "Stop trusting this payee")
        #expect(distrust.consequence == nil)
        #expect(distrust.approval == "Approve: Stop trusting a payee")
        #expect(distrust.reason == "Stop trusting a payee: Blumen Huber")
    }

    @Test("The end of a series says so")
    func endOfSeries() async throws {
        let summary = try await read("END_SERIES", WalletOperation(endingSeries: WalletOperationID("series-1")))
        #expect(summary.heading == "End a series of payments")
        #expect(summary.approval == "Approve: End a series of payments")
        #expect(summary.reason == "Approve: End a series of payments")
        #expect(summary.lines.map(\.value) == ["series-1"])
    }

    @Test("A backend's own kind of operation is named by its own word everywhere")
    func ownKind() async throws {
        let other = try await read("OPEN_VAULT", WalletOperation(type: WalletOperationType("OPEN_VAULT")))
        #expect(other.heading == "Confirm" && other.name == "OPEN_VAULT")
        #expect(other.approval == "Approve: OPEN_VAULT")
        #expect(other.reason == "Approve: OPEN_VAULT")
        let loan = try await read("LOAN")
        #expect(loan.name == "LOAN")
        #expect(loan.reason == "LOAN: €12.50 to Blumen Huber")
    }

    @Test("A detail cannot pass for a line of the screen's own")
    func details() async throws {
        let summary = try await read(
            "TRANSFER",
            WalletOperation(
                type: WalletOperationType("TRANSFER"), payee: Self.huber.get(),
                details: ["Account": "DE99", "Payee": "Someone"]))
        #expect(summary.lines.map(\.label) == ["Additional detail “Account”", "Additional detail “Payee”"])
    }

    @Test("A right-to-left name or detail does not reorder what is around it, and no payee fills in a placeholder")
    func rightToLeft() async throws {
        let name = "\u{5D0}\u{5E0}\u{5D4} 9"
        let hebrew = try await read(
            "TRANSFER",
            WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: name, account: "card-4711"), details: ["reference": name]))
        let isolated = "\u{2068}\(name)\u{2069}"
        #expect(hebrew.payee == isolated)
        #expect(hebrew.reason == "Pay €12.50 to \(isolated)")
        #expect(hebrew.lines.map(\.value) == [isolated])
        let placeholder = try await read(
            "TRANSFER",
            WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: "{amount}", account: "card-4711")))
        #expect(placeholder.reason == "Pay €12.50 to {amount}")
    }

    @Test("What was typed is gone once it is answered, declined, or given up")
    func nothingTypedStays() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        model.input = Shop.code
        model.submit()
        #expect(model.input.isEmpty)
        #expect(try await payment.value == 201)
        let declined = try pay(shop, wallet)
        await asked()
        model.input = "12"
        model.dismiss()
        #expect(model.input.isEmpty)
        _ = await failure { try await declined.value }
        let cancelled = try pay(shop, wallet)
        await asked()
        model.input = "12"
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(model.input.isEmpty)
    }

    @Test("A person who did not start it says so: the server ends it for good, and the screen stays with the advice")
    func disowned() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        model.decline(isDisowned: true)
        #expect(await failure { try await payment.value }?.outcome == .cancelledByPerson)
        #expect(model.phase == .declined)
        #expect(model.isDisowned && model.isPresented)
        model.isPresented = false
        #expect(!model.isPresented)
        #expect(shop.carriedOut == 0)
        #expect(shop.server.consents.map(\.isRefused) == [true])
    }

    @Test("What could not be stopped is not said to be: the screen says until when it can be approved")
    func notStopped() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        shop.server.inject(
            .answer(HTTPResponse(status: 403, body: Data(#"{"code":"client_not_allowed"}"#.utf8))), at: Shop.refusal)
        model.decline(isDisowned: true)
        #expect(await failure { try await payment.value } != nil)
        #expect(model.phase == .failed && model.isPresented)
        #expect(model.message?.contains("We couldn’t stop this yet. It can still be approved until") == true)
        #expect(try await wallet.pendingSCA.map(\.id) == [Shop.event])
        #expect(shop.server.consents.map(\.isRefused) == [false])
        #expect(model.isNotStopped)
        await model.disownAgain()
        #expect(model.phase == .declined && model.isDisowned && model.isPresented)
        #expect(model.error == nil && !model.isNotStopped)
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(shop.server.consents.map(\.isRefused) == [true])
    }

    @Test("Cancelling the task does not keep from the server that the person did not start it")
    func disownedAndCancelled() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        model.decline(isDisowned: true)
        payment.cancel()
        #expect(await failure { try await payment.value }?.outcome == .cancelledByPerson)
        #expect(model.phase == .declined && model.isPresented)
        #expect(shop.server.consents.map(\.isRefused) == [true])
    }

    @Test("A session that ended before the server could be told does not promise another try")
    func signedOutMeanwhile() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        shop.world.server.endSessions(of: "alice")
        shop.world.expireToken()
        model.decline(isDisowned: true)
        _ = await failure { try await payment.value }
        #expect(model.phase == .failed && !model.isNotStopped)
        #expect(model.message?.contains("approved until") == false)
    }

    @Test("Dismissing the sheet declines")
    func dismissed() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        model.isPresented = false
        #expect(!model.isPresented, "the sheet is gone at once")
        #expect(await failure { try await payment.value }?.outcome == .cancelledByPerson)
        #expect(!model.isPresented)
        #expect(shop.carriedOut == 0)
        #expect(shop.server.consents.map(\.isRefused) == [false], "not now is not never")
    }

    @Test("Another way is chosen by its name")
    func anotherWay() async throws {
        let shop = try Shop(by: .sms, .email)
        let payment = try pay(shop, try await shop.world.signedIn())
        await asked()
        let other = try #require(model.question?.alternatives.first)
        #expect(other.label == "Code by e-mail")
        // Codes are thirty seconds apart.
        shop.world.clock.advance(by: .seconds(30))
        model.use(other)
        await asked()
        #expect(model.question?.alternatives.map(\.label) == ["Code by text message"])
        model.input = Shop.code
        model.submit()
        #expect(try await payment.value == 201)
        #expect(shop.server.consents.first?.proved == [.email])
    }

    @Test("A consent that is over after five wrong codes says that nothing was paid")
    func over() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        for _ in 0..<5 {
            await asked()
            model.input = "000000"
            model.submit()
            await observed { model.phase != .checking }
        }
        #expect(await failure { try await payment.value }?.code == .dataError)
        #expect(model.phase == .failed && model.isPresented)
        #expect(model.message?.contains("Nothing was paid") == true)
        model.dismiss()
        #expect(!model.isPresented)
    }

    @Test("A cancelled task closes the screen and keeps the consent, which is continued later")
    func cancelled() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        payment.cancel()
        await #expect(throws: CancellationError.self) { try await payment.value }
        #expect(model.phase == .idle && !model.isPresented)
        let pending = try #require(try await wallet.pendingSCA.first)
        let resumed = Task { [model] in try await model.resume(pending, with: wallet).1.status }
        await asked()
        model.input = Shop.code
        model.submit()
        #expect(try await resumed.value == 201)
        #expect(shop.server.consents.map(\.sends) == [1])
    }

    @Test("A second payment does not take the screen from the first, and its consent is kept")
    func oneAtATime() async throws {
        let (shop, wallet) = try await Shop.visited()
        let first = try pay(shop, wallet)
        await asked()
        let second = try pay(shop, wallet)
        #expect(await failure { try await second.value }?.code == .flowActive)
        #expect(model.phase == .asking && model.error == nil)
        model.input = Shop.code
        model.submit()
        #expect(try await first.value == 201)
        #expect(model.phase == .approved)
        #expect(try await wallet.pendingSCA.count == 1)
    }

    @Test("A request that needs no consent shows nothing")
    func unasked() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        _ = try await model.perform(try request("/api/me"), with: wallet)
        #expect(model.phase == .idle && !model.isPresented)
    }
}
