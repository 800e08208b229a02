import Consent
package import Kernel
import SignIn
package import Store
import Tokens

extension Accounts {
    /// Deletes an account's personal data and names. Its row stays, because others refer to it.
    ///
    /// A table with personal data of accounts needs a line here, or in its feature's ``DependentRows``. A test notices a missing
    /// table if it has a column `account_id`.
    /// - Parameter dependents: the rows of features of targets above this one.
    /// - Returns: whether there was something to erase.
    package static func erase(
        _ id: UniqueID, with dependents: [any DependentRows], on connection: any SQLConnection
    ) throws -> Bool {
        let erased = try connection.execute(
            """
            UPDATE accounts SET state = 'erased', security_version = security_version + 1, password = NULL,
                password_state = 'none', password_changed_at = NULL, password_checked_at = NULL, email = NULL,
                email_state = 'none', phone = NULL,
                profile = NULL, locale = NULL, last_login_at = NULL, deactivated_by = NULL, cooling_until = NULL
            WHERE id = $1 AND state <> 'erased'
            """, [.id(id)])
        guard erased == 1 else { return false }
        try connection.execute("DELETE FROM account_names WHERE account_id = $1", [.id(id)])
        try connection.execute("DELETE FROM merchant_employees WHERE account_id = $1", [.id(id)])
        // Messages waiting for delivery contain personal data as well.
        try connection.execute("DELETE FROM outbox WHERE account_id = $1", [.id(id)])
        // And so do webhooks about sign-ins, in the properties that an app gave.
        try WebhookDeliveries.discard(withPropertiesOf: id, on: connection)
        // The audit log stays. Its details, such as address and program, are personal data.
        try SecurityEvents.eraseDetails(of: id, on: connection)
        try BrowserSessions.endAll(of: id, on: connection)
        try Devices.removeAll(of: id, on: connection)
        try AccountFactors.removeAll(of: id, on: connection)
        try Passkeys.removeAll(of: id, on: connection)
        _ = try AccountPINs.remove(of: id, on: connection)
        try ClientConsentRecords.removeAll(of: id, on: connection)
        try ForeignTokens.removeAll(of: id, on: connection)
        try ImportedGrants.removeAll(of: id, on: connection)
        try Recoveries.endAll(of: id, on: connection)
        try FederatedIdentities.removeAll(of: id, on: connection)
        try UnreachableAccounts.remove(id, on: connection)
        try SCAHistory.removeAll(of: id, on: connection)
        // Evidence of consents has to outlast the account, but not the origins of the requests.
        try SCASteps.eraseCircumstances(of: id, on: connection)
        for rows in dependents { try rows.accountErased(id, on: connection) }
        return true
    }
}
