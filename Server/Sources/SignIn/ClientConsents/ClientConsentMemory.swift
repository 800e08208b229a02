internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Stores a consent just given to a third-party client, with its entry in the audit log.
struct ClientConsentMemory: Sendable {
    let database: any Database
    let random: any RandomBytes
    let auditLog: AuditLog

    /// - Parameters:
    ///   - scope: the client's entire scope from now on.
    ///   - seen: the consent that the page was drawn from; `nil` for none.
    ///   - account: the holder's account, as the gate read it.
    ///   - methods: the `amr` values of the sign-in.
    ///   - intent: the sign-in.
    ///   - now: the present moment.
    /// - Returns: the id of the consent; `nil` if the account, client or consent changed in the meantime.
    func remember(
        _ scope: Scope, replacing seen: ClientConsentRecord?, of account: AccountRecord,
        by methods: [String], intent: SignInIntent, now: Timestamp
    ) async throws -> UniqueID? {
        let client = intent.client.id.rawValue
        let consent = ClientConsentRecord(
            accountID: account.id, clientID: client, id: try seen?.id ?? random.uniqueID(),
            scope: scope.rawValue,
            grantedAt: seen?.grantedAt ?? now, changedAt: now)
        var details = JSONObject()
        details.set("scope", scope)
        // As of wallet operations, the log says what kind of thing was granted, and never the amount or payee.
        if let granted = intent.authorizationDetails {
            details.set("authorization_details", granted.types.sorted())
            details.set(SignInWords.methods, methods)
        }
        let entry = try auditLog.entry(
            ClientConsentEvent.granted, account: account.id, client: client, origin: intent.origin, now: now,
            details: details)
        let isRemembered = try await database.write { connection in
            if intent.client.settings.selfDescribed,
                try !Clients.keep(intent.client, now: now, on: connection)
            {
                return false
            }
            let isRemembered = try ClientConsentRecords.remember(
                consent, replacing: seen, accountVersion: account.securityVersion, on: connection)
            if isRemembered { try entry.write(on: connection) }
            return isRemembered
        }
        return isRemembered ? consent.id : nil
    }
}
