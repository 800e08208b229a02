internal import AuthCore
internal import AuthStore
internal import ClientConsents
internal import Logging
internal import WalletAuthWire

/// The choke point: every way of signing in ends here and nowhere else, and what comes out is an authorization code.
///
/// The account is read here, after the factors were proved, and its security version goes into the code, whose redemption
/// names it in its guard: a fact that was read a moment too early opens nothing.
struct SignInGate: Sendable {
    let context: ServerContext

    /// What the client wants of the sign-in.
    struct Intent: Sendable {
        var client: RegisteredClient
        /// `nil` for a native sign-in, which has none.
        var redirectURI: String?
        var challenge: CodeChallenge
        var scope: Scope
        var nonce: Nonce?
        /// The key that the code is bound to: 32 bytes.
        var keyThumbprint: [UInt8]?
        /// What the browser is known by, where the sign-in comes from one.
        var browser: KnownDeviceCookie?
        /// The enrolled device that the sign-in comes from.
        var device: UniqueID?
        /// Whether that device's own key was proved: only then it is a factor, and linked.
        var isDeviceProved = false
        /// Under what the code's redemption is remembered, where what was proved opens one session however often its answer
        /// is asked for: 16 bytes; `nil` for a code of its own each time.
        var grantID: [UInt8]?
        var merchant: MerchantID?
        var resources: [String]
        /// The authentication context classes one of which has to be reached; empty for any.
        var requiredACR: [String] = []
        /// By which way the person comes.
        var entrance = Entrance.browser
        /// What the app said of the sign-in, kept with its entry in the audit log.
        var properties: [String: String] = [:]
        /// How the consent to a third-party client is looked at.
        var consent = ClientConsentTerms.remembered
        var origin: RequestOrigin
    }

    /// The ways to sign in, as far as they can ask for different things.
    enum Entrance: Sendable {
        /// A hosted page.
        case browser
        /// An app's own screens, with a proof of its key; they can ask for a second factor.
        case native
        /// A client's backend, which brings what a guest proved; it can ask for nothing.
        case backend
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// A code.
        case admitted(AuthorizationCode, AccountRecord)
        /// Not admitted; never ``AuthCore/SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision, AccountRecord?)
        /// Everything was proved, and the person has to say for which of their merchants.
        case merchantRequired([Merchant], AccountRecord)
        /// Everything was proved, and the person has to allow the third-party client what it asks for.
        case consentRequired(ClientConsentQuestion, AccountRecord)
    }

    /// Decides, and makes the code.
    /// - Parameters:
    ///   - id: who was proved to be there.
    ///   - factors: by what.
    ///   - intent: what the client wants.
    ///   - now: the present moment.
    func admit(
        _ id: UniqueID, factors: SignInPolicy.Factors, intent: Intent, now: Timestamp
    ) async throws -> Outcome {
        let clientID = intent.client.id.rawValue
        let isThirdParty = !intent.client.isFirstParty
        let (found, device, place, passwordAge, secondFactors, consented) = try await context.database.read {
            connection in
            let place = try MerchantPlace.find(of: id, intent: intent, on: connection)
            let account = try Accounts.find(id, on: connection)
            let device =
                try intent.device.map { try Devices.find($0, on: connection) }
                ?? Self.device(by: intent.keyThumbprint, of: id, on: connection)
            let secondFactors = try account.map { account in
                try SecondFactors.facts(
                    of: account, device: device, intent: intent, factors: factors, now: now, in: context,
                    on: connection)
            }
            let consented = try isThirdParty ? ClientConsentRecords.find(id, to: clientID, on: connection) : nil
            let passwordAge = try account.flatMap { try Brands.passwordMaximumAge($0.brandID, on: connection) }
            return (account, device, place, passwordAge, secondFactors, consented)
        }
        guard let account = found, intent.device == nil || device?.accountID == id else {
            return .refused(.unknown, nil)
        }
        let terms = SignInPolicy.Terms(
            brand: intent.client.brand, requiresMerchant: place.isToBeChosen,
            merchant: place.verdict, requiredACR: intent.requiredACR,
            passwordMaximumAge: passwordAge, secondFactors: secondFactors)
        let policyAccount = try SignInPolicy.Account(account)
        let decision = SignInPolicy.decide(
            policyAccount, device: device.map(SignInPolicy.Device.init), factors: factors,
            terms: terms, now: now)
        if decision == .merchantMissing, case .several(let merchants) = place {
            return .merchantRequired(merchants, account)
        }
        guard decision == .admit else {
            if decision == .unmetACR, let secondFactors { tellUnreachable(secondFactors, account) }
            return .refused(decision, account)
        }
        var consent: UniqueID?
        if isThirdParty {
            switch try ClientConsentRule.decide(intent.scope, consented, intent.consent) {
            case .covered(let id): consent = id
            case .missing(let question): return .consentRequired(question, account)
            case .allowed(let scope):
                consent = try await ClientConsentMemory(context: context).remember(
                    scope, replacing: consented, of: account, intent: intent, now: now)
                // Another tab allowed it, or took it back, since the page was shown: what stands now decides.
                if consent == nil {
                    var intent = intent
                    intent.consent = .remembered
                    return try await admit(id, factors: factors, intent: intent, now: now)
                }
            }
        }
        let grant = AuthorizationGrant(
            id: intent.grantID ?? context.random.bytes(16), client: intent.client.id, redirectURI: intent.redirectURI,
            challenge: intent.challenge, account: try AccountID(bytes: id.bytes),
            securityVersion: account.securityVersion, scope: intent.scope, nonce: intent.nonce,
            authTime: factors.authenticatedAt, acr: policyAccount.acr(of: factors, at: now), amr: factors.amr,
            keyThumbprint: intent.keyThumbprint,
            merchant: place.merchant, device: try device.map { try DeviceID($0.id.uuid) },
            resources: intent.resources, consent: consent?.bytes, issuedAt: now)
        let code = try await AuthorizationCodes(context: context).code(for: grant)
        let entry = try AuditLog(context: context).entry(
            .signedIn, account: id, client: clientID, origin: intent.origin, properties: intent.properties, now: now)
        try await context.database.write { connection in
            try Accounts.recordLogin(of: id, now: now, on: connection)
            if let device { try Devices.recordUse(device.id, now: now, on: connection) }
            try entry.write(on: connection)
        }
        return .admitted(code, account)
    }
}

extension SignInGate {
    /// What an operator has to know: somebody is kept out by what is not configured, not by what they typed.
    private func tellUnreachable(_ factors: SecondFactors, _ account: AccountRecord) {
        guard !factors.unreachable.isEmpty else { return }
        context.logger.warning(
            """
            a sign-in ended: its second factor cannot be requested because nothing can deliver the code; configure a \
            transport
            """,
            metadata: [
                "account": "\(account.id.uuid)",
                "channels": "\(Set(factors.unreachable.compactMap(\.channel)).sorted().joined(separator: " "))",
            ])
    }

    /// The enrolled device whose app has the sign-in's DPoP key, where the sign-in did not name it: leaving the name out must
    /// not open what the device's state keeps shut. It is no factor.
    private static func device(
        by thumbprint: [UInt8]?, of account: UniqueID, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        guard let thumbprint,
            let device = try Devices.find(dpopKey: thumbprint, of: account, on: connection), device.state != .removed
        else { return nil }
        return device
    }
}

extension SignInPolicy.Account {
    /// The account as its row stands.
    init(_ record: AccountRecord) throws {
        self.init(
            state: State(record), securityVersion: record.securityVersion, brand: try BrandID(record.brandID),
            email: Email(record.emailState), isPasswordExpired: record.passwordState == .expired,
            passwordChangedAt: record.passwordChangedAt, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device {
    /// The device as its row stands.
    init(_ record: DeviceRecord) {
        self.init(state: State(record), instance: record.instance, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device.State {
    init(_ record: DeviceRecord) {
        switch record.state {
        case .active: self = .active
        case .suspended: self = .suspended
        // One that was closed before this was kept stays the operator's to open.
        case .deactivated: self = record.closedBy == .failures ? .closedByFailures : .deactivated
        case .removed: self = .removed
        }
    }
}

extension SignInPolicy.Account.State {
    init(_ record: AccountRecord) {
        switch record.state {
        case .active: self = .active
        // One that was closed before this was kept stays the operator's to open.
        case .deactivated: self = record.closedBy == .failures ? .closedByFailures : .deactivated
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
