import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthUI
import WalletAuthWire

@Suite("The screen of a transaction", .covers("what a screen shows")) @MainActor
struct TransactionModelTests {
    private let model = TransactionModel(languages: ["en"], locale: Locale(identifier: "de_DE"))

    private func sign(_ code: String, _ wallet: Wallet) -> Task<Void, Never> {
        Task { [model] in await model.sign(code, with: wallet) }
    }

    @Test("The person reads, confirms and proves, and the transaction is signed")
    func signs() async throws {
        let till = try await Till()
        let signing = sign(try till.code(), till.wallet)
        await observed { model.phase == .confirming }
        #expect(model.summary?.kind == "PURCHASE")
        #expect(model.summary?.amount == "12,50\u{A0}€")
        #expect(model.summary?.payee == "Café Zürich")
        #expect(model.summary?.heading == "PURCHASE" && model.summary?.name == "PURCHASE")
        #expect(model.summary?.approval == "Approve 12,50\u{A0}€")
        #expect(model.summary?.lines.map(\.label) == ["Additional detail “Order”"])
        model.confirm()
        await observed { model.phase == .verifying }
        #expect(model.question?.kind == .biometrics)
        #expect(model.question?.alternatives.isEmpty == true)
        model.input = "1234"
        model.useBiometrics()
        #expect(model.input.isEmpty)
        await signing.value
        #expect(model.phase == .signed)
        #expect(model.signed != nil && model.isPresented)
        #expect(till.statuses == [.signed])
        model.cancel()
        #expect(!model.isPresented)
    }

    @Test("A code that is signed already says that, and is no failure")
    func alreadySigned() async throws {
        let till = try await Till()
        let code = try till.code()
        #expect(await Person().follow(try till.wallet.flows.start(with: code)).words.last == "done")
        await model.sign(code, with: till.wallet)
        #expect(model.phase == .alreadySigned)
        #expect(model.message == "You’ve already signed this.")
    }

    @Test("A person who did not start it rejects it, and the server knows why")
    func disowned() async throws {
        let till = try await Till()
        let signing = sign(try till.code(), till.wallet)
        await observed { model.phase == .confirming }
        model.reject(.unexpected)
        await signing.value
        #expect(model.phase == .rejected && model.isDisowned)
        #expect(till.world.server.transactions.map(\.reason) == [.unexpected])
        await model.sign("https://shop.example.com/", with: till.wallet)
        #expect(model.phase == .failed && model.error?.code == .invalidQRData)
        #expect(model.summary == nil && !model.isDisowned, "that was another transaction")
    }

    @Test("Dismissing the sheet tells the server nothing, and the same code continues")
    func dismissed() async throws {
        let till = try await Till()
        let code = try till.code()
        let signing = sign(code, till.wallet)
        await observed { model.phase == .confirming }
        model.isPresented = false
        #expect(!model.isPresented)
        await signing.value
        #expect(model.phase == .idle)
        #expect(till.statuses == [.claimed])
        let again = sign(code, till.wallet)
        await observed { model.phase == .confirming }
        model.cancel()
        await again.value
    }

    @Test("What ends without a signature says why")
    func failed() async throws {
        let till = try await Till()
        let code = try till.code()
        till.world.clock.advance(by: .seconds(301))
        await model.sign(code, with: till.wallet)
        #expect(model.phase == .failed)
        #expect(model.message == "Time ran out. Ask for a new code.")
        await model.sign("https://shop.example.com/", with: till.wallet)
        #expect(model.error?.code == .invalidQRData)
    }

    @Test("One code at a time: a second one does not disturb the screen of the first")
    func oneAtATime() async throws {
        let till = try await Till()
        let signing = sign(try till.code(), till.wallet)
        await observed { model.phase == .confirming }
        await model.sign(try till.code(), with: till.wallet)
        #expect(model.phase == .confirming && model.error == nil)
        model.cancel()
        await signing.value
    }

    @Test("Cancelling the task that signs cancels the transaction's flow")
    func cancelledTask() async throws {
        let till = try await Till()
        let signing = sign(try till.code(), till.wallet)
        await observed { model.phase == .confirming }
        signing.cancel()
        await signing.value
        #expect(model.phase == .idle)
        _ = try till.wallet.flows.start(with: try till.code())
    }
}
