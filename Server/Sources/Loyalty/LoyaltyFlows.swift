internal import Core
package import Kernel
internal import Operations
internal import SignIn
package import Store
internal import Tokens
package import WalletAuthWire
package import Web

/// The loyalty API: integrators' backends request tokens for their guests and enroll new ones (docs/protocol.md, section 7).
///
/// This target owns integrations, the numbers of loyalty accounts, and the memory of enrollments. It does not own calls to
/// providers, which belong to the vendor's target, nor the gate and sessions, which belong to `SignIn` and `Tokens`.
package struct LoyaltyFlows: Sendable {
    let context: ServerContext
    private let locks = KeyedLock()
    let redeemedCodes: RedeemedCodeCache
    let tokens: Tokens
    let integrations: LoyaltyIntegrations
    let identities: GuestIdentities
    let callers: Callers
    /// `nil` if the server sends no SMS.
    let oneTimePasswords: OneTimePasswords?

    package init(context: ServerContext) {
        self.context = context
        redeemedCodes = RedeemedCodeCache(database: context.database)
        tokens = Tokens(context: context)
        integrations = LoyaltyIntegrations(database: context.database, vault: ProviderVault(context: context))
        identities = GuestIdentities(context: context)
        callers = Callers(context: context)
        let settings = context.settings
        oneTimePasswords =
            settings.undeliverableFactors.contains(.sms)
            ? nil
            : OneTimePasswords(
                database: context.database, sealing: context.sealing, auditLog: context.auditLog,
                numbers: GuestNumberProofs(
                    callers: callers, identities: identities, database: context.database, sealing: context.sealing,
                    auditLog: context.auditLog),
                limits: settings.guestCodes, activity: context.guestCodes, lockout: settings.lockout)
    }

    /// The retry delay after a provider was unreachable, in seconds.
    static let providerRetry: Int64 = 10

    var sessions: GuestSessions { tokens.guests }

    /// Runs a body while no other one runs for the key, in this process or in another one on the same database.
    ///
    /// The body ends even if the caller is cancelled, since a client may disconnect at any moment. A redeemed code must still
    /// create its account, or be remembered.
    /// - Returns: `nil` if too many are waiting, or another process takes too long.
    func alone<Value: Sendable>(
        with key: [UInt8], _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let run = Task { () async throws -> Value? in
            guard context.database.group != nil else { return try await locks.alone(with: key, body) }
            let lease = CodeLease(of: key, database: context.database, clock: context.clock)
            return try await locks.alone(with: key) { try await lease.hold(body) } ?? nil
        }
        return try await run.value
    }

    /// `POST /onetimepassword/generateAndSendSMSOTP.json`: sends a guest a one-time password.
    package func sendOneTimePassword(
        _ request: OneTimePasswordRequest, call: LoyaltyCaller
    ) async throws -> Result<Void, LoyaltyFailure> {
        guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
            return .failure(LoyaltyFailure(.unknownMerchant))
        }
        guard let oneTimePasswords else { return .failure(LoyaltyFailure(.oneTimePasswordDisabled)) }
        return try await oneTimePasswords.send(
            to: request.mobilePhone, provedBy: request.accessToken, merchant: request.merchantID, call: call)
    }

    /// Authenticates a client's backend.
    /// - Parameter authorization: the `Authorization` header.
    package func call(
        authorization: String?, origin: RequestOrigin
    ) async throws -> Result<LoyaltyCaller, LoyaltyFailure> {
        let now = context.clock.now()
        guard let authorization,
            let presented = try? ClientAuthentication(form: FormParameters(), authorization: authorization),
            case .success(let client) = try await context.clientAuthenticator.authenticate(presented, now: now),
            client.kind == .confidential
        else { return .failure(LoyaltyFailure(.invalidClient)) }
        guard client.mayRequestGuestTokens else { return .failure(LoyaltyFailure(.clientNotAllowed)) }
        return .success(LoyaltyCaller(client: client, origin: origin, now: now))
    }
}

/// A client that may request guest tokens.
package struct LoyaltyCaller: Sendable {
    let client: RegisteredClient
    let origin: RequestOrigin
    let now: Timestamp

    /// The same call, for a guest's tokens.
    /// - Parameter scope: `nil` for all that the client may request.
    func tokens(scope: Scope?) -> TokenCaller {
        TokenCaller(client: client, scope: scope, origin: origin, now: now)
    }
}

extension LoyaltyFailure {
    /// The failure for a refusal of the gate.
    init(gate decision: SignInPolicy.Decision) {
        switch decision {
        case .deactivated: self.init(.deactivated)
        case .changed: self.init(.accountChanged)
        case .secondFactorRequired: self.init(.secondFactorRequired)
        case .passwordChangeRequired: self.init(.passwordExpired)
        case .emailUnverified: self.init(.emailUnverified)
        // These concern devices, merchants and authentication classes, which this API does not have.
        case .admit, .unknown, .deviceSuspended, .deviceDeactivated, .recoveryUnavailable, .appInstanceUnverified,
            .merchant, .merchantMissing, .unmetACR:
            self.init(.notAdmitted)
        }
    }
}

extension GuestTokens {
    init(_ tokens: TokenResponse, username: String?) throws {
        // Each session of this API has both.
        guard let refreshToken = tokens.refreshToken, let expiresIn = tokens.expiresIn else {
            throw InvariantViolation()
        }
        self.init(
            accessToken: tokens.accessToken, expiresIn: expiresIn, refreshToken: refreshToken,
            scope: tokens.scope ?? .none, username: username)
    }
}

extension LoyaltyFlows: AdministeredFlow {
    package static var eventKinds: [any SecurityEventKind] { LoyaltyFeature.events }

    /// The loyalty data of an account, with the codes of its enrollment.
    package func export(of account: UniqueID) async throws -> (member: String, value: JSONValue) {
        guard let kept = try await context.database.read({ try LoyaltyAccounts.find(account, on: $0) }) else {
            return ("loyaltyAccount", .null)
        }
        var json = JSONObject()
        json.set("number", kept.number)
        json.set("merchantId", kept.merchantID)
        json.set("integration", kept.integrationID)
        json.set("cardTemplateCode", kept.cardTemplate)
        json.set("activationStoreCode", kept.activationStore)
        json.set("enrolledAt", kept.enrolledAt.text)
        return ("loyaltyAccount", .object(json))
    }
}
