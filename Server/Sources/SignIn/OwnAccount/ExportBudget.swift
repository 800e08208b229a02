internal import Core
internal import Kernel
internal import Store

/// Limits how often an account's data is exported: it is read from every table.
struct ExportBudget: Sendable {
    private let subject: [UInt8]
    private let now: Timestamp

    private static let policy = AttemptPolicy(
        free: 3, afterwards: .delay(first: .hours(1), longest: .hours(24)), forgottenAfter: .hours(24))

    init(_ call: any FactorCaller, keyRing: KeyRing) throws {
        subject = Digests.keyed("account-exports", [call.account.id.uuid], key: try keyRing.active(.attempts))
        now = call.now
    }

    /// Charges one export. Returns a refusal if there were too many.
    func charge(on connection: any SQLConnection) throws -> FactorRefusal? {
        switch try Attempts.count(subject, under: Self.policy, now: now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
    }
}
