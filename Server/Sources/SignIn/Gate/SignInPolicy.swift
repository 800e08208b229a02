package import Core
package import Kernel
package import WalletAuthWire

// The rules of signing in: the decision, its refusals, lockout and password rules.

/// The final decision of every sign-in, whatever its method: may this person, proved by these factors, be signed in to
/// this client now?
package enum SignInPolicy {
    package struct Account: Sendable, Hashable {
        package enum State: Sendable, Hashable {
            case active
            /// Cannot sign in until it is reactivated.
            case deactivated
            /// Locked by failed attempts. Cannot sign in until it is reactivated or recovered.
            case closedByFailures
            /// Answered as if it had never existed.
            case erased
        }

        package enum Email: Sendable, Hashable {
            case none
            case unverified
            case verified
        }

        package var state: State
        /// Raised by every change that ends sessions.
        package var securityVersion: Int64
        package var brand: BrandID
        package var email: Email
        /// Whether an operator or a policy requires a new password.
        package var isPasswordExpired: Bool
        package var passwordChangedAt: Timestamp?
        /// Until then an attacker who took over the mailbox may hold the account; `nil` if there is no such doubt.
        package var coolingUntil: Timestamp?

        /// When the password becomes too old; `nil` if it never does.
        package func passwordExpiry(maximumAge: Duration?) -> Timestamp? {
            guard let maximumAge, let passwordChangedAt else { return nil }
            return passwordChangedAt + maximumAge
        }

        /// The class that a sign-in to the account reaches. During the cooling period after a recovery, the password
        /// set through the mailbox and a code sent to that mailbox count as one category.
        package func acr(of factors: Factors, at now: Timestamp) -> String {
            guard let coolingUntil, now < coolingUntil else { return factors.acr }
            return AuthenticationStrength.acr(of: AuthenticationStrength.outlastingRecovery(factors.amr))
        }
    }

    /// The enrolled device on which a sign-in was proved.
    package struct Device: Sendable, Hashable {
        package enum State: Sendable, Hashable {
            case active
            /// Cannot sign in until an operator resumes it.
            case suspended
            /// Cannot sign in until an operator reactivates it.
            case deactivated
            /// Locked by failed attempts. Cannot sign in until an operator reactivates it or its holder recovers on it.
            case closedByFailures
            case removed
        }

        package var state: State
        /// Whether the app's installation confirmed its code.
        package var instance: InstanceVerification
        /// Until then its key does not count for changing the account's credentials; `nil` if it counts.
        package var coolingUntil: Timestamp?
    }

    /// The proof that a sign-in presented.
    package struct Factors: Sendable, Hashable {
        /// The account's security version at the time of the proof.
        package var securityVersion: Int64
        /// RFC 8176.
        package var amr: [String]
        package var authTime: Timestamp
        /// When the person signed in at the provider, if a provider's assertion is among the methods and its session
        /// may be older.
        package var providerAuthTime: Timestamp?
        /// The progress of a recovery; `nil` for any other sign-in.
        package var recovery: Recovery?
        /// A factor that usually comes second and was the first one here; it is not counted twice.
        package var first: FactorKind?

        package var acr: String { AuthenticationStrength.acr(of: amr) }

        /// The time from which the sign-in's age counts. A provider's assertion is as old as its session; a factor
        /// proved here is as recent as the sign-in.
        package var authenticatedAt: Timestamp {
            let own = amr.filter { !AuthenticationStrength.anothersWord.contains($0) }
            guard let providerAuthTime, AuthenticationStrength.categories(of: own).isEmpty else { return authTime }
            return min(authTime, providerAuthTime)
        }

        /// Whether the key of an enrolled device is among the methods.
        package var haveDeviceKey: Bool { !AuthenticationStrength.deviceKeys.isDisjoint(with: amr) }

        package init(
            securityVersion: Int64, amr: [String], authTime: Timestamp, providerAuthTime: Timestamp? = nil,
            recovery: Recovery? = nil, first: FactorKind? = nil
        ) {
            self.first = first
            self.securityVersion = securityVersion
            self.amr = amr
            self.authTime = authTime
            self.providerAuthTime = providerAuthTime
            self.recovery = recovery
        }
    }

    /// The progress of a recovery.
    package enum Recovery: String, Sendable, Hashable, Codable {
        /// Only the code sent to the mailbox was proved.
        case mailbox
        /// The code and a factor that a stolen mailbox does not give access to were proved.
        case mailboxAndFactor
    }

    /// The requirements of the client and its request.
    package struct Terms: Sendable, Hashable {
        /// The brand whose accounts may sign in; `nil` for any.
        package var brand: BrandID?
        package var requiresMerchant: Bool
        /// The merchant's verdict; `nil` if no merchant was named.
        package var merchant: MerchantVerdict?
        /// One of these classes must be reached (`acr` as an essential claim); empty for any.
        package var requiredACR: [String]
        /// `nil` for no limit.
        package var passwordMaximumAge: Duration?
        /// The second factors that can be requested; `nil` if this way of signing in cannot ask for one.
        package var secondFactors: SecondFactors?
    }

    package enum MerchantVerdict: Sendable, Hashable {
        /// The client is installed, and the person is an employee.
        case admitted
        case refused(MerchantFault)
    }

    package enum Decision: Sendable, Hashable {
        /// A code may be created.
        case admit
        /// Answer as for wrong credentials.
        case unknown
        case deactivated
        /// The account changed after the proof; the factors have to be proved again.
        case changed
        case deviceSuspended
        /// Locked by failed attempts or deactivated by an operator.
        case deviceDeactivated
        case secondFactorRequired
        case passwordChangeRequired
        /// The recovery cannot go on here: the account has more than its mailbox, and none of it can be requested.
        case recoveryUnavailable
        case emailUnverified
        case appInstanceUnverified
        case merchant(MerchantFault)
        case merchantMissing
        /// The requested class was not reached, or a second factor is required and cannot be requested.
        case unmetACR

        /// Whether only the person can continue. A request that may ask nothing of them learns this and no more.
        package var needsPerson: Bool {
            switch self {
            case .admit, .merchant, .unmetACR, .deviceSuspended, .deviceDeactivated, .appInstanceUnverified: false
            case .unknown, .deactivated, .changed, .secondFactorRequired, .passwordChangeRequired, .recoveryUnavailable,
                .emailUnverified, .merchantMissing:
                true
            }
        }
    }

    /// Decides. The order is part of the rule:
    /// - Nothing about the account is revealed before it is known to belong to this brand.
    /// - The second factor comes before every change to the account, since a stolen password must not be able to set
    ///   another.
    /// - A required action comes before the merchant's decision.
    /// - Parameter device: the enrolled device on which the sign-in was proved; `nil` if there was none.
    package static func decide(
        _ account: Account, device: Device?, factors: Factors, terms: Terms, now: Timestamp
    ) -> Decision {
        if account.state == .erased { return .unknown }
        if let brand = terms.brand, brand != account.brand { return .unknown }
        if account.state == .deactivated { return .deactivated }
        // Recovery unlocks an account locked by failed attempts, and only with the new password.
        if account.state == .closedByFailures, factors.recovery == nil { return .deactivated }
        guard account.securityVersion == factors.securityVersion else { return .changed }
        switch device?.state {
        case nil, .active: break
        case .suspended: return .deviceSuspended
        case .deactivated: return .deviceDeactivated
        // Recovery unlocks the device as well, only with the new password and only on the device itself, proved by its
        // key. A person elsewhere may be the one who guessed.
        case .closedByFailures: if factors.recovery == nil || !factors.haveDeviceKey { return .deviceDeactivated }
        // Its key no longer proves anything. The answer is the one for unknown credentials.
        case .removed: return .unknown
        }
        let isCooling = device?.coolingUntil.map { now < $0 } ?? false
        if let recovery = factors.recovery {
            // A recently enrolled device unlocks nothing, not even itself, whatever factors accompany its key.
            if isCooling, device?.state == .closedByFailures { return .recoveryUnavailable }
            return decide(recovery, factors: factors, terms: terms, isDeviceCooling: isCooling)
        }
        if let second = terms.secondFactors {
            if second.isAsked(after: factors, requiredACR: terms.requiredACR, isDeviceCooling: isCooling) {
                return .secondFactorRequired
            }
            if second.isBeyondReach(after: factors, requiredACR: terms.requiredACR) { return .unmetACR }
        }
        if !factors.isByPasskey, !factors.isByAnothersWord,
            isPasswordTooOld(account, maximumAge: terms.passwordMaximumAge, now: now)
        {
            // The old password alone cannot set a new one, whatever the brand requires of new devices.
            guard let second = terms.secondFactors, second.isOwed(for: factors) else { return .passwordChangeRequired }
            return second.canBeAsked(for: terms.requiredACR) ? .secondFactorRequired : .unmetACR
        }
        if account.email == .unverified { return .emailUnverified }
        if device?.instance == .unverified { return .appInstanceUnverified }
        guard AuthenticationStrength.satisfies(account.acr(of: factors, at: now), terms.requiredACR) else {
            return .unmetACR
        }
        return switch terms.merchant {
        case nil: terms.requiresMerchant ? .merchantMissing : .admit
        case .admitted: .admit
        case .refused(let fault): .merchant(fault)
        }
    }

    /// A stolen mailbox must not open an account that has other factors: any that can be requested is required before
    /// the password is set.
    private static func decide(
        _ recovery: Recovery, factors: Factors, terms: Terms, isDeviceCooling: Bool
    ) -> Decision {
        guard recovery == .mailbox else { return .passwordChangeRequired }
        guard let second = terms.secondFactors else { return .recoveryUnavailable }
        if !second.recoveryKinds.isEmpty { return .secondFactorRequired }
        if second.hasUnreachableRecoveryKind { return .recoveryUnavailable }
        // A passkey signs in without a password, so its holder needs no recovery.
        if second.hasSettledPasskey { return .recoveryUnavailable }
        // An enrolled device is stronger than the mailbox. On any other device, an operator has to help.
        let isOnDevice = !isDeviceCooling && factors.haveDeviceKey
        return second.holdsDevice && !isOnDevice ? .recoveryUnavailable : .passwordChangeRequired
    }

    private static func isPasswordTooOld(_ account: Account, maximumAge: Duration?, now: Timestamp) -> Bool {
        if account.isPasswordExpired { return true }
        guard let expiry = account.passwordExpiry(maximumAge: maximumAge) else { return false }
        return now >= expiry
    }
}

extension SignInPolicy.Account {
    package init(_ record: AccountRecord) throws {
        self.init(
            state: State(record), securityVersion: record.securityVersion, brand: try BrandID(record.brandID),
            email: Email(record.emailState), isPasswordExpired: record.passwordState == .expired,
            passwordChangedAt: record.passwordChangedAt, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device {
    package init(_ record: DeviceRecord) {
        self.init(state: State(record), instance: record.instance, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device.State {
    package init(_ record: DeviceRecord) {
        switch record.state {
        case .active: self = .active
        case .suspended: self = .suspended
        case .deactivated: self = record.deactivatedBy == .failures ? .closedByFailures : .deactivated
        case .removed: self = .removed
        }
    }
}

extension SignInPolicy.Account.State {
    init(_ record: AccountRecord) {
        switch record.state {
        case .active: self = .active
        case .deactivated: self = record.deactivatedBy == .failures ? .closedByFailures : .deactivated
        case .erased: self = .erased
        }
    }
}

extension SignInPolicy.Account.Email {
    init(_ state: EmailState) {
        switch state {
        case .none: self = .none
        case .unverified: self = .unverified
        case .verified: self = .verified
        }
    }
}
