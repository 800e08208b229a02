internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension RequestedOperations {
    /// The issuer at the time of an operation's request.
    ///
    /// An operation of an earlier version does not record it, and the server may have had several. The signed data decides: the
    /// authentication code or a device's signature contains the issuer. Without either, the audit log decides: the last change of the
    /// issuer before the request, or the first one after it. Without an entry, it is the current issuer.
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
        let kind = IssuerEvent.changed.rawValue
        let before = try SecurityEvents.newest(kind, until: record.createdAt, on: connection)
        if let issuer = try Self.issuer("issuer", in: before) { return issuer }
        let after = try SecurityEvents.oldest(kind, after: record.createdAt, on: connection)
        return try Self.issuer("former", in: after) ?? context.settings.issuer
    }

    /// The issuer in an audit log entry; `nil` if the entry is missing or has none.
    private static func issuer(_ member: String, in entry: SecurityEvent?) throws -> Issuer? {
        guard let entry else { return nil }
        return try JSONValue.object(parsing: Array(entry.details.utf8)).value(member)
    }
}
