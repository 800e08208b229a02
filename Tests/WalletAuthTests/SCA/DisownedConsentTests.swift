import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite(
    "A payment that the person did not start", .covers("a payment that the person did not start is ended at the server")
)
struct DisownedConsentTests {
    @Test("A person who did not start it ends it at the server, where no one can approve it any more")
    func disowned() async throws {
        let (shop, wallet) = try await Shop.visited()
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(.disown).handler) }
        #expect(error?.outcome == .cancelledByPerson)
        #expect(error?.isRefusedByPerson == true)
        #expect(shop.server.consents.map(\.isRefused) == [true])
        #expect(try await wallet.pendingSCA.isEmpty)
        let attempt = await failure {
            try await wallet.authentication.submitSCAAttempt(
                eventID: Shop.event,
                request: SCA.AttemptRequest(
                    walletOperationID: "operation-1", verification: .sms, value: Shop.code))
        }
        #expect(attempt?.code == .dataError)
        #expect(attempt?.isRefusedByPerson == true)
    }

    @Test("A lost answer to the refusal is asked for again: the event is refused once")
    func disownedTwice() async throws {
        let (shop, wallet) = try await Shop.visited()
        shop.server.inject(.loseAnswer, at: Shop.refusal)
        let payment = try shop.payment()
        let call = Task { await failure { try await wallet.perform(payment, onSCA: Answers(.disown).handler) } }
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(1))
        #expect(await call.value?.outcome == .cancelledByPerson)
        #expect(shop.count(Shop.refusal) == 2)
    }

    @Test("Without a network the refusal is an error, and the consent is kept to refuse it later")
    func disownedOffline() async throws {
        let (shop, wallet) = try await Shop.visited()
        let world = shop.world
        let payment = try shop.payment()
        let call = Task {
            await failure {
                try await wallet.perform(
                    payment,
                    onSCA: { _ in
                        world.server.network = .offline
                        return .disown
                    })
            }
        }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(3))
        }
        #expect(await call.value?.outcome == .offline)
        world.server.network = .up
        let pending = try #require(try await wallet.pendingSCA.first)
        let later = await failure { try await wallet.resume(pending, onSCA: Answers(.disown).handler) }
        #expect(later?.outcome == .cancelledByPerson)
        #expect(shop.server.consents.map(\.isRefused) == [true])
    }

    @Test("A call that is cancelled after the person said that they did not start it still tells the server")
    func disownedAndCancelled() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try shop.payment()
        let call = Task {
            await failure {
                try await wallet.perform(
                    payment,
                    onSCA: { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                        return .disown
                    })
            }
        }
        #expect(await call.value?.outcome == .cancelledByPerson)
        #expect(shop.server.consents.map(\.isRefused) == [true])
    }

    @Test("A stored consent is ended at the server without asking again; without a network it stays stored")
    func stored() async throws {
        let (shop, wallet) = try await Shop.visited()
        let world = shop.world
        let payment = try shop.payment()
        await #expect(throws: CancellationError.self) {
            try await wallet.perform(payment, onSCA: { _ in throw CancellationError() })
        }
        let pending = try #require(try await wallet.pendingSCA.first)
        world.server.network = .offline
        let call = Task { await failure { try await wallet.disown(pending) } }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(3))
        }
        #expect(await call.value?.outcome == .offline)
        world.server.network = .up
        #expect(try await wallet.pendingSCA == [pending])
        try await wallet.disown(pending)
        #expect(shop.server.consents.map(\.isRefused) == [true])
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(await failure { try await wallet.disown(pending) }?.code == .eventNotFound)
        #expect(shop.server.consents.map(\.isWithdrawn) == [false])
    }

    @Test("What the person no longer wants is ended at the server as a withdrawal, of which no one is warned")
    func withdrawn() async throws {
        let (shop, wallet) = try await Shop.visited()
        let payment = try shop.payment()
        await #expect(throws: CancellationError.self) {
            try await wallet.perform(payment, onSCA: { _ in throw CancellationError() })
        }
        let pending = try #require(try await wallet.pendingSCA.first)
        try await wallet.withdraw(pending)
        #expect(shop.server.consents.map(\.isRefused) == [true])
        #expect(shop.server.consents.map(\.isWithdrawn) == [true])
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(await failure { try await wallet.withdraw(pending) }?.code == .eventNotFound)
    }
}
