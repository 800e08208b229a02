internal import Core
package import Kernel
package import Operations
internal import SignIn
package import Store
internal import Tokens
package import WalletAuthWire
internal import Web

/// The loyalty API: integrators' backends request tokens for their guests and enroll new ones (docs/protocol.md, section 7).
///
/// This target looks up integrations, and owns the numbers of loyalty accounts and the memory of enrollments. It does not own calls to
/// providers, which belong to the vendor's target, nor the gate and sessions, which belong to `SignIn` and `Tokens`.
package struct LoyaltyFlows: Sendable {
    let callers: LoyaltyCallers
    let guestTokens: GuestTokenGrants
    let enrollment: LoyaltyEnrollment
    let externalAccounts: ExternalAccounts
    let oneTimePasswords: OneTimePasswords
    private let database: any Database

    package init(_ server: AuthorizationServer) {
        let context = server.context
        let (sealing, auditLog, settings) = (context.sealing, context.auditLog, context.settings)
        database = context.database
        let (federation, sessions) = (server.signIn.federation, server.tokens.guests)
        let integrations = LoyaltyIntegrations(database: database, vault: context.providerVault)
        let attempts = federation.guestAttempts
        let check = ExternalAccountCheck(access: context.providerAccess, attempts: attempts)
        let codes = ProviderCodes(database: database, clock: context.clock)
        callers = LoyaltyCallers(clock: context.clock, clients: context.clientAuthenticator)
        oneTimePasswords = OneTimePasswords(
            isOffered: !settings.undeliverableFactors.contains(.sms), integrations: integrations, database: database,
            sealing: sealing, auditLog: auditLog,
            numbers: GuestNumberProofs(
                callers: server.callers, identities: federation.identities, database: database, sealing: sealing,
                auditLog: auditLog),
            limits: settings.guestCodes, codeLimits: settings.codes, activity: context.guestCodes,
            lockout: settings.lockout)
        guestTokens = GuestTokenGrants(
            integrations: integrations, sessions: sessions, oneTimePasswords: oneTimePasswords, check: check,
            attempts: attempts, codes: codes, database: database)
        enrollment = LoyaltyEnrollment(
            integrations: integrations, accounts: federation.accounts, sessions: sessions, check: check,
            attempts: attempts,
            passwords: NewGuestPasswords(
                hasher: context.passwords, compromised: server.signIn.passwords.compromised,
                acceptsCommon: settings.environment != .production),
            codes: codes, database: database, sealing: sealing, auditLog: auditLog)
        externalAccounts = ExternalAccounts(
            integrations: integrations, callers: server.callers, identities: federation.identities, check: check,
            attempts: attempts, codes: codes, database: database)
    }
}

/// Authenticates clients' backends.
struct LoyaltyCallers: Sendable {
    let clock: any Clock
    let clients: ClientAuthenticator

    /// - Parameter authorization: the `Authorization` header.
    func call(authorization: String?, origin: RequestOrigin) async throws -> Result<LoyaltyCaller, LoyaltyFailure> {
        let now = clock.now()
        guard let authorization,
            let presented = try? ClientAuthentication(form: FormParameters(), authorization: authorization)
        else { return .failure(LoyaltyFailure(.invalidClient)) }
        let client: RegisteredClient
        switch try await clients.authenticate(presented, now: now) {
        case .success(let found): client = found
        case .failure(let refusal):
            var failure = LoyaltyFailure(.invalidClient)
            failure.loggedReason = refusal.loggedReason
            return .failure(failure)
        }
        guard client.kind == .confidential else { return .failure(LoyaltyFailure(.invalidClient)) }
        guard client.mayRequestGuestTokens else { return .failure(LoyaltyFailure(.clientNotAllowed)) }
        return .success(LoyaltyCaller(client: client, origin: origin, now: now))
    }
}

/// A client that may request guest tokens.
struct LoyaltyCaller: Sendable {
    let client: RegisteredClient
    let origin: RequestOrigin
    let now: Timestamp

    /// The same call, for a guest's tokens.
    /// - Parameter scope: `nil` for all that the client may request.
    func tokens(scope: Scope?) -> TokenCaller {
        TokenCaller(client: client, scope: scope, origin: origin, now: now)
    }
}

extension LoyaltyFlows: AdministeredFlow {
    package static var eventKinds: [any SecurityEventKind] { LoyaltyFeature.events }

    /// The loyalty data of an account, with the codes of its enrollment.
    package func export(of account: UniqueID) async throws -> (member: String, value: JSONValue) {
        guard let kept = try await database.read({ try LoyaltyAccounts.find(account, on: $0) }) else {
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
