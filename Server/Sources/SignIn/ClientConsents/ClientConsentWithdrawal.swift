package import Core
internal import Kernel
package import Store

/// Withdrawal of a consent, by its holder or an operator. It is in one place so that no session outlives the consent.
package enum ClientConsentWithdrawal {
    /// Withdraws it and ends the client's sessions of the account. Pending codes become void, because the consent that they
    /// name is gone.
    /// - Parameters:
    ///   - client: a third-party client.
    ///   - now: the time of the write.
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
