import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthUI
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The screen of a payment's consent", .covers("what a screen shows of a payment")) @MainActor
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

    @Test("A person who did not start it says so: nothing is carried out, and the screen stays with the advice")
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
    }

    @Test("Dismissing the sheet declines")
    func dismissed() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try pay(shop, wallet)
        await asked()
        model.isPresented = false
        #expect(await failure { try await payment.value }?.outcome == .cancelledByPerson)
        #expect(!model.isPresented)
        #expect(shop.carriedOut == 0)
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

    @Test("A consent that is over after five wrong codes says so, without inviting to pay twice")
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
        #expect(model.message?.contains("Check whether it went through") == true)
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
