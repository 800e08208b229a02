internal import Core
internal import Kernel
internal import Store

/// Limits how often an account's factors can be changed: the holder is notified each time and must not be flooded.
struct FactorChangeBudget: Sendable {
    let subject: [UInt8]
    let now: Timestamp

    private static let policy = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    init(_ call: any FactorCaller, keyRing: KeyRing) throws {
        subject = Digests.keyed("factor-changes", [call.account.id.uuid], key: try keyRing.active(.attempts))
        now = call.now
    }

    /// Charges one change. Returns a refusal if there were too many.
    func charge(on connection: any SQLConnection) throws -> FactorRefusal? {
        switch try Attempts.count(subject, under: Self.policy, now: now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
    }
}
