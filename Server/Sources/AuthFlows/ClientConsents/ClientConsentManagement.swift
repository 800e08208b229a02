internal import AuthCore
internal import AuthStore
internal import ClientConsents
internal import WalletAuthWire

/// The apps that an account lets in, for its holder: listed and taken back on the account's page.
///
/// It takes a sign-in on the very page, minutes old, and no more: it takes something from an app and from nobody else, so that neither a
/// second factor nor a cooling period holds it up.
struct ClientConsentManagement: Sendable {
    let context: ServerContext
    let call: PageCaller

    /// The apps.
    func manage() async throws -> Result<[ClientAccess], FactorRefusal> {
        if let refusal { return .failure(refusal) }
        let account = call.account.id
        return .success(try await context.database.read { try ClientAccess.list(of: account, on: $0) })
    }

    /// Takes an app's access away; it is signed out at once.
    func withdraw(_ client: String) async throws -> Result<Void, FactorRefusal> {
        if let refusal { return .failure(refusal) }
        // A text that names no client must not reach the audit log.
        guard let id = try? ClientID(client) else { return .failure(.notFound) }
        let entry = try AuditLog(context: context).entry(
            .clientConsentWithdrawn, account: call.account.id, client: id.rawValue, origin: call.origin, now: call.now,
            details: .withdrawn(by: .holder))
        let isFirstParty = try await context.clients.find(id, now: call.now)?.isFirstParty ?? false
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            guard !isFirstParty,
                try ClientConsentWithdrawal.take(
                    id.rawValue, of: call.account.id, now: call.now, on: connection)
            else { return .failure(.notFound) }
            try entry.write(on: connection)
            return .success(())
        }
    }

    private var refusal: FactorRefusal? {
        let policy = StepUpPolicy(context: context, call: call)
        return policy.isFresh
            ? nil
            : .strongerSignIn(
                maximumAge: context.settings.devices.enrollmentFreshness.wholeSeconds,
                acr: AuthenticationStrength.singleFactor)
    }
}

/// Who takes a consent back.
enum ClientConsentWithdrawer: String, Sendable {
    case holder
    case `operator`
}

extension JSONObject {
    /// The circumstances of a withdrawal.
    static func withdrawn(by who: ClientConsentWithdrawer) -> JSONObject {
        var details = JSONObject()
        details.set("by", who.rawValue)
        return details
    }
}
