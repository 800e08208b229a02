import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite(
    "Consents and operations that wait until their time is over",
    .threat("Consent to something other than what was shown"))
struct LateOperationTests {
    /// A shop whose Ada keeps her session active, and an event of the last second of its time that she can answer with a code.
    private func lastSecond() async throws -> (shop: TestShop, event: SCAEventID) {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        return (shop, try await lastSecond(in: shop, by: .sms))
    }

    /// An event of the last second of its time, whose challenges kept Ada's session active.
    private func lastSecond(in shop: TestShop, by verification: SCAVerification) async throws -> SCAEventID {
        let event = try await shop.required(TestShop.transfer())
        for _ in 0..<3 {
            shop.server.clock.advance(by: .minutes(4))
            _ = try await shop.challenge(verification, of: event).get()
        }
        shop.server.clock.advance(by: SCALimits.eventLifetime - .minutes(12) - .seconds(1))
        return event
    }

    /// Has a second pass before a write, in which the backend reads that the operation expired.
    private func expire(_ shop: TestShop, beforeWrite number: Int = 1) {
        shop.server.beforeNextWrite {
            guard number == 1 else { return expire(shop, beforeWrite: number - 1) }
            shop.server.clock.advance(by: .seconds(1))
            let status = try await shop.status()
            #expect(status == .expired)
        }
    }

    @Test(
        "attack: a consent that waits for its write until time is up does not follow an EXPIRED that was read",
        arguments: [1, 2], [true, false])
    func lateConsent(write: Int, isRight: Bool) async throws {
        let (shop, event) = try await lastSecond()
        let code = try await isRight ? shop.code() : shop.wrongCode()
        let counted = try await shop.server.rows(of: "attempts WHERE failures > 0")
        // The first write spends the try, the second writes what came of the comparison.
        expire(shop, beforeWrite: write)
        let attempted = try await shop.attempt(code, .sms, at: event)
        #expect(attempted.refusal == .over(.expired))
        #expect(try await shop.status() == .expired)
        #expect(try await shop.verifiedEvidence().status == .expired)
        // What was compared and wrong counts over all events, however late it was.
        #expect(try await shop.server.rows(of: "attempts WHERE failures > 0") == counted + (isRight ? 0 : 1))
    }

    @Test(
        "An authenticator's code that waits for its write until time is up is not spent, and approves another operation"
    )
    func lateAuthenticatorCode() async throws {
        let shop = try await TestShop.open(methods: ["pwd", "otp"], tokensLast: .minutes(30)) {
            $0.devices.coolingPeriod = .hours(1)
        }
        let setup = try await shop.device.authenticator()
        shop.server.clock.advance(by: .hours(1))
        let settled = shop.with(
            try await TestDevice.signedIn(shop.account, shop.device.app.client, methods: ["pwd", "otp"]))
        let event = try await lastSecond(in: settled, by: .authenticator)
        let code = try settled.device.code(of: setup)
        expire(settled, beforeWrite: 2)
        let attempted = try await settled.attempt(code, .authenticator, at: event)
        #expect(attempted.refusal == .over(.expired))
        let other = try await settled.required(TestShop.transfer(), id: "op-2")
        _ = try await settled.challenge(.authenticator, of: other, id: "op-2").get()
        let answer = try await settled.attempt(code, .authenticator, at: other, id: "op-2").get()
        #expect(answer.status == .verified)
    }

    @Test("attack: an operation that waits for its write until time is up is not carried out after an EXPIRED")
    func lateUse() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        shop.server.clock.advance(by: SCALimits.consentLifetime - .seconds(1))
        let call = try await shop.call()
        expire(shop)
        let consumed = try await shop.server.flows.consent.operations.consume(
            OperationConsumption(eventID: event, account: shop.account, operation: transfer),
            of: WalletOperationID("op-1"), key: nil, call: call)
        #expect(consumed.refusal == .over(.expired))
        #expect(try await shop.verifiedEvidence().status == .expired)
    }

    @Test("A withdrawal that waits for its write until the time is over withdraws nothing that expired")
    func lateWithdrawal() async throws {
        let (shop, _) = try await lastSecond()
        let call = try await shop.call()
        expire(shop)
        try await shop.server.flows.consent.operations.cancel(WalletOperationID("op-1"), call: call).get()
        #expect(try await shop.verifiedEvidence().status == .expired)
    }

    @Test("Reading an operation that has just expired waits for the consent that came in time")
    func readBehindWrites() async throws {
        let readings: [@Sendable (TestShop, BackendCaller, JWKSet) async throws -> WalletOperationStatus] = [
            { shop, call, _ in
                try await shop.server.flows.consent.operations.find(WalletOperationID("op-1"), call: call).get().status
            },
            { shop, call, keys in
                try await shop.server.flows.consent.operations.evidence(of: WalletOperationID("op-1"), call: call).get()
                    .verified(by: keys).status
            },
        ]
        for read in readings {
            let (shop, event) = try await lastSecond()
            let keys = try JWKSet(try await shop.server.administer(["audit", "key"]))
            let code = try await shop.code()
            shop.server.clock.advance(by: .seconds(1))
            let call = try await shop.call()
            // The consent of a moment before the expiry, whose commit the first look did not see.
            shop.server.beforeNextWrite {
                shop.server.clock.advance(by: .seconds(-1))
                let response = try await shop.attempt(code, .sms, at: event).get()
                #expect(response.status == .verified)
                shop.server.clock.advance(by: .seconds(1))
            }
            let status = try await read(shop, call, keys)
            #expect(status == .verified)
        }
    }
}
