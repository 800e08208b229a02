import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel

/// An app that got no answer, or a 503, sends the same value again.
@Suite("A value that is sent again is the same try")
struct RepeatedAttemptTests {
    /// The counters with tries that have no result.
    private static let lostTries = "attempts WHERE pending + lost > 0"

    /// A shop whose event waits for the code of an SMS.
    private func asked() async throws -> (shop: TestShop, event: SCAEventID) {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        return (shop, event)
    }

    /// Has the write that records the result of a comparison fail, as on a full disk.
    private func failResults(at shop: TestShop) async throws {
        try await shop.server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER failing BEFORE INSERT ON sca_attempts BEGIN SELECT RAISE(ABORT, 'no room'); END
                """)
        }
    }

    private func mend(_ shop: TestShop) async throws {
        try await shop.server.context.database.write { try $0.define("DROP TRIGGER failing") }
    }

    @Test("The right code is verified after any number of failed writes, at another process too")
    func rightCode() async throws {
        let (shop, event) = try await asked()
        let code = try await shop.code()
        try await failResults(at: shop)
        for _ in 0..<8 {
            await #expect(throws: (any Error).self) { try await shop.attempt(code, .sms, at: event) }
            shop.server.clock.advance(by: .seconds(10))
        }
        try await mend(shop)
        let restarted = shop.at(try await shop.server.restarted())
        let outcome = try await restarted.attempt(code, .sms, at: event).get()
        #expect(outcome == SCAAttemptResponse(status: .verified, reason: .valid, remainingAttempts: 5))
        let again = try await restarted.attempt(code, .sms, at: event).get()
        #expect(again == outcome)
    }

    @Test("The right code as the last try is verified after a failed write, and after the minute that locks lost tries")
    func lastTry() async throws {
        let (shop, event) = try await asked()
        for left in Int64(1)...4 {
            let outcome = try await shop.attempt(shop.wrongCode(), .sms, at: event).get()
            #expect(outcome.remainingAttempts == 5 - left)
        }
        let code = try await shop.code()
        try await failResults(at: shop)
        await #expect(throws: (any Error).self) { try await shop.attempt(code, .sms, at: event) }
        try await mend(shop)
        shop.server.clock.advance(by: .minutes(2))
        let outcome = try await shop.attempt(code, .sms, at: event).get()
        #expect(outcome.status == .verified)
    }

    @Test(
        "attack: five codes whose results were lost use up the event, and may be repeated, but no sixth is compared",
        .threat("Consent to something other than what was shown"))
    func differentCodes() async throws {
        let (shop, event) = try await asked()
        let right = try await shop.code()
        let wrong = ["111111", "222222", "333333", "444444", "555555", "666666"].filter { $0 != right }.prefix(5)
        try await failResults(at: shop)
        for code in wrong + wrong {
            await #expect(throws: (any Error).self) { try await shop.attempt(code, .sms, at: event) }
        }
        try await mend(shop)
        let sixth = try await shop.attempt(right, .sms, at: event)
        #expect(sixth.refusal == .over(.locked))
        for (number, code) in wrong.enumerated() {
            let outcome = try await shop.attempt(code, .sms, at: event)
            if number < 4 {
                #expect(try outcome.get().reason == .invalidValue)
            } else {
                #expect(outcome.refusal == .over(.locked))
            }
        }
    }

    @Test(
        "attack: a code whose result was lost is another try once another code was sent",
        .threat("Consent to something other than what was shown"))
    func anotherChallenge() async throws {
        let (shop, event) = try await asked()
        let wrong = try await shop.wrongCode()
        try await failResults(at: shop)
        await #expect(throws: (any Error).self) { try await shop.attempt(wrong, .sms, at: event) }
        try await mend(shop)
        shop.server.clock.advance(by: SCALimits.interval)
        _ = try await shop.challenge(.sms, of: event).get()
        guard try await shop.code() != wrong else { return }
        let outcome = try await shop.attempt(wrong, .sms, at: event).get()
        #expect(outcome == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 3))
    }

    @Test(
        "attack: a code that is sent again in a session that ends meanwhile takes lost tries back",
        .threat("Consent to something other than what was shown"))
    func endedSession() async throws {
        let (shop, event) = try await asked()
        let (server, wrong) = (shop.server, try await shop.wrongCode())
        let id = try await shop.session()
        let session = try #require(UniqueID(bytes: id.bytes))
        try await failResults(at: shop)
        await #expect(throws: (any Error).self) { try await shop.attempt(wrong, .sms, at: event) }
        try await mend(shop)
        let lost = try await server.rows(of: Self.lostTries)
        #expect(lost == 1)
        // The first write finds the try that was charged, the second writes what came of the comparison.
        server.beforeNextWrite {
            server.beforeNextWrite {
                let now = server.clock.now()
                try await server.context.database.write {
                    _ = try Sessions.end(session, because: .signedOut, now: now, on: $0)
                }
            }
        }
        let outcome = try await shop.attempt(wrong, .sms, at: event)
        #expect(outcome.refusal == .unauthorized(.unusableToken(.ended)))
        let left = try await server.rows(of: Self.lostTries)
        #expect(left == lost)
    }

    @Test("race: a wrong code that is sent again while it is compared costs one try")
    func atOnce() async throws {
        let (shop, event) = try await asked()
        let (server, wrong) = (shop.server, try await shop.wrongCode())
        let told = SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4)
        // The first write spends the try, the second writes what came of the comparison.
        server.beforeNextWrite {
            server.beforeNextWrite {
                let meanwhile = try await shop.attempt(wrong, .sms, at: event).get()
                #expect(meanwhile == told)
            }
        }
        let first = try await shop.attempt(wrong, .sms, at: event).get()
        #expect(first == told)
        let compared = try await server.rows(of: "sca_attempts")
        #expect(compared == 1)
    }
}
