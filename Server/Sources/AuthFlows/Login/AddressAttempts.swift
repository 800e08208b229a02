internal import AuthCore
internal import AuthStore

/// Failures counted by network address, whatever was tried from there: passwords, nonces, other providers' words.
struct AddressAttempts: Sendable {
    let context: ServerContext

    /// Under which an address is counted.
    func subject(_ address: String) throws -> [UInt8] {
        Digests.keyed(
            "address", [PasswordVerification.network(of: address)], key: try context.keyRing.active(.attempts))
    }

    /// Until when nothing is tried for an address; `nil` where something is. Asked before a place for a hash is taken, so that a
    /// network that is refused anyway keeps no place from others.
    func heldUntil(_ subject: [UInt8], now: Timestamp) async throws -> Timestamp? {
        try await context.database.lookUp { try Attempts.state(subject, now: now, on: $0) }?.heldUntil
    }

    /// How many failures are free, and what follows them.
    var policy: AttemptPolicy {
        let lockout = context.settings.lockout
        return AttemptPolicy(
            free: lockout.addressFailures,
            afterwards: .delay(first: lockout.firstDelay, longest: lockout.longestDelay),
            forgottenAfter: lockout.addressMemory)
    }
}
