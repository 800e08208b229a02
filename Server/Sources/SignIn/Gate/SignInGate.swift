package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// A sign-in that passed the gate. Authorization codes, a guest's session and browser sessions are created from nothing else.
package struct Admission: Sendable {
    /// The account as it was before this sign-in.
    package let account: AccountRecord
    let factors: SignInPolicy.Factors
    /// What the person may get: by a code, or by the session of a guest. Not a `let`, which an initializer in another file could set.
    package private(set) var grant: AuthorizationGrant

    fileprivate init(account: AccountRecord, factors: SignInPolicy.Factors, grant: AuthorizationGrant) {
        self.account = account
        self.factors = factors
        self.grant = grant
    }
}

/// The gate: the one function that every sign-in passes. Only it creates an ``Admission``.
///
/// This folder owns the decision, its facts, the content of a sign-in that waits, and authorization codes. It
/// verifies no credential, and knows neither pages nor the native API.
///
/// It reads the account after the factors were proved and puts the account's security version into the grant. The redemption
/// checks that version, so a state that was read too early opens nothing.
package final class SignInGate: Sendable {
    private let database: any Database
    private let random: any RandomBytes
    private let auditLog: AuditLog
    private let secondFactors: SecondFactorReader
    private let consents: ClientConsentMemory
    private let logger: Logger

    init(
        database: any Database, random: any RandomBytes, auditLog: AuditLog, secondFactors: SecondFactorReader,
        consents: ClientConsentMemory, logger: Logger
    ) {
        self.database = database
        self.random = random
        self.auditLog = auditLog
        self.secondFactors = secondFactors
        self.consents = consents
        self.logger = logger
    }

    enum Outcome: Sendable {
        case admitted(Admission)
        /// Never contains ``SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision, AccountRecord?)
        /// All factors are proved; the person has to choose a merchant.
        case merchantRequired([Merchant], AccountRecord)
        /// All factors are proved; the person has to grant the third-party client's request.
        case consentRequired(ClientConsentQuestion, AccountRecord)
        /// The client expects another person.
        case unexpectedAccount
        /// A second factor is required, nothing can deliver its code, and the person has no device either.
        case codeUndeliverable
    }

    /// When an account that its holder closed is erased; `nil` if its holder did not close it.
    func erasure(of account: AccountRecord) async throws -> Timestamp? {
        guard account.deactivatedBy == .holder else { return nil }
        return try await database.read { try AccountClosings.end(of: account.id, on: $0) }
    }

    /// Decides on the sign-in and records it.
    /// - Parameters:
    ///   - id: the account whose holder was authenticated.
    ///   - factors: the proofs.
    func admit(
        _ id: UniqueID, factors: SignInPolicy.Factors, intent: SignInIntent, now: Timestamp
    ) async throws -> Outcome {
        // First of all: a sign-in that cannot lead to a code asks for nothing, changes nothing and reveals no state of the account.
        if let expected = intent.expectedAccount, expected != id.uuid { return .unexpectedAccount }
        let facts = try await database.read { connection in
            try self.readFacts(id, factors: factors, intent: intent, now: now, on: connection)
        }
        let (device, place) = (facts.device, facts.place)
        guard let account = facts.account, intent.device == nil || device?.accountID == id else {
            return .refused(.unknown, nil)
        }
        let policyAccount = try SignInPolicy.Account(account)
        let decision = SignInPolicy.decide(
            policyAccount, device: device.map(SignInPolicy.Device.init), factors: factors,
            terms: facts.terms(of: intent), now: now)
        if decision == .merchantMissing, case .several(let merchants) = place {
            return .merchantRequired(merchants, account)
        }
        guard decision == .admit else {
            if decision == .unmetACR, let second = facts.secondFactors, !second.unreachable.isEmpty,
                second.kinds(for: intent.requiredACR).isEmpty
            {
                try await noteUndeliverable(second, account, intent: intent, now: now)
                // The page takes a passkey where an app cannot, so the app is sent there.
                let isForPage = second.hasPasskey && intent.entrance == .native
                if !second.holdsDevice, !isForPage { return .codeUndeliverable }
            }
            return .refused(decision, account)
        }
        var consent: UniqueID?
        if facts.isTooWeakToPay { return .refused(.unmetACR, account) }
        if !intent.client.isFirstParty {
            // The page offers no scan here, but the client may have become another company's since.
            guard !AuthenticationStrength.isCrossDevice(factors.amr) else { return .refused(.changed, account) }
            let verdict = try intent.consent.map {
                try ClientConsentRule.decide(
                    intent.scope, facts.consent, $0, details: intent.authorizationDetails)
            }
            switch verdict {
            case nil: break
            case .covered(let id): consent = id
            case .missing(let question): return .consentRequired(question, account)
            case .allowed(let scope):
                consent = try await consents.remember(
                    scope, replacing: facts.consent, of: account, by: factors.amr, intent: intent, now: now)
                // Another tab may have allowed or withdrawn it since the page was shown; the current state decides.
                if consent == nil {
                    var intent = intent
                    intent.consent = .remembered
                    return try await admit(id, factors: factors, intent: intent, now: now)
                }
            }
        }
        let grant = AuthorizationGrant(
            id: grantID(of: intent, by: factors, account: id), client: intent.client.id,
            redirectURI: intent.redirectURI,
            challenge: intent.challenge, account: try AccountID(bytes: id.bytes),
            securityVersion: account.securityVersion, scope: intent.scope, nonce: intent.nonce,
            authTime: factors.authenticatedAt, acr: policyAccount.acr(of: factors, at: now), amr: factors.amr,
            keyThumbprint: intent.keyThumbprint,
            merchant: place.merchant, device: try device.map { try DeviceID($0.id.uuid) },
            resources: intent.resources, authorizationDetails: intent.authorizationDetails,
            idTokenClaims: intent.idTokenClaims, consent: consent?.bytes,
            issuedAt: now)
        // A page's `dpop_jkt` is a claim, and anyone can name a key: only its proof makes this a sign-in on that device.
        let provedDevice = intent.isDeviceProved || intent.entrance == .native ? device : nil
        try await record(id, on: provedDevice, by: factors.amr, intent: intent, now: now)
        return .admitted(Admission(account: account, factors: factors, grant: grant))
    }

    /// A sign-in that grants details opens one session, however often its form is sent: two tokens would be for two payments.
    private func grantID(of intent: SignInIntent, by factors: SignInPolicy.Factors, account: UniqueID) -> [UInt8] {
        if let id = intent.grantID { return id }
        guard let details = intent.authorizationDetails else { return random.bytes(16) }
        let parts = [
            account.uuid, String(factors.authTime.milliseconds), intent.client.id.rawValue,
            intent.challenge?.rawValue ?? "", intent.nonce?.rawValue ?? "", details.rawValue,
        ]
        return Array(Digests.of("details-grant", Array(parts.joined(separator: "\0").utf8)).prefix(16))
    }

    package enum GuestOutcome: Sendable {
        case admitted(Admission)
        /// Never ``SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision)
    }

    /// Decides on the sign-in of a guest, whose proof a confidential client's backend passed on. It can ask for nothing.
    /// - Parameters:
    ///   - id: the guest's account.
    ///   - factors: the proofs.
    ///   - client: the authenticated client.
    ///   - scope: the session's.
    ///   - properties: stored in the audit log with the sign-in.
    package func admit(
        guest id: UniqueID, factors: SignInPolicy.Factors, to client: RegisteredClient, scope: Scope,
        properties: [String: String], origin: RequestOrigin, now: Timestamp
    ) async throws -> GuestOutcome {
        // A public client's id proves nothing, so no backend speaks for it.
        guard client.kind == .confidential else { return .refused(.unknown) }
        let intent = SignInIntent(
            client: client,
            // The session opens without a code, so no one has a verifier.
            challenge: CodeChallenge(verifier: try CodeVerifier(random: random.bytes(32))), scope: scope,
            resources: [], entrance: .backend, properties: properties, origin: origin)
        switch try await admit(id, factors: factors, intent: intent, now: now) {
        case .admitted(let admission): return .admitted(admission)
        case .refused(let decision, _): return .refused(decision)
        case .merchantRequired: return .refused(.merchantMissing)
        case .codeUndeliverable: return .refused(.unmetACR)
        // Only first-party clients may request guest tokens, and they need no consent. A backend names no expected person.
        case .consentRequired, .unexpectedAccount: return .refused(.unknown)
        }
    }
}

extension SignInGate {
    /// Decides on a session that goes on from a former system, which vouches for its holder. It can ask for nothing, and asks for no
    /// second factor on a new device: the person is not there. The session counts as what it is, the word of another.
    /// - Parameters:
    ///   - id: the account that the former system's person was imported to.
    ///   - client: the authenticated client.
    ///   - scope: the session's.
    package func admit(
        former id: UniqueID, factors: SignInPolicy.Factors, to client: RegisteredClient, scope: Scope,
        keyThumbprint: [UInt8]?, origin: RequestOrigin, now: Timestamp
    ) async throws -> GuestOutcome {
        let intent = SignInIntent(
            client: client, challenge: CodeChallenge(verifier: try CodeVerifier(random: random.bytes(32))),
            scope: scope,
            keyThumbprint: keyThumbprint, resources: [], entrance: .formerSystem, origin: origin)
        switch try await admit(id, factors: factors, intent: intent, now: now) {
        case .admitted(let admission): return .admitted(admission)
        case .refused(let decision, _): return .refused(decision)
        case .merchantRequired: return .refused(.merchantMissing)
        case .codeUndeliverable: return .refused(.unmetACR)
        case .consentRequired, .unexpectedAccount: return .refused(.unknown)
        }
    }
}

extension SignInGate {
    /// What the decision needs of the store.
    struct Facts: Sendable {
        var account: AccountRecord?
        var device: DeviceRecord?
        var place: MerchantPlace
        var passwordMaximumAge: Duration?
        var secondFactors: SecondFactors?
        /// The account's earlier consent to a third-party client.
        var consent: ClientConsentRecord?
        /// Whether the client asks for a payment, and fewer than two categories count for it.
        var isTooWeakToPay = false

        /// With these, what the client and its request require.
        func terms(of intent: SignInIntent) -> SignInPolicy.Terms {
            SignInPolicy.Terms(
                brand: intent.client.brand, requiresMerchant: place.isToBeChosen, merchant: place.verdict,
                requiredACR: intent.requiredACR, passwordMaximumAge: passwordMaximumAge, secondFactors: secondFactors)
        }
    }

    func readFacts(
        _ id: UniqueID, factors: SignInPolicy.Factors, intent: SignInIntent, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Facts {
        let account = try Accounts.find(id, on: connection)
        let device =
            try intent.device.map { try Devices.find($0, on: connection) }
            ?? Self.device(by: intent.keyThumbprint, of: id, on: connection)
        var facts = Facts(
            account: account, device: device,
            place: try MerchantPlace.find(of: id, intent: intent, on: connection))
        if !intent.client.isFirstParty {
            facts.consent = try ClientConsentRecords.find(id, to: intent.client.id.rawValue, on: connection)
        }
        guard let account else { return facts }
        facts.passwordMaximumAge = try Brands.passwordMaximumAge(account.brandID, on: connection)
        if intent.authorizationDetails?.payment != nil {
            let counting = try AuthenticationStrength.counting(
                factors.amr, of: account, onTrustedDevice: intent.isOnTrustedDevice, at: now, on: connection)
            facts.isTooWeakToPay = AuthenticationStrength.categories(of: counting).count < 2
        }
        facts.secondFactors = try secondFactors.facts(
            of: account, device: device, intent: intent, factors: factors, now: now, on: connection)
        return facts
    }

    /// Records the sign-in at the account, at the device if one was proved, and in the audit log.
    private func record(
        _ id: UniqueID, on device: DeviceRecord?, by methods: [String], intent: SignInIntent, now: Timestamp
    ) async throws {
        var details = device.map { JSONObject.naming($0.id) } ?? JSONObject()
        details.set(SignInWords.methods, methods)
        let client = intent.consent == nil ? intent.client.idBeforeConsent : intent.client.id
        let entry = try auditLog.entry(
            LoginEvent.signedIn, account: id, client: client?.rawValue, origin: intent.origin,
            properties: intent.properties, now: now, details: details)
        try await database.write { connection in
            try Accounts.recordLogin(of: id, now: now, on: connection)
            if let device { try Devices.recordUse(device.id, now: now, on: connection) }
            try entry.write(on: connection)
        }
    }

    /// Warns the operator: missing configuration keeps a person out, not a wrong input.
    private func noteUndeliverable(
        _ factors: SecondFactors, _ account: AccountRecord, intent: SignInIntent, now: Timestamp
    ) async throws {
        let channels = Set(factors.unreachable.compactMap(\.channel)).sorted()
        var details = JSONObject()
        details.set("channels", channels)
        let entry = try auditLog.entry(
            LoginEvent.codeUndeliverable, account: account.id, client: intent.client.id.rawValue,
            origin: intent.origin, now: now, details: details)
        try await database.write { _ = try entry.write(on: $0) }
        logger.warning(
            """
            a sign-in ended: its second factor cannot be requested because nothing can deliver the code; configure a \
            transport
            """,
            metadata: [
                "account": "\(account.id.uuid)",
                "channels": "\(channels.joined(separator: " "))",
            ])
    }

    /// The enrolled device with the sign-in's DPoP key, if the sign-in did not name it. Omitting the name must not bypass the
    /// device's state. The device is no factor.
    private static func device(
        by thumbprint: [UInt8]?, of account: UniqueID, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        guard let thumbprint,
            let device = try Devices.find(dpopKey: thumbprint, of: account, on: connection), device.state != .removed
        else { return nil }
        return device
    }
}

/// The events of sign-ins in the audit log.
package enum LoginEvent: String, SecurityEventKind, CaseIterable {
    case signedIn = "account.signed_in"
    case nonceIssued = "login_nonce.issued"
    /// A sign-in with the right first factor was refused, because nothing delivers the code of the second.
    case codeUndeliverable = "account.code_undeliverable"

    package var webhookKind: WebhookKind? { self == .signedIn ? .signIns : nil }
}

/// The client's requirements for the sign-in.
package struct SignInIntent: Sendable {
    package var client: RegisteredClient
    /// `nil` for a native sign-in.
    package var redirectURI: String?
    /// `nil` for a client that may leave PKCE out, and did.
    package var challenge: CodeChallenge?
    package var scope: Scope
    package var nonce: Nonce?
    /// The thumbprint of the key that the code is bound to: 32 bytes.
    package var keyThumbprint: [UInt8]?
    /// The browser's cookie, if the sign-in comes from one.
    package var browser: KnownDeviceCookie?
    /// The enrolled device that the sign-in comes from.
    package var device: UniqueID?
    /// Whether that device's own key was proved. Only then is it linked, and only then can it be a factor.
    package var isDeviceProved = false
    /// Whether the person signed for it on an active device past its cooling period.
    package var isOnTrustedDevice = false
    /// Identifies the redemption if the proof may open only one session, however often the request is repeated: 16 bytes.
    /// `nil` creates a separate code each time.
    package var grantID: [UInt8]?
    package var merchant: MerchantID?
    package var resources: [String]
    /// What the client asks for besides scopes.
    package var authorizationDetails: AuthorizationDetails?
    /// The claims about the person that the ID token is to have, as far as the scope covers them.
    package var idTokenClaims: [String] = []
    /// The acceptable authentication context classes; empty for any.
    package var requiredACR: [String] = []
    package var entrance = Entrance.browser
    /// Properties from the app for the sign-in's entry in the audit log.
    package var properties: [String: String] = [:]
    /// The consent that a third-party client needs; `nil` for a sign-in with which it gets nothing yet.
    package var consent: ClientConsentTerms? = .remembered
    /// The id of the only account that may sign in; `nil` for any. Compared as text, so that a malformed one admits no account.
    package var expectedAccount: String?
    package var origin: RequestOrigin

    /// The kinds of sign-in, which differ in what they can ask of a person.
    package enum Entrance: Sendable {
        case browser
        /// An app's own screens, with a proof of its key. They can ask for a second factor.
        case native
        /// A client's backend, which passes on a guest's proof. It can ask for nothing.
        case backend
        /// An app's session that goes on from the system before this one. It can ask for nothing.
        case formerSystem
    }
}
