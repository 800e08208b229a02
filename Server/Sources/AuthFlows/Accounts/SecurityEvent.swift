internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What is worth a line in the record of security events. The names are stable: auditors search for them.
enum SecurityEventKind: String {
    case accountCreated = "account.created"
    case accountDeactivated = "account.deactivated"
    case accountReactivated = "account.reactivated"
    case accountErased = "account.erased"
    case accountExported = "account.exported"
    case emailVerified = "account.email_verified"
    case passwordChanged = "account.password_changed"
    case passwordExpired = "account.password_expired"
    case clientCreated = "client.created"
    case clientDeleted = "client.deleted"
    case keysRotated = "keys.rotated"
    case merchantChanged = "merchant.changed"
    case refreshTokenReused = "session.refresh_token_reused"
    case codeReused = "session.code_reused"
    case sessionOpened = "session.opened"
    case sessionEnded = "session.ended"
    case signInSucceeded = "sign_in.succeeded"
    case signInRefused = "sign_in.refused"
}

extension ServerContext {
    /// An event, to be appended in the write of what it tells.
    /// - Parameters:
    ///   - kind: what happened.
    ///   - account: whom it concerns.
    ///   - client: through which client.
    ///   - details: circumstances, without personal data.
    ///   - now: when.
    func securityEvent(
        _ kind: SecurityEventKind, account: UniqueID? = nil, client: String? = nil, details: JSONObject = JSONObject(),
        now: Timestamp
    ) throws -> SecurityEventRecord {
        SecurityEventRecord(
            id: try timeOrderedID(now), accountID: account, clientID: client, kind: kind.rawValue, occurredAt: now,
            details: JSONValue.object(details).text)
    }
}
