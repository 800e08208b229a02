import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite("Operations that are asked for without end and never carried out")
struct UnfinishedOperationsTests {
    @Test(
        "attack: an app that has each operation taken back, to ask for the next, does not fill the disk by one session")
    func operationsTakenBack() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        let operations = shop.server.flows.consent.operations
        for number in 1...SCALimits.unfinishedOperationsOfSession {
            let id = "taken-back-\(number)"
            _ = try await shop.required(TestShop.transfer(), id: id)
            try await operations.cancel(WalletOperationID(id), call: shop.call()).get()
        }
        let more = try await shop.ask(TestShop.transfer(), id: "more")
        guard case .tooManyOpen(let seconds)? = more.refusal else {
            Issue.record("it was taken: \(String(describing: more.refusal))")
            return
        }
        #expect(seconds > 0 && seconds <= SCALimits.eventLifetime.wholeSeconds)
        // Another session of the holder's is not held up by it.
        let other = try await elsewhere(shop)
        _ = try await other.required(TestShop.transfer(), id: "elsewhere")
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        _ = try await shop.required(TestShop.transfer(), id: "later")
    }

    @Test("attack: an app that ends each session, to ask for more in the next, does not fill the disk")
    func operationsOfEndedSessions() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        let own = UniqueID(bytes: try await shop.session().bytes)
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        var made: Int64 = 0
        while made < SCALimits.unfinishedOperations {
            let next = try await elsewhere(shop)
            for _ in 0..<min(SCALimits.openOperationsOfSession, SCALimits.unfinishedOperations - made) {
                made += 1
                _ = try await next.required(TestShop.transfer(), id: "op-\(made)")
            }
            let now = shop.server.clock.now()
            try await shop.server.context.database.write {
                _ = try Sessions.endAll(of: account, sparing: own, because: .signedOut, now: now, on: $0)
            }
        }
        let more = try await elsewhere(shop).ask(TestShop.transfer(), id: "more")
        guard case .tooManyOpen(let seconds)? = more.refusal else {
            Issue.record("it was taken: \(String(describing: more.refusal))")
            return
        }
        #expect(seconds > 0 && seconds <= SCALimits.eventLifetime.wholeSeconds)
        // What takes from a thief is not held up.
        let payee = try Payee(name: "Anna", account: "DE02")
        try await shop.trust(payee)
        _ = try await shop.required(WalletOperation(type: .distrustPayee, payee: payee), id: "distrust")
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        _ = try await shop.required(TestShop.transfer(), id: "later")
    }

    /// The same shop, with Ada in another session.
    private func elsewhere(_ shop: TestShop) async throws -> TestShop {
        shop.with(try await TestDevice.signedIn(shop.account, shop.device.app.client, methods: ["pwd"]))
    }
}
