internal import Core
package import Kernel
package import SignIn
package import Store
package import WalletAuthWire

/// Accounts that a confidential client's backend creates for guests.
package struct GuestEnrollment: Sendable {
    let database: any Database
    let passwords: PasswordHasher
    let compromised: CompromisedPasswords
    /// In the sandbox, so that the examples in integrators' documents work there unchanged.
    let acceptsCommonPasswords: Bool
    /// Prepares an account.
    let account: @Sendable (ProvenIdentity, GuestAccount.Details, Timestamp) throws -> GuestAccount

    /// A hashed password that passed the rules.
    package struct HashedPassword: Sendable {
        let hash: String
    }

    package enum Hashing: Sendable {
        case hashed(HashedPassword)
        case unacceptable(PasswordRuleViolation)
        /// No hashing slot is free. Seconds.
        case busy(retryAfter: Int64)
    }

    /// Whether the brand has an account of this name.
    package func isTaken(_ name: Username, in brand: BrandID) async throws -> Bool {
        try await database.read {
            try Accounts.find(named: name.rawValue, brand: brand.rawValue, on: $0) != nil
        }
    }

    /// Checks and hashes a new password.
    /// - Parameters:
    ///   - password: as typed.
    ///   - username: of the new account.
    ///   - call: the client's request.
    package func hash(
        _ password: Password, for username: Username, call: TokenCaller
    ) async throws -> Hashing {
        let fault = try await compromised.fault(in: password, names: [username.rawValue], now: call.now)
        if let fault, !acceptsCommonPasswords || fault != .tooCommon {
            return .unacceptable(fault)
        }
        let claimant = PasswordSlots.Claimant.untrusted(
            at: username, brand: try call.client.accountBrand, from: call.origin)
        guard let slot = passwords.slot(for: claimant) else {
            return .busy(retryAfter: PasswordHasher.retryAfter)
        }
        return .hashed(HashedPassword(hash: try await passwords.hash(password, in: slot)))
    }

    /// The new account's details.
    package struct Details: Sendable {
        let username: Username
        let password: HashedPassword
        package let profile: PersonalProfile
        let locale: LocaleTag?

        package init(
            username: Username, password: HashedPassword, profile: PersonalProfile = PersonalProfile(),
            locale: LocaleTag? = nil
        ) {
            self.username = username
            self.password = password
            self.profile = profile
            self.locale = locale
        }
    }

    package enum Outcome: Sendable {
        case made(AccountRecord)
        /// The guest's identity already has an account.
        case linked
        /// The brand has an account of that name.
        case nameTaken
        /// The provider was removed or its registration changed since it vouched for the guest.
        case providerGone
    }

    /// Creates and links the account in one write with the caller's own rows, or does nothing.
    /// - Parameters:
    ///   - guest: the person the provider vouches for.
    ///   - details: of the account.
    ///   - call: the client's request.
    ///   - alongside: writes the caller's rows; an error rolls everything back.
    package func make(
        for guest: ProvenIdentity, _ details: Details, call: TokenCaller,
        alongside: @escaping @Sendable (AccountRecord, any SQLConnection) throws -> Void
    ) async throws -> Outcome {
        // An unverified address would have to be confirmed before the first sign-in, which a backend cannot ask for.
        var account = GuestAccount.Details(
            username: details.username, email: guest.isEmailVerified ? guest.email : nil,
            passwordHash: details.password.hash, locale: details.locale, client: call.client.id,
            origin: call.origin, countsAddress: false)
        account.profile = details.profile
        let creation = try self.account(guest, account, call.now)
        switch try await creation.make(alongside: alongside) {
        case .made(let record): return .made(record)
        case .linked, .outdated: return .linked
        case .nameTaken: return .nameTaken
        case .providerGone: return .providerGone
        // Only network addresses are slowed, and none is counted here.
        case .tooManyAttempts: throw InvariantViolation()
        }
    }
}
