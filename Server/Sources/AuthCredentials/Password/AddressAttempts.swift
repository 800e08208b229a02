internal import AuthCore
package import AuthFoundation
package import AuthStore

/// Failures counted by network address, for every kind of attempt: passwords, nonces, provider sign-ins.
package struct AddressAttempts: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func subject(_ address: String) throws -> [UInt8] {
        Digests.keyed(
            "address", [RequestOrigin.network(of: address)], key: try context.keyRing.active(.attempts))
    }

    /// When attempts from an address are allowed again; `nil` if they are allowed now. Checked before a hashing slot is taken, so that
    /// a blocked network occupies none.
    func heldUntil(_ subject: [UInt8], now: Timestamp) async throws -> Timestamp? {
        try await context.database.read { try Attempts.state(subject, now: now, on: $0) }?.heldUntil
    }

    package var policy: AttemptPolicy { context.settings.lockout.address }
}
