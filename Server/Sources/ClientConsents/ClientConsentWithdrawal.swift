package import AuthCore
package import AuthStore

/// Taking a consent back, by its holder or by an operator: one place, so that no session outlives it.
package enum ClientConsentWithdrawal {
    /// Takes it back and ends the client's sessions of the account, those from before consents were kept as well. Codes under
    /// way are void: the consent that they name is gone.
    /// - Parameter client: a third-party client.
    /// - Returns: whether there was a consent or a session.
    /// - Throws: `StoreError`.
    package static func take(
        _ client: String, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let consent = try ClientConsentRecords.remove(account, to: client, on: connection)
        let ended = try Sessions.endAll(
            of: account, grantedTo: client, because: .consentWithdrawn, now: now, on: connection)
        return consent != nil || ended > 0
    }
}
