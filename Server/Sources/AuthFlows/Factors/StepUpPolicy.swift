internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The sign-in that a change of factors, devices or PINs takes: how strong, and how fresh.
struct StepUpPolicy: Sendable {
    let context: ServerContext
    let call: any FactorCaller

    /// What the account has, read together.
    struct Facts: Sendable {
        /// The brand's rules and look.
        var brand: BrandProfile?
        /// The brand's name for people.
        var brandName: String
        /// The factors that can be asked for.
        var usable: Set<FactorKind>
        /// Those that it has and that cannot be asked for now: they go on to count.
        var unreachable: Set<FactorKind>
        /// What of it the account set up itself.
        var own: AccountFactors
        /// Whether a device is enrolled, or was: a factor that was suspended, closed or removed has not become none, or taking
        /// it away would be the way around it.
        var hasDevice: Bool
        /// Whether it has a passkey.
        var hasPasskey: Bool
        /// The user names.
        var names: [String]

        /// Whether the account has nothing that would count as a second category.
        var hasNoSecondCategory: Bool {
            !hasDevice && !hasPasskey
                && usable.union(unreachable).allSatisfy {
                    AuthenticationStrength.category(of: $0.authenticationMethod) == nil
                }
        }
    }

    /// Reads the facts.
    func facts() async throws -> Facts {
        let (account, undeliverable) = (call.account, context.settings.undeliverableFactors)
        let party = context.passkeyParty?.id ?? ""
        return try await context.database.read { connection in
            let record = try Brands.find(account.brandID, on: connection)
            let brand = try record.map { try BrandProfile(json: $0.settings) }
            let factors = try SecondFactors.usable(
                by: account, after: FirstFactor(of: account, on: connection), brand: brand, in: context, on: connection)
            return Facts(
                brand: brand, brandName: record?.name ?? account.brandID,
                usable: factors.subtracting(undeliverable), unreachable: factors.intersection(undeliverable),
                own: try AccountFactors.find(account.id, on: connection),
                hasDevice: try Devices.hasAny(of: account.id, on: connection),
                hasPasskey: try Passkeys.holding(of: account.id, at: party, now: call.now, on: connection).hasAny,
                names: try Accounts.names(of: account.id, on: connection))
        }
    }

    /// Why the sign-in is not two factors minutes ago; `nil` where it is.
    func refusalUnlessFreshTwoFactors() -> FactorRefusal? {
        // First what no sign-in would change: nobody makes a stronger one in vain.
        cooling ?? (isFresh && hasTwoFactors ? nil : stronger(AuthenticationStrength.twoFactors))
    }

    /// The same, save that an account without any second factor sets up its first one by whatever it can prove.
    func refusalUnlessFresh(_ facts: Facts) -> FactorRefusal? {
        if let cooling { return cooling }
        // A few digits alone, which may have been guessed, set up nothing that outlives them.
        let isByPINAlone = !hasTwoFactors && AuthenticationStrength.includeAccountPIN(call.methods)
        if !isAsStrongAsCanBe(facts) || isByPINAlone { return anotherSignIn(facts) }
        return isFresh ? nil : stronger(acr)
    }

    /// What is asked for where the sign-in that there is does not do. An app is asked for nothing that this account could not
    /// reach.
    func anotherSignIn(_ facts: Facts) -> FactorRefusal {
        stronger(facts.hasNoSecondCategory ? AuthenticationStrength.singleFactor : AuthenticationStrength.twoFactors)
    }

    /// Why the call may not take anything away from a device, or call it something else; `nil` where it may.
    ///
    /// With the device that one holds it is as easy as signing out. With another one it takes a sign-in as strong as the account
    /// can prove: a stolen password must not reach the device that protects the account.
    /// - Parameters:
    ///   - device: the device.
    ///   - own: the one that the call comes from.
    func refusalUnlessOwn(_ device: UniqueID, from own: UniqueID?) async throws -> DeviceRefusal? {
        if own == device { return nil }
        if let seconds = call.account.cooling(at: call.now) { return .cooling(retryAfter: seconds) }
        if try await isAsStrongAsCanBe(facts()) { return nil }
        return .strongerSignIn(maximumAge: context.settings.devices.enrollmentFreshness.wholeSeconds)
    }

    /// Why the sign-in is not two factors minutes ago, as a change of devices or their PINs takes; `nil` where it is.
    /// - Parameter methods: those of its methods that count.
    func deviceRefusal(by methods: [String]) -> DeviceRefusal? {
        // First what no sign-in would change: nobody makes a stronger one in vain.
        if let seconds = call.account.cooling(at: call.now) { return .cooling(retryAfter: seconds) }
        guard isFresh, AuthenticationStrength.acr(of: methods) == AuthenticationStrength.twoFactors else {
            return .strongerSignIn(maximumAge: context.settings.devices.enrollmentFreshness.wholeSeconds)
        }
        return nil
    }

    /// Why nothing is changed yet, after a recovery or by nothing but a restored identity; `nil` where it may be.
    private var cooling: FactorRefusal? {
        if let seconds = call.account.cooling(at: call.now) { return .cooling(retryAfter: seconds) }
        guard let end = call.identityCooling, AuthenticationStrength.categories(of: call.settledMethods).isEmpty else {
            return nil
        }
        return .cooling(retryAfter: RetryAfter.seconds(until: end, now: call.now))
    }

    /// Whether the sign-in proved two categories, or all that the account has.
    func isAsStrongAsCanBe(_ facts: Facts) -> Bool {
        if hasTwoFactors { return true }
        // What proves no category is less than any account can prove: a login nonce (a backend's word), with or without the
        // answer to a secret question.
        guard !AuthenticationStrength.categories(of: call.settledMethods).isEmpty else { return false }
        guard facts.hasNoSecondCategory else { return false }
        return facts.usable.union(facts.unreachable).isEmpty
            || call.methods.contains(FactorKind.secretQuestion.authenticationMethod)
    }

    /// Whether the sign-in was minutes ago.
    var isFresh: Bool { call.now < call.authTime + context.settings.devices.enrollmentFreshness }

    /// What counts for a change: not the key of a device that was enrolled a moment ago.
    private var acr: String { AuthenticationStrength.acr(of: call.settledMethods) }
    private var hasTwoFactors: Bool { acr == AuthenticationStrength.twoFactors }

    private func stronger(_ acr: String) -> FactorRefusal {
        .strongerSignIn(maximumAge: context.settings.devices.enrollmentFreshness.wholeSeconds, acr: acr)
    }
}
