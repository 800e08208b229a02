package import AuthCore
package import AuthStore
package import WalletAuthWire

/// The account that a confidential client's backend has made for a guest.
package struct GuestEnrollment: Sendable {
    let context: ServerContext

    /// Each parameter is the property of its name.
    package init(context: ServerContext) { self.context = context }

    /// A password that was found acceptable, hashed.
    package struct HashedPassword: Sendable {
        let hash: String
    }

    /// What came of hashing a password.
    package enum Hashing: Sendable {
        /// It may be used.
        case hashed(HashedPassword)
        /// It may not.
        case unacceptable(PasswordRuleViolation)
        /// There is no room to hash. Seconds.
        case busy(retryAfter: Int64)
    }

    /// Whether a brand has an account of a name.
    package func isTaken(_ name: Username, in brand: BrandID) async throws -> Bool {
        try await context.database.read {
            try Accounts.find(named: name.rawValue, brand: brand.rawValue, on: $0) != nil
        }
    }

    /// Checks a new password, and hashes it.
    ///
    /// The sandbox takes a common one, so that the examples of its integrators' documents work there as they are.
    /// - Parameters:
    ///   - password: as typed.
    ///   - username: the account's name to be.
    ///   - call: the client's request.
    package func hash(
        _ password: Password, for username: Username, call: GuestSessions.Call
    ) async throws -> Hashing {
        let fault = try await CompromisedPasswords(context: context)
            .fault(in: password, names: [username.rawValue], now: call.now)
        if let fault, context.settings.environment == .production || fault != .tooCommon {
            return .unacceptable(fault)
        }
        let claimant = PasswordSlots.Claimant.untrusted(
            at: username, brand: try call.client.accountBrand, from: call.origin)
        guard let place = context.passwords.place(for: claimant) else {
            return .busy(retryAfter: PasswordHasher.retryAfter)
        }
        return .hashed(HashedPassword(hash: try await context.passwords.hash(password, in: place)))
    }

    /// What came of making the account.
    package enum Outcome: Sendable {
        /// It was made.
        case made(AccountRecord)
        /// The guest's identity has an account already.
        case linked
        /// The brand has an account of that name.
        case nameTaken
        /// The provider was removed, or registered on other terms, since it vouched.
        case providerGone
    }

    /// Makes the account and links it, in one write with what the caller keeps of it, or does nothing.
    /// - Parameters:
    ///   - guest: whom the provider vouches for.
    ///   - username: the account's name.
    ///   - password: its password.
    ///   - properties: what the audit log keeps with the link.
    ///   - call: the client's request.
    ///   - alongside: what the caller writes with it; what it throws undoes everything.
    package func make(
        for guest: ProvenGuest, username: Username, password: HashedPassword, properties: [String: String],
        call: GuestSessions.Call, alongside: @escaping @Sendable (AccountRecord, any SQLConnection) throws -> Void
    ) async throws -> Outcome {
        // An unverified address would have to be confirmed before the first sign-in, which a backend cannot ask for.
        let details = GuestAccount.Details(
            username: username, email: guest.identity.isEmailVerified ? guest.identity.email : nil,
            passwordHash: password.hash, properties: properties, authTime: call.now, client: call.client.id,
            origin: call.origin, countsAddress: false)
        let account = try GuestAccount(
            context: context, guest: VouchedGuest(guest.identity), details, now: call.now)
        switch try await account.make(alongside: alongside) {
        case .made(let record): return .made(record)
        case .linked, .outdated: return .linked
        case .nameTaken: return .nameTaken
        case .providerGone: return .providerGone
        // Only network addresses are slowed, and none is counted here.
        case .tooManyAttempts: throw SourceFailure()
        }
    }
}
