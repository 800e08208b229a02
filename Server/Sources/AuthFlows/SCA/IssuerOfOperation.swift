internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension RequestedOperations {
    /// The issuer that an operation was asked for under.
    ///
    /// Before it was kept with the operation the server may have had several. Then what was signed tells: the authentication code,
    /// and a device's signature, bear it by name. Where nothing was signed, it is the one that the database had by its audit record
    /// when the operation was asked for, or else the present one.
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
        let change = try SecurityEvents.newest(
            Journal.Event.issuerChanged.rawValue, until: record.createdAt, on: connection)
        guard let change, let name = try JSONValue.object(parsing: Array(change.details.utf8)).string("issuer") else {
            return context.settings.issuer
        }
        return try Issuer(name)
    }
}
