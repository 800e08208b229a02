internal import Core
internal import Kernel
internal import WalletAuthWire

/// Checks a password that a person chooses, and hashes it for its row.
struct NewPasswords: Sendable {
    let vault: AccountVault
    let passwords: PasswordHasher
    let compromised: CompromisedPasswords

    enum Outcome: Sendable {
        case sealed([UInt8])
        /// It breaks a rule.
        case unacceptable(PasswordRuleViolation)
        /// No capacity to hash; in seconds.
        case busy(retryAfter: Int64)
    }

    /// - Parameters:
    ///   - names: the person's user names.
    ///   - claimant: takes the hashing slot.
    func seal(
        _ password: Password, of account: AccountRecord, names: [String], for claimant: PasswordSlots.Claimant,
        now: Timestamp
    ) async throws -> Outcome {
        let known = names + [vault.email(of: account)].compactMap(\.self)
        if let fault = try await compromised.fault(in: password, names: known, now: now) {
            return .unacceptable(fault)
        }
        guard let slot = passwords.slot(for: claimant) else { return .busy(retryAfter: PasswordHasher.retryAfter) }
        if let old = vault.open(account.password, .password, of: account.id),
            try await passwords.verify(password, against: old, in: slot)
        {
            return .unacceptable(.unchanged)
        }
        return .sealed(try vault.seal(try await passwords.hash(password, in: slot), .password, of: account.id))
    }
}
