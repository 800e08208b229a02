package import WalletAuthWire

/// The one decision that every way of signing in ends at, whatever the method: may this person, proved by these factors,
/// be signed in to this client now?
package enum SignInPolicy {
    /// An account as the decision sees it.
    package struct Account: Sendable, Hashable {
        /// Its lifecycle.
        package enum State: Sendable, Hashable {
            /// May sign in.
            case active
            /// May not, until it is reactivated.
            case deactivated
            /// May not, since failures closed it, until it is reactivated or recovered.
            case closedByFailures
            /// Is gone; nobody is told that it ever was.
            case erased
        }

        /// Whether an e-mail address is there and confirmed.
        package enum Email: Sendable, Hashable {
            /// There is none to confirm.
            case none
            /// It waits to be confirmed.
            case unverified
            /// It is confirmed.
            case verified
        }

        /// Its lifecycle.
        package var state: State
        /// Raised by everything that ends sessions.
        package var securityVersion: Int64
        /// Its brand.
        package var brand: BrandID
        /// Its e-mail address.
        package var email: Email
        /// Whether an operator or a policy asks for a new password.
        package var isPasswordExpired: Bool
        /// When the password was set.
        package var passwordChangedAt: Timestamp?
        /// Until when it may be in the hands of whoever took its mailbox over; `nil` for no longer.
        package var coolingUntil: Timestamp?

        /// Each parameter is the property of its name.
        package init(
            state: State, securityVersion: Int64, brand: BrandID, email: Email, isPasswordExpired: Bool,
            passwordChangedAt: Timestamp?, coolingUntil: Timestamp? = nil
        ) {
            self.state = state
            self.securityVersion = securityVersion
            self.brand = brand
            self.email = email
            self.isPasswordExpired = isPasswordExpired
            self.passwordChangedAt = passwordChangedAt
            self.coolingUntil = coolingUntil
        }

        /// When the password is too old; `nil` where it has no age, or none is too old.
        /// - Parameter maximumAge: how old a password may be; `nil` for no limit.
        package func passwordExpiry(maximumAge: Duration?) -> Timestamp? {
            guard let maximumAge, let passwordChangedAt else { return nil }
            return passwordChangedAt + maximumAge
        }

        /// The class that a sign-in to it reaches: while it may be in the wrong hands, the password that the mailbox set and a
        /// code to that mailbox are one category twice.
        /// - Parameters:
        ///   - factors: what was proved.
        ///   - now: the present moment.
        package func acr(of factors: Factors, at now: Timestamp) -> String {
            guard let coolingUntil, now < coolingUntil else { return factors.acr }
            return AuthenticationStrength.acr(of: AuthenticationStrength.outlastingRecovery(factors.amr))
        }
    }

    /// The enrolled device that a sign-in was proved on, as the decision sees it.
    package struct Device: Sendable, Hashable {
        /// Where it is in its life.
        package enum State: Sendable, Hashable {
            /// May sign in.
            case active
            /// May not, until an operator resumes it.
            case suspended
            /// May not, until an operator reactivates it.
            case deactivated
            /// May not, since failures closed it, until an operator reactivates it or its holder recovers on it.
            case closedByFailures
            /// Is gone.
            case removed
        }

        /// Where it is in its life.
        package var state: State
        /// Whether its installation confirmed its code.
        package var instance: InstanceVerification
        /// Until when its key does not count for changing what the account is signed in with; `nil` for no longer.
        package var coolingUntil: Timestamp?

        /// Each parameter is the property of its name.
        package init(state: State, instance: InstanceVerification, coolingUntil: Timestamp? = nil) {
            self.state = state
            self.instance = instance
            self.coolingUntil = coolingUntil
        }
    }

    /// What was proved.
    package struct Factors: Sendable, Hashable {
        /// The account's security version when it was proved.
        package var securityVersion: Int64
        /// By which methods (RFC 8176).
        package var amr: [String]
        /// When.
        package var authTime: Timestamp
        /// When the person signed in at the provider whose word is among the methods, where its session may be older than its word.
        package var providerAuthTime: Timestamp?
        /// How far a recovery is, where the password is not what was proved; `nil` for any other sign-in.
        package var recovery: Recovery?

        /// How strongly: what the methods prove together.
        package var acr: String { AuthenticationStrength.acr(of: amr) }

        /// When the person authenticated, for whatever counts a sign-in's age. A provider's word is as old as its session; a factor
        /// that was shown here is as recent as the sign-in.
        package var authenticatedAt: Timestamp {
            let own = amr.filter { !AuthenticationStrength.anothersWord.contains($0) }
            guard let providerAuthTime, AuthenticationStrength.categories(of: own).isEmpty else { return authTime }
            return min(authTime, providerAuthTime)
        }

        /// Whether the key of an enrolled device is among what was proved.
        package var haveDeviceKey: Bool { !AuthenticationStrength.deviceKeys.isDisjoint(with: amr) }

        /// Each parameter is the property of its name.
        package init(
            securityVersion: Int64, amr: [String], authTime: Timestamp, providerAuthTime: Timestamp? = nil,
            recovery: Recovery? = nil
        ) {
            self.securityVersion = securityVersion
            self.amr = amr
            self.authTime = authTime
            self.providerAuthTime = providerAuthTime
            self.recovery = recovery
        }
    }

    /// What a recovery proved so far.
    package enum Recovery: String, Sendable, Hashable, Codable {
        /// The code that was sent to the mailbox, and nothing else.
        case mailbox
        /// The code, and a factor that a stolen mailbox does not open.
        case mailboxAndFactor
    }

    /// What the client and its request ask for.
    package struct Terms: Sendable, Hashable {
        /// Whose people may sign in; `nil` for any brand's.
        package var brand: BrandID?
        /// Whether a merchant has to be named.
        package var requiresMerchant: Bool
        /// What the merchant named says of client and person; `nil` where none was named.
        package var merchant: MerchantVerdict?
        /// The classes one of which has to be reached; empty for any (`acr` as an essential claim).
        package var requiredACR: [String]
        /// How old a password may be; `nil` for no limit.
        package var passwordMaximumAge: Duration?
        /// What stands to be asked beside the first factor; `nil` where the way of signing in cannot ask.
        package var secondFactors: SecondFactors?

        /// Each parameter is the property of its name.
        package init(
            brand: BrandID?, requiresMerchant: Bool, merchant: MerchantVerdict?, requiredACR: [String],
            passwordMaximumAge: Duration?, secondFactors: SecondFactors? = nil
        ) {
            self.brand = brand
            self.requiresMerchant = requiresMerchant
            self.merchant = merchant
            self.requiredACR = requiredACR
            self.passwordMaximumAge = passwordMaximumAge
            self.secondFactors = secondFactors
        }
    }

    /// What a merchant says of client and person.
    package enum MerchantVerdict: Sendable, Hashable {
        /// The client is installed, the person is employed.
        case admitted
        /// One of them is not.
        case refused(MerchantFault)
    }

    /// The decision.
    package enum Decision: Sendable, Hashable {
        /// A code may be made.
        case admit
        /// As if the credentials were wrong.
        case unknown
        /// The wallet is deactivated.
        case deactivated
        /// The account changed after the factors were proved: they have to be proved again.
        case changed
        /// An operator suspended the device.
        case deviceSuspended
        /// Too many failures on the device, or an operator's decision.
        case deviceDeactivated
        /// A second factor first.
        case secondFactorRequired
        /// A new password first.
        case passwordChangeRequired
        /// A recovery that cannot go on here: the account has more than its mailbox, and nothing of it can be asked for.
        case recoveryUnavailable
        /// The address first.
        case emailUnverified
        /// The installation of the app first.
        case appInstanceUnverified
        /// The merchant's rules forbid it.
        case merchant(MerchantFault)
        /// A merchant has to be named.
        case merchantMissing
        /// The class asked for was not reached, or a second factor would be asked for and cannot be.
        case unmetACR
    }

    /// Decides. The order is part of the rule: nothing about the account is told before it is known to be the person's
    /// in this brand; the second factor comes before everything that changes the account, since a stolen password must not
    /// be able to set another; and a required action comes before what the merchant decides.
    /// - Parameters:
    ///   - account: the account as it stands.
    ///   - device: the enrolled device that the sign-in was proved on; `nil` for any other.
    ///   - factors: what was proved.
    ///   - terms: what the client and its request ask for.
    ///   - now: the present moment.
    package static func decide(
        _ account: Account, device: Device?, factors: Factors, terms: Terms, now: Timestamp
    ) -> Decision {
        if account.state == .erased { return .unknown }
        if let brand = terms.brand, brand != account.brand { return .unknown }
        if account.state == .deactivated { return .deactivated }
        // Its holder opens by a recovery what failures closed, and only with the new password.
        if account.state == .closedByFailures, factors.recovery == nil { return .deactivated }
        guard account.securityVersion == factors.securityVersion else { return .changed }
        switch device?.state {
        case nil, .active: break
        case .suspended: return .deviceSuspended
        case .deactivated: return .deviceDeactivated
        // Its holder opens it, as the account, by a recovery and only with the new password: on the device itself, by its key.
        // From elsewhere the one who holds it may be the one who guessed.
        case .closedByFailures: if factors.recovery == nil || !factors.haveDeviceKey { return .deviceDeactivated }
        // Its key proves nothing any more; whoever holds it learns what anybody would.
        case .removed: return .unknown
        }
        let isCooling = device?.coolingUntil.map { now < $0 } ?? false
        if let recovery = factors.recovery {
            // A device that was enrolled lately opens nothing, itself included, whatever is shown beside its key.
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
            // The old password alone sets no other one, whatever the brand asks of new devices.
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

    /// A mailbox that was taken over must not open an account that has more: whatever else can be shown is asked for, and the
    /// password is set after that.
    private static func decide(
        _ recovery: Recovery, factors: Factors, terms: Terms, isDeviceCooling: Bool
    ) -> Decision {
        guard recovery == .mailbox else { return .passwordChangeRequired }
        guard let second = terms.secondFactors else { return .recoveryUnavailable }
        if !second.recoveryKinds.isEmpty { return .secondFactorRequired }
        if second.hasUnreachableRecoveryKind { return .recoveryUnavailable }
        // Whoever has a passkey signs in by it, and needs no password for that.
        if second.hasSettledPasskey { return .recoveryUnavailable }
        // An enrolled device is more than the mailbox; where it is not the one that asks, an operator has to help.
        let isOnDevice = !isDeviceCooling && factors.haveDeviceKey
        return second.holdsDevice && !isOnDevice ? .recoveryUnavailable : .passwordChangeRequired
    }

    private static func isPasswordTooOld(_ account: Account, maximumAge: Duration?, now: Timestamp) -> Bool {
        if account.isPasswordExpired { return true }
        guard let expiry = account.passwordExpiry(maximumAge: maximumAge) else { return false }
        return now >= expiry
    }
}
