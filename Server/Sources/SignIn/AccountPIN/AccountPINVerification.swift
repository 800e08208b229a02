package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Verifies an account PIN at sign-in. To an untrusted device, the answer and its timing are the same for a wrong PIN, a locked
/// one, none, and an unknown name.
package struct AccountPINVerification: Sendable {
    let database: any Database
    let passwords: PasswordHasher
    let addresses: AddressAttempts
    let verification: PasswordVerification
    let guesses: AccountPINGuesses

    package enum Outcome: Sendable {
        /// The PIN is right. The gate decides whether the account may sign in.
        case verified(AccountRecord)
        case refused(CredentialRefusal)
        /// The brand accepts no PINs, which is public; nothing was charged.
        case notTaken
    }

    private enum Reservation: Sendable {
        case charged(AccountPINGuesses.Charge)
        case addressLocked(until: Timestamp?)
        case notTaken
    }

    /// Verifies a PIN.
    /// - Parameters:
    ///   - pin: as typed.
    ///   - username: as typed, mapped.
    ///   - brand: the brand of the account.
    ///   - origin: of the sign-in.
    ///   - device: the evidence that the device is known. A known one is spared the counter of its address; the PIN has one
    ///     count, on whatever device it is guessed.
    package func verify(
        _ pin: AccountPIN, username: Username, brand: BrandID, device: PasswordVerification.Device,
        origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let shared = try addresses.counters(of: origin, now: now)
        // Before the account is looked up, as for a password.
        let hold = try await addresses.heldUntil(shared, now: now).map {
            CredentialRefusal.networkHeld(retryAfter: RetryAfter.seconds(until: $0, now: now))
        }
        if let hold {
            if let closure = ClaimedAccount(account: nil, device: device, isKnownDevice: false).closure {
                return .refused(closure)
            }
            let mayBeKnown = try await addresses.mayBeKnown(
                device, to: username, brand: brand, sealing: verification.vault.sealing, now: now)
            guard mayBeKnown else { return .refused(hold) }
        }
        let claimed =
            try await verification
            .find(username, brand: brand, device: device, now: now)
        if let closure = claimed.closure { return .refused(closure) }
        // Untrusted devices at the same address must not block a known device.
        let address = claimed.isKnownDevice ? nil : shared
        if address != nil, let hold { return .refused(hold) }
        // The slot comes before the charge: a guess that cannot be compared must cost nothing.
        guard let slot = passwords.slot(for: claimed.claimant(at: username, brand: brand, from: origin)) else {
            return .refused(.busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = claimed.account.flatMap { $0.state == .active ? $0 : nil }
        let subject = try guesses.subject([brand.rawValue, username.rawValue])
        let reservation = try await database.write { connection -> Reservation in
            // In the write that charges, and after the account was read. If the operator turns PINs off in between, the
            // account's version rises: either nothing is compared here, or the result carries a void version.
            guard try Brands.takesAccountPINs(brand.rawValue, on: connection) else { return .notTaken }
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                return .addressLocked(until: until)
            }
            return .charged(
                try guesses.charge(
                    account?.id, under: subject, address: address, origin: origin, now: now, on: connection))
        }
        switch reservation {
        case .notTaken: return .notTaken
        case .addressLocked(let until):
            return .refused(.networkHeld(retryAfter: RetryAfter.seconds(until: until, now: now)))
        case .charged(let charge):
            guard let proof = try await guesses.compare(pin, charged: charge, to: account, in: slot), let account
            else { return .refused(.invalid) }
            let isSpent = try await database.write { connection in
                // In the order of the reservation: another one would be a deadlock between two attempts.
                try address?.refund(on: connection)
                return try proof.spend(on: connection)
            }
            return isSpent ? .verified(account) : .refused(.invalid)
        }
    }
}

extension Brands {
    /// Whether accounts of a brand may sign in with an account PIN. Its operator turns that on.
    package static func takesAccountPINs(_ brand: String, on connection: any SQLConnection) throws -> Bool {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.accountPIN ?? false
    }

    /// Whether methods proved earlier still open an account: an account PIN counts only while its brand accepts one.
    package static func take(
        _ methods: [String], from account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        guard AuthenticationStrength.includeAccountPIN(methods) else { return true }
        return try Accounts.find(account, on: connection).map { try takesAccountPINs($0.brandID, on: connection) }
            ?? false
    }
}
