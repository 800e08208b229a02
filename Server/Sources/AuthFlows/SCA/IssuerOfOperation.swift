internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension RequestedOperations {
    /// The issuer that an operation was asked for under.
    ///
    /// Before it was kept with the operation the server may have had several. Then what was signed tells: the authentication code,
    /// and a device's signature, bear it by name. Where nothing was signed, it is the one that the database had by its audit log
    /// when the operation was asked for: what the last change before made it, or else what the first change after found. Where
    /// neither is told, it is the present one.
    func issuer(
        of record: WalletOperationRecord, attempts: [OperationEvidenceClaims.Attempt], on connection: any SQLConnection
    ) throws -> Issuer {
        if let kept = record.issuer { return try Issuer(kept) }
        if let use = record.use {
            let code = try CompactJWS(vault.open(answer: use.answer, of: record.id).rawValue)
            return try AuthenticationCodeClaims(JSONValue.object(parsing: code.unverifiedPayload)).issuer
        }
        if let device = attempts.compactMap(\.device).first {
            let signed = try JSONValue.object(parsing: CompactJWS(device.signature).unverifiedPayload)
            return try signed.required("aud", signed.value("aud"))
        }
        let kind = AuditLog.Event.issuerChanged.rawValue
        let before = try SecurityEvents.newest(kind, until: record.createdAt, on: connection)
        if let issuer = try Self.issuer("issuer", in: before) { return issuer }
        let after = try SecurityEvents.oldest(kind, after: record.createdAt, on: connection)
        return try Self.issuer("former", in: after) ?? context.settings.issuer
    }

    /// An issuer that an entry of the audit log names; `nil` where it does not, or there is no entry.
    private static func issuer(_ member: String, in entry: SecurityEvent?) throws -> Issuer? {
        guard let entry else { return nil }
        return try JSONValue.object(parsing: Array(entry.details.utf8)).value(member)
    }
}
