internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What every change by the holder needs: the strength of the calling sign-in, and the limit of changes.
///
/// This folder owns what these changes share: who calls, from an app or the page, and what that caller must have proved. It knows no
/// factor in particular.
final class StepUp: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let secondFactors: SecondFactorReader
    /// The greatest age of a sign-in that may change anything.
    let freshness: Duration

    init(database: any Database, keyRing: KeyRing, secondFactors: SecondFactorReader, freshness: Duration) {
        self.database = database
        self.keyRing = keyRing
        self.secondFactors = secondFactors
        self.freshness = freshness
    }
}

/// The strength and freshness of sign-in that changing factors, devices or PINs requires.
struct StepUpPolicy: Sendable {
    let stepUp: StepUp
    let call: any FactorCaller

    init(_ stepUp: StepUp, _ call: any FactorCaller) {
        self.stepUp = stepUp
        self.call = call
    }

    /// The account's factors and rules, read together.
    struct Facts: Sendable {
        var brand: BrandProfile?
        /// The brand's name for people.
        var brandName: String
        /// The factors that can be asked for.
        var usable: Set<FactorKind>
        /// Factors that the account has but that cannot be asked for now. They still count.
        var unreachable: Set<FactorKind>
        /// The factors that the account set up itself.
        var own: AccountFactors
        /// Whether a device is enrolled or ever was: a suspended, deactivated or removed device still counts, or removing it
        /// would be the way around it.
        var hasDevice: Bool
        var hasPasskey: Bool
        var names: [String]

        /// Whether the account has nothing that counts as a second category.
        var hasNoSecondCategory: Bool {
            !hasDevice && !hasPasskey
                && usable.union(unreachable).allSatisfy {
                    AuthenticationStrength.category(of: $0.authenticationMethod) == nil
                }
        }
    }

    /// - Parameter first: who vouches for the first factor; by default the account itself, if it can.
    func facts(after first: FirstFactor? = nil) async throws -> Facts {
        let (account, secondFactors) = (call.account, stepUp.secondFactors)
        return try await stepUp.database.read { connection in
            let record = try Brands.find(account.brandID, on: connection)
            let brand = try record.map { try BrandProfile(json: $0.settings) }
            let factors = try secondFactors.usable(
                by: account, after: first ?? FirstFactor(of: account, on: connection), brand: brand, on: connection)
            return Facts(
                brand: brand, brandName: record?.name ?? account.brandID,
                usable: factors.subtracting(secondFactors.undeliverable),
                unreachable: factors.intersection(secondFactors.undeliverable),
                own: try AccountFactors.find(account.id, on: connection),
                hasDevice: try Devices.hasAny(of: account.id, on: connection),
                hasPasskey: try Passkeys.holding(
                    of: account.id, at: secondFactors.party?.id ?? "", now: call.now, on: connection
                )
                .hasAny,
                names: try Accounts.names(of: account.id, on: connection))
        }
    }

    /// A refusal unless the sign-in proved two factors within the last minutes.
    func refusalUnlessFreshTwoFactors() -> FactorRefusal? {
        // First the cooling period, which no sign-in changes: a stronger one would be in vain.
        cooling ?? (isFresh && hasTwoFactors ? nil : stronger(AuthenticationStrength.twoFactors))
    }

    /// The same, except that an account without a second factor may set up its first one with whatever it can prove.
    func refusalUnlessFresh(_ facts: Facts) -> FactorRefusal? {
        if let cooling { return cooling }
        // A short PIN may have been guessed. Alone, it must not set up anything that outlives it.
        let isByPINAlone = !hasTwoFactors && AuthenticationStrength.includeAccountPIN(call.methods)
        if !isAsStrongAsCanBe(facts) || isByPINAlone { return anotherSignIn(facts) }
        return isFresh ? nil : stronger(acr)
    }

    /// Requires another sign-in, but nothing this account cannot reach.
    func anotherSignIn(_ facts: Facts) -> FactorRefusal {
        stronger(facts.hasNoSecondCategory ? AuthenticationStrength.singleFactor : AuthenticationStrength.twoFactors)
    }

    /// Why the call must not remove anything from a device or rename it; `nil` if it may.
    ///
    /// The calling device may do so as easily as it may sign out, unless a scan opened its session. Another device requires a sign-in as
    /// strong as the account allows: a stolen password must not reach the device that protects the account.
    /// - Parameters:
    ///   - device: the device to change.
    ///   - own: the calling device.
    func refusalUnlessOwn(_ device: UniqueID, from own: UniqueID?) async throws -> DeviceRefusal? {
        if let refusalAfterScan { return refusalAfterScan }
        if own == device { return nil }
        if let deviceCooling { return deviceCooling }
        if try await isAsStrongAsCanBe(facts()) { return nil }
        return .strongerSignIn(maximumAge: stepUp.freshness.wholeSeconds)
    }

    /// Why a session that a scan opened changes nothing of a device; `nil` for any other session. Even if it has this device's key, the
    /// person who approved the sign-in may be at another.
    var refusalAfterScan: DeviceRefusal? {
        guard AuthenticationStrength.isCrossDevice(call.methods) else { return nil }
        return .strongerSignIn(maximumAge: stepUp.freshness.wholeSeconds)
    }

    /// A refusal unless the sign-in proved two factors within the last minutes, as changing devices or their PINs requires.
    /// - Parameter methods: the methods that count.
    func deviceRefusal(by methods: [String]) -> DeviceRefusal? {
        // First the cooling period, which no sign-in changes: a stronger one would be in vain.
        if let deviceCooling { return deviceCooling }
        guard isFresh, AuthenticationStrength.acr(of: methods) == AuthenticationStrength.twoFactors else {
            return .strongerSignIn(maximumAge: stepUp.freshness.wholeSeconds)
        }
        return nil
    }

    /// A refusal during a cooling period, after a recovery or if only a restored identity was proved.
    var cooling: FactorRefusal? {
        if let seconds = call.account.cooling(at: call.now) { return .cooling(retryAfter: seconds) }
        guard let end = call.identityCooling, AuthenticationStrength.categories(of: call.settledMethods).isEmpty else {
            return nil
        }
        return .cooling(retryAfter: RetryAfter.seconds(until: end, now: call.now))
    }

    /// The refusal of a change to a device during the cooling period after a recovery.
    private var deviceCooling: DeviceRefusal? { call.account.cooling(at: call.now).map { .cooling(retryAfter: $0) } }

    /// Whether the sign-in proved two categories, or everything the account has.
    func isAsStrongAsCanBe(_ facts: Facts) -> Bool {
        if hasTwoFactors { return true }
        // Methods without a category prove less than any account can: a login nonce (the backend vouches), with or without an
        // answer to a secret question.
        guard !AuthenticationStrength.categories(of: call.settledMethods).isEmpty else { return false }
        guard facts.hasNoSecondCategory else { return false }
        return facts.usable.union(facts.unreachable).isEmpty
            || call.methods.contains(FactorKind.secretQuestion.authenticationMethod)
    }

    var isFresh: Bool { call.now < call.authTime + stepUp.freshness }

    /// The class that counts for a change: without the key of a newly enrolled device.
    private var acr: String { AuthenticationStrength.acr(of: call.settledMethods) }
    private var hasTwoFactors: Bool { acr == AuthenticationStrength.twoFactors }

    private func stronger(_ acr: String) -> FactorRefusal {
        .strongerSignIn(maximumAge: stepUp.freshness.wholeSeconds, acr: acr)
    }
}

/// Limits how often an account's factors can be changed: the holder is notified each time and must not be flooded.
struct FactorChangeBudget: Sendable {
    let subject: [UInt8]
    let now: Timestamp

    private static let policy = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    init(_ call: any FactorCaller, keyRing: KeyRing) throws {
        subject = Digests.keyed("factor-changes", [call.account.id.uuid], key: try keyRing.active(.attempts))
        now = call.now
    }

    /// Of a device's push address. It has a count of its own: an app sets it unasked, and must not hold up the person.
    init(pushAddressOf device: UniqueID, call: any FactorCaller, keyRing: KeyRing) throws {
        subject = Digests.keyed("push-address-changes", [device.uuid], key: try keyRing.active(.attempts))
        now = call.now
    }

    /// Of the account's name, which must not hold up a change of factors.
    init(nameBy call: any FactorCaller, keyRing: KeyRing) throws {
        subject = Digests.keyed("name-changes", [call.account.id.uuid], key: try keyRing.active(.attempts))
        now = call.now
    }

    /// Charges one change. Returns a refusal if there were too many.
    func charge(on connection: any SQLConnection) throws -> FactorRefusal? {
        switch try Attempts.count(subject, under: Self.policy, now: now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
    }
}
