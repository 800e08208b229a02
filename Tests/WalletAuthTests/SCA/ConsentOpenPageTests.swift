import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

/// The page stays open for ten minutes, unless a test says otherwise: the SDK is its clock's other sleeper.
@Suite("A hosted page that stays open in the person's browser", .covers("REDIRECT with returnUrl"))
struct ConsentOpenPageTests {
    private func visited(
        opened: UserAgentOutcome? = nil, returningAfter delay: Duration = .seconds(600),
        answering: @escaping @Sendable (ScriptedServer, URL) throws -> Void = { _, _ in }
    ) async throws -> (shop: Shop, wallet: Wallet) {
        let shop = try Shop(by: .passkey)
        let wallet = try await shop.world.signedIn()
        let (server, clock) = (shop.server, shop.world.clock)
        shop.world.userAgent.setPageStaysOpen(opened == nil)
        shop.world.userAgent.setBehavior { page in
            try answering(server, page)
            if let opened { return opened }
            try await clock.sleep(for: delay)
            return .callback(World.redirectURI)
        }
        return (shop, wallet)
    }

    private func pass(_ durations: Duration..., in shop: Shop, sleepers: Int = 2) async {
        for duration in durations {
            await shop.world.clock.waitForSleepers(sleepers)
            shop.world.clock.advance(by: duration)
        }
    }

    @Test("Once the person has agreed, the payment goes on although they do not return")
    func agreed() async throws {
        let (shop, wallet) = try await visited { server, page in _ = try server.agree(onPage: page) }
        async let paid = wallet.perform(shop.payment(), onSCA: Answers(.page).handler)
        await pass(.seconds(2), .milliseconds(500), in: shop)
        #expect(try await paid.1.status == 201)
        #expect(shop.carriedOut == 1)
        #expect(shop.count(Shop.attempts) == 1)
        #expect(shop.world.userAgent.openConversations == 0)
        #expect(shop.world.clock.sleeperCount == 0)
    }

    @Test("Once the person has refused, the payment ends although they do not return")
    func refused() async throws {
        let (shop, wallet) = try await visited { server, page in _ = try server.refuse(onPage: page) }
        async let paid = failure { try await wallet.perform(shop.payment(), onSCA: Answers(.page).handler) }
        await pass(.seconds(2), in: shop)
        let error = await paid
        #expect(error?.isRefusedByPerson == true)
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(shop.carriedOut == 0)
        #expect(shop.world.userAgent.openConversations == 0)
    }

    @Test("A page in another browser need not return either")
    func openedElsewhere() async throws {
        let (shop, wallet) = try await visited(opened: .opened) { server, page in _ = try server.agree(onPage: page) }
        async let paid = wallet.perform(shop.payment(), onSCA: Answers(.page).handler)
        await pass(.seconds(2), .milliseconds(500), in: shop, sleepers: 1)
        #expect(try await paid.1.status == 201)
        #expect(shop.carriedOut == 1)
    }

    @Test("A page that closes with its session is left to the person")
    func inApp() async throws {
        let (shop, wallet) = try await visited { server, page in _ = try server.agree(onPage: page) }
        shop.world.userAgent.setPageStaysOpen(false)
        async let paid = wallet.perform(shop.payment(), onSCA: Answers(.page).handler)
        await shop.world.clock.waitForSleepers()
        #expect(shop.world.clock.sleeperCount == 1)
        shop.world.clock.advance(by: .seconds(599))
        #expect(shop.count(Shop.attempts) == 0)
        shop.world.clock.advance(by: .seconds(1))
        #expect(try await paid.1.status == 201)
    }

    @Test("A return that arrives while the outcome is known already is one consent", arguments: [1_000, 2_250])
    func returning(milliseconds: Int) async throws {
        let (shop, wallet) = try await visited(returningAfter: .milliseconds(milliseconds)) { server, page in
            _ = try server.agree(onPage: page)
        }
        let person = Answers(.page)
        async let paid = wallet.perform(shop.payment(), onSCA: person.handler)
        if milliseconds > 2_000 {
            await pass(.seconds(2), .milliseconds(250), in: shop)
        } else {
            await pass(.seconds(1), in: shop)
        }
        #expect(try await paid.1.status == 201)
        #expect(shop.carriedOut == 1)
        #expect(person.prompts.count == 1)
        #expect(shop.count(Shop.attempts) == (milliseconds > 2_000 ? 2 : 1))
    }

    @Test("A server that cannot answer closes no page, and is asked again when it says")
    func unavailable() async throws {
        let (shop, wallet) = try await visited { server, page in _ = try server.agree(onPage: page) }
        shop.server.inject(.unavailable(retryAfter: .seconds(10)), at: Shop.attempts)
        async let paid = wallet.perform(shop.payment(), onSCA: Answers(.page).handler)
        await pass(.seconds(2), .seconds(9), in: shop)
        #expect(shop.count(Shop.attempts) == 1)
        await pass(.seconds(1), .milliseconds(500), in: shop)
        #expect(try await paid.1.status == 201)
        #expect(shop.count(Shop.attempts) == 2)
    }

    @Test("Before the person answers, it asks every two seconds; a cancelled call asks no more and keeps the consent")
    func cancelled() async throws {
        let (shop, wallet) = try await visited()
        let payment = try shop.payment()
        let call = Task { try await wallet.perform(payment, onSCA: Answers(.page).handler) }
        await pass(.seconds(2), .seconds(2), .seconds(2), in: shop)
        await shop.world.clock.waitForSleepers(2)
        #expect(shop.count(Shop.attempts) == 3)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(shop.world.clock.sleeperCount == 0)
        #expect(shop.world.userAgent.openConversations == 0)
        #expect(try await wallet.pendingSCA.count == 1)
        #expect(shop.carriedOut == 0)
    }
}
