package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// A guest's attempts to prove their identity, counted before the provider is asked. They are counted by guest: the
/// network address is the backend's, which all its guests share.
package struct GuestAttempts: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let lockout: LockoutPolicy
    let access: ProviderAccess

    /// Whose attempts at what are counted, and how many are allowed.
    package struct Counter: Sendable {
        fileprivate let subject: [UInt8]
        fileprivate let policy: AttemptPolicy
        fileprivate let provider: IdentityProvider
    }

    private static let longestWait = Duration.minutes(1)

    /// How the request names the guest.
    package enum Claim: String, Sendable {
        /// The provider's own identity token.
        case token
        /// An identifier, which anyone could have sent: its failures do not count against a guest with a token.
        case subject
    }

    /// The subject of the attempts.
    package enum Matter: String, Sendable {
        /// Authorization codes of the provider.
        case codes
        /// User names: a taken one reveals an account.
        case names
        /// Codes of people named by an identifier alone, counted by the client that sends it. A right one resets the
        /// count, since one client speaks for all its guests.
        case claimedIdentities = "strangers"
    }

    /// - Parameters:
    ///   - matter: the subject of the attempts.
    ///   - guest: the digest of the guest's identity, or the client's id.
    ///   - claim: how the guest was named.
    package func counter(
        of matter: Matter, by guest: [UInt8], _ claim: Claim, at provider: IdentityProvider
    ) throws -> Counter {
        let subject = Digests.keyed(
            "guest", [matter.rawValue, provider.brand.rawValue, claim.rawValue, Base64URL.encode(guest)],
            key: try keyRing.active(.attempts))
        let policy =
            switch matter {
            case .codes: lockout.unknownDevices
            // A search for a free name takes more tries than a code does.
            case .names: lockout.shared
            // A client's new guests have to wait because of a stranger's guesses, so the wait is a minute at most.
            case .claimedIdentities:
                AttemptPolicy(
                    free: lockout.sharedFailures,
                    afterwards: .delay(
                        first: min(lockout.firstDelay, Self.longestWait),
                        longest: min(lockout.longestDelay, Self.longestWait)),
                    forgottenAfter: lockout.sharedMemory)
            }
        return Counter(subject: subject, policy: policy, provider: provider)
    }

    /// Charges an attempt under all counters, or under none. ``settle(_:isWrong:)`` it, or report that it succeeded.
    /// - Returns: the seconds to wait after too many failures; `nil` if the provider may be asked.
    package func reserve(_ counters: [Counter], now: Timestamp) async throws -> Int64? {
        try await database.write { connection in
            for (index, counter) in counters.enumerated() {
                guard
                    case .refuse(let until) = try Attempts.reserve(
                        counter.subject, under: counter.policy, now: now, on: connection)
                else { continue }
                for reserved in counters[..<index] { try Attempts.refund(reserved.subject, on: connection) }
                return RetryAfter.seconds(until: until, now: now)
            }
            return nil
        }
    }

    /// Records that the guest's claim was right.
    /// - Parameters:
    ///   - identity: parts of it are stored with the account's link.
    ///   - account: the guest's account, if there is one.
    /// - Throws: ``VendorConsentEnded`` if the guest has ended their consent at the provider since. Then the attempt has to be
    ///   settled as one without a result.
    package func succeed(
        _ counter: Counter, as identity: ProvenIdentity, of account: AccountRecord?, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try Attempts.succeed(counter.subject, on: connection)
        try identity.recordSignIn(to: account, at: counter.provider, by: access, now: now, on: connection)
    }

    /// Records that the guest's claim was right, for a caller without rows of its own.
    /// - Returns: whether the claim still holds.
    package func succeed(
        _ counter: Counter, as identity: ProvenIdentity, of account: AccountRecord? = nil, now: Timestamp
    ) async throws -> Bool {
        do {
            try await database.write { try succeed(counter, as: identity, of: account, now: now, on: $0) }
            return true
        } catch is VendorConsentEnded {
            try await settle([counter], isWrong: false)
            return false
        }
    }

    /// Records a right attempt.
    package func succeed(_ counter: Counter) async throws {
        try await database.write { try Attempts.succeed(counter.subject, on: $0) }
    }

    /// Records an attempt that did not succeed: a wrong credential counts, and an attempt without a result is refunded.
    package func settle(_ counters: [Counter], isWrong: Bool) async throws {
        try await database.write { connection in
            for counter in counters {
                if isWrong {
                    try Attempts.fail(counter.subject, on: connection)
                } else {
                    try Attempts.refund(counter.subject, on: connection)
                }
            }
        }
    }
}
