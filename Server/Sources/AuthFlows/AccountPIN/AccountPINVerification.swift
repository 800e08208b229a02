internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Checking the PIN of an account where somebody signs in by it. What a stranger sees and how long it takes is the same for a
/// wrong PIN, a locked one, none, and a name that nobody has.
struct AccountPINVerification: Sendable {
    let context: ServerContext
    let origin: RequestOrigin
    let now: Timestamp

    /// What came of it.
    enum Outcome: Sendable {
        /// The PIN is the account's. Whether it may sign in is the gate's to decide.
        case verified(AccountRecord)
        /// Wrong, locked, not set, or nobody's; nobody can tell which.
        case invalid
        /// Deactivated: told to a browser only that the account signed in with before.
        case deactivated
        /// Too many failures from this address; seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// No room to hash; nothing was charged. Seconds.
        case busy(retryAfter: Int64)
        /// The brand takes no PINs, as everybody can see; nothing was charged.
        case notTaken
    }

    private enum Reservation: Sendable {
        case charged(AccountPINGuesses.Charge)
        case addressLocked(until: Timestamp?)
        case notTaken
    }

    /// Checks a PIN.
    /// - Parameters:
    ///   - pin: as typed.
    ///   - username: as typed, mapped.
    ///   - brand: whose accounts are meant.
    ///   - cookie: what the browser is known by.
    func verify(
        _ pin: AccountPIN, username: Username, brand: BrandID, cookie: KnownDeviceCookie?
    ) async throws -> Outcome {
        let found = try await context.database.read {
            try Accounts.find(named: username.rawValue, brand: brand.rawValue, on: $0)
        }
        let isKnown = found.flatMap { cookie?.knows($0, now: now) } ?? false
        if let found, found.state == .deactivated, isKnown { return .deactivated }
        // Untrusted devices behind the same address must not block a browser that the account knows.
        let addresses = AddressAttempts(context: context)
        let address = isKnown ? nil : try addresses.subject(origin.address)
        if let address, let until = try await addresses.heldUntil(address, now: now) {
            return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
        // A place before the charge: a guess that there is no room to compare costs nothing.
        let claimant: PasswordSlots.Claimant =
            if isKnown, let found {
                .known(to: found.id, from: origin)
            } else {
                .untrusted(at: username, brand: brand, from: origin)
            }
        guard let place = context.passwords.place(for: claimant) else {
            return .busy(retryAfter: PasswordHasher.retryAfter)
        }
        let account = found.flatMap { $0.state == .active ? $0 : nil }
        let guesses = AccountPINGuesses(context: context, origin: origin, now: now)
        let subject = try guesses.subject([brand.rawValue, username.rawValue])
        let reservation = try await context.database.write { connection -> Reservation in
            // In the write that charges, and after the account was read: where its operator turned PINs off in between, which
            // raises the account's version, either nothing is compared here or what comes of it has a version that is void.
            guard try Brands.takesAccountPINs(brand.rawValue, on: connection) else { return .notTaken }
            if let address,
                case .refuse(let until) = try Attempts.reserve(
                    address, under: addresses.policy, now: now, on: connection)
            {
                return .addressLocked(until: until)
            }
            return .charged(
                try guesses.charge(account?.id, under: subject, address: address, on: connection))
        }
        switch reservation {
        case .notTaken: return .notTaken
        case .addressLocked(let until):
            return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        case .charged(let charge):
            guard let proof = try await guesses.compare(pin, charged: charge, to: account, in: place), let account
            else {
                return .invalid
            }
            let isSpent = try await context.database.write { connection in
                let isSpent = try proof.spend(on: connection)
                if let address { try Attempts.refund(address, on: connection) }
                return isSpent
            }
            return isSpent ? .verified(account) : .invalid
        }
    }
}
