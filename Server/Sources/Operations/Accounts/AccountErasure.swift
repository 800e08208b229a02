internal import Consent
internal import Core
package import Kernel
internal import Logging
internal import SignIn
package import Store
internal import Tokens
internal import WalletAuthWire

extension Accounts {
    /// Deletes an account's personal data and names. Its row stays, because others refer to it.
    ///
    /// A table with personal data of accounts needs a line here, or in its feature's ``DependentRows``. A test notices a missing
    /// table if it has a column `account_id`.
    /// - Parameters:
    ///   - dependents: the rows of features of targets above this one.
    ///   - other: the account that has taken over what it had; `nil` for an erasure.
    /// - Returns: whether there was something to erase.
    package static func erase(
        _ id: UniqueID, with dependents: [any DependentRows], mergedInto other: UniqueID? = nil,
        on connection: any SQLConnection
    ) throws -> Bool {
        let erased = try connection.execute(
            """
            UPDATE accounts SET state = 'erased', security_version = security_version + 1, password = NULL,
                password_state = 'none', password_changed_at = NULL, password_checked_at = NULL, email = NULL,
                email_state = 'none', phone = NULL,
                profile = NULL, locale = NULL, last_login_at = NULL, deactivated_by = NULL, closed_over = NULL,
                cooling_until = NULL, merged_into = $2
            WHERE id = $1 AND state <> 'erased'
            """, [.id(id), .id(other)])
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
        try Sessions.eraseNetworks(of: id, on: connection)
        try Devices.removeAll(of: id, on: connection)
        try AccountFactors.removeAll(of: id, on: connection)
        try DeviceGrants.removeAll(of: id, on: connection)
        try Passkeys.removeAll(of: id, on: connection)
        _ = try AccountPINs.remove(of: id, on: connection)
        try ClientConsentRecords.removeAll(of: id, on: connection)
        try ForeignTokens.removeAll(of: id, on: connection)
        try ImportedGrants.removeAll(of: id, on: connection)
        try ProvisionedTable.accounts.removeAll(of: id, on: connection)
        try Recoveries.endAll(of: id, on: connection)
        try ContactChanges.removeAll(of: id, on: connection)
        try AccountClosings.remove(of: id, on: connection)
        try AccountDigests.removeAll(of: id, on: connection)
        try Operators.remove(id, on: connection)
        try OperatorInvitations.remove(id, on: connection)
        try FederatedIdentities.removeAll(of: id, on: connection)
        try UnreachableAccounts.remove(id, on: connection)
        try SCAHistory.removeAll(of: id, on: connection)
        // Evidence of consents has to outlast the account, but not the origins of the requests.
        try SCASteps.eraseCircumstances(of: id, on: connection)
        for rows in dependents { try rows.accountErased(id, on: connection) }
        return true
    }

    /// Erases an account, ends its sessions and withdraws its operations: all that follows from its end, in one write.
    /// - Returns: whether there was something to erase.
    static func end(
        _ id: UniqueID, with dependents: [any DependentRows], mergedInto other: UniqueID? = nil, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        guard try erase(id, with: dependents, mergedInto: other, on: connection) else { return false }
        try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
        // Without a session no one can agree to them, and a backend should not wait until they expire.
        let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
        try WalletOperations.cancelAll(of: id, step: voided, now: now, on: connection)
        return true
    }
}

/// Erases the accounts whose holders closed them and did not take that back in time, as `account erase` does.
package struct DueErasures: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let changes: CommittedChanges
    let dependents: [any DependentRows]
    let logger: Logger

    /// The accounts that one run erases, and those of a page. Maintenance runs about once a minute.
    var limit = 50

    /// An account that cannot be erased is logged and tried again by the next run: however many such there are, they keep neither the
    /// others nor the rest of maintenance waiting.
    /// - Returns: the number of accounts erased.
    @discardableResult
    func run(now: Timestamp) async throws -> Int {
        var erased = 0
        var last: AccountClosings.Due?
        while erased < limit {
            let page = try await database.read { [last, limit] in
                try AccountClosings.due(after: last, now: now, limit: limit, on: $0)
            }
            for due in page where erased < limit {
                try Task.checkCancellation()
                last = due
                if try await isErased(due.account, now: now) { erased += 1 }
            }
            guard page.count == limit else { break }
        }
        return erased
    }

    private func isErased(_ id: UniqueID, now: Timestamp) async throws -> Bool {
        do {
            guard try await erase(id, now: now) else { return false }
        } catch let error as CancellationError { throw error } catch {
            logger.error(
                "an account that its holder closed cannot be erased; it will be tried again",
                metadata: ["account": "\(id.uuid)", "error": "\(error)"])
            return false
        }
        changes.changed(id)
        return true
    }

    private func erase(_ id: UniqueID, now: Timestamp) async throws -> Bool {
        let entry = try auditLog.entry(
            AccountEvent.erased, account: id, now: now, details: JSONObject(strings: ["reason": "holder"]))
        return try await database.write { connection in
            // It may have been kept, or an operator may have closed it, since it was read.
            guard try AccountClosings.end(of: id, on: connection).map({ $0 <= now }) ?? false,
                try Accounts.find(id, on: connection)?.deactivatedBy == .holder,
                try Accounts.end(id, with: dependents, now: clock.writeTime(since: now), on: connection)
            else { return false }
            try entry.write(on: connection)
            return true
        }
    }
}
