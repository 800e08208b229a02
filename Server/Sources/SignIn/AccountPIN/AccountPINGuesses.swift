package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Guesses at an account PIN, on any page: one charge before the comparison, one comparison, one answer for every failure.
///
/// This folder owns the PIN that the server compares. It does not decide who may sign in (`Gate`). Device PINs are in
/// `DevicePIN`.
package struct AccountPINGuesses: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let passwords: PasswordHasher
    let auditLog: AuditLog

    /// The counters that a guess was charged to.
    package struct Charge: Sendable {
        /// Counter of the name, charged whether or not the account has a PIN.
        fileprivate let subject: [UInt8]
        /// Counters of the networks; `nil` if none were charged.
        fileprivate let address: SharedCounters?
        fileprivate let origin: RequestOrigin
        fileprivate let now: Timestamp
        /// The PIN to compare with; `nil` if there is none to compare: no account, no PIN, or a locked one. The same work is
        /// done anyway.
        fileprivate var compared: AccountPINRecord?
        /// A PIN whose last guess was charged but never finished.
        fileprivate var abandoned: AccountPINRecord?
    }

    /// A right guess. It has no effect until it is spent.
    package struct Proof: Sendable {
        fileprivate let account: UniqueID
        fileprivate let version: UniqueID
        fileprivate let rehashed: [UInt8]?

        /// Refunds the charge, in the write that the guess authorizes.
        /// - Returns: false if the PIN was changed, removed or locked in the meantime.
        package func spend(on connection: any SQLConnection) throws -> Bool {
            try AccountPINs.prove(account, version: version, rehashed: rehashed, on: connection)
        }
    }

    /// Counts guesses by name, apart from the PIN's own row. A guess at a name without a PIN thus writes as much as any other.
    /// No answer depends on this counter, and it expires.
    private static let byName = AttemptPolicy(
        free: AccountPINLimits.inARow, afterwards: .delay(first: .hours(1), longest: .hours(1)),
        forgottenAfter: .hours(24))

    /// Longer than any guess waits for its slot and its comparison.
    private static let longestComparison = Duration.minutes(1)

    /// The counter for guesses at a name, whether or not the account has a PIN.
    package func subject(_ name: [String]) throws -> [UInt8] {
        Digests.keyed("account-pin", name, key: try keyRing.active(.attempts))
    }

    /// Charges a guess.
    /// - Parameters:
    ///   - account: the account whose PIN is guessed; `nil` if nothing may be compared.
    ///   - subject: the counter of the name.
    ///   - address: the counters of the networks; `nil` if none were reserved.
    ///   - origin: of the guess.
    ///   - connection: the connection of a write.
    package func charge(
        _ account: UniqueID?, under subject: [UInt8], address: SharedCounters? = nil, origin: RequestOrigin,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Charge {
        var charge = Charge(subject: subject, address: address, origin: origin, now: now)
        _ = try Attempts.count(subject, under: Self.byName, now: now, on: connection)
        guard let account else { return charge }
        charge.compared = try AccountPINs.charge(account, now: now, on: connection)
        if charge.compared == nil, let record = try AccountPINs.find(account, on: connection),
            Self.isAbandoned(record, now: now)
        {
            charge.abandoned = record
        }
        return charge
    }

    /// Whether the last guess was charged but never finished, for instance because the process ended. Not immediately: that
    /// guess may be the right one and still being compared.
    private static func isAbandoned(_ record: AccountPINRecord, now: Timestamp) -> Bool {
        guard record.state == .active, record.isUsedUp else { return false }
        return record.chargedAt.map { now - $0 >= longestComparison } ?? true
    }

    /// Compares a charged guess.
    /// - Parameters:
    ///   - pin: as typed.
    ///   - charge: the result of the charge.
    ///   - account: the owner of the PIN.
    ///   - slot: the hashing slot, taken before the charge.
    /// - Returns: `nil` for a wrong guess. If it was the last one allowed, the holder is notified.
    package func compare(
        _ pin: AccountPIN, charged charge: Charge, to account: AccountRecord?, in slot: PasswordHasher.Slot
    ) async throws -> Proof? {
        let encoded = charge.compared.flatMap { open($0) }
        let isRight = try await passwords.verify(pin.digits, against: encoded, in: slot)
        if isRight, let encoded, let record = charge.compared {
            return Proof(
                account: record.accountID, version: record.version,
                rehashed: try await rehashed(encoded, of: record, pin: pin, in: slot))
        }
        let ending = try account.map { try self.ending(of: charge, at: $0) } ?? .unrecorded
        // Always one write: the response time must not reveal whether there is a PIN to lock.
        try await database.write { connection in
            try charge.address?.fail(on: connection)
            try Attempts.touch(charge.subject, on: connection)
            switch ending {
            case .unrecorded: break
            case .failures(let entry): try entry.write(on: connection)
            case .locked(let record, let entry):
                guard
                    try AccountPINs.lock(record.accountID, version: record.version, now: charge.now, on: connection)
                else { return }
                try entry.write(on: connection)
            }
        }
        return nil
    }

    /// The effect of a wrong guess.
    private enum Ending: Sendable {
        case unrecorded
        /// An audit entry with the number of failures.
        case failures(AuditLog.Entry)
        /// The PIN is locked, and its holder notified.
        case locked(AccountPINRecord, AuditLog.Entry)
    }

    private func ending(of charge: Charge, at account: AccountRecord) throws -> Ending {
        if let record = charge.abandoned ?? charge.compared, record.isUsedUp {
            return .locked(
                record,
                try auditLog.entry(
                    AccountPINEvent.locked, account: account.id, origin: charge.origin, now: charge.now,
                    message: AccountPINMessage.locked, email: AccountVault(auditLog.sealing).email(of: account)))
        }
        // Recorded by number, as wrong passwords are: four in a row, eight and sixteen in total.
        guard let record = charge.compared,
            record.failed == 4 || record.failedTotal == 8 || record.failedTotal == 16
        else {
            return .unrecorded
        }
        var details = JSONObject()
        details.set("factor", AuthenticationStrength.pin)
        details.set("failures", record.failed)
        details.set("altogether", record.failedTotal)
        return .failures(
            try auditLog.entry(
                AccountEvent.signInFailures, account: account.id, origin: charge.origin, now: charge.now,
                details: details))
    }

    // MARK: - The hash

    /// The hash of a new PIN, sealed for its row.
    package func sealedHash(
        of pin: AccountPIN, account: UniqueID, in slot: PasswordHasher.Slot
    ) async throws -> [UInt8] {
        try vault.seal(try await passwords.hash(pin.digits, in: slot), .hash, of: account)
    }

    /// A new hash with today's cost and pepper; `nil` if the stored one is current.
    private func rehashed(
        _ encoded: String, of record: AccountPINRecord, pin: AccountPIN, in slot: PasswordHasher.Slot
    ) async throws -> [UInt8]? {
        let isPeppered = try Sealing.keyID(of: record.hash) == keyRing.active(.pepper).id
        let isCurrent = passwords.isCurrent(encoded)
        if isPeppered, isCurrent { return nil }
        if isCurrent { return try vault.seal(encoded, .hash, of: record.accountID) }
        return try await sealedHash(of: pin, account: record.accountID, in: slot)
    }

    /// The hash; `nil` if it does not open.
    private func open(_ record: AccountPINRecord) -> String? { vault.open(record.hash, .hash, of: record.accountID) }

    private var vault: Vault<AccountPINField> { Vault(auditLog.sealing) }
}

enum AccountPINField: String, SealedField {
    case hash = "account_pins|hash"

    var purpose: KeyPurpose { .pepper }
}
