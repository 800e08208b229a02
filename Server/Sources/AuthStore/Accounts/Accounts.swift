package import AuthCore

/// What became of making an account.
package enum AccountCreation: Sendable, Hashable {
    case created
    /// The brand has an account of that name.
    case nameTaken
    /// There is no such brand.
    case unknownBrand
}

/// The facts of accounts and their names.
///
/// Whatever voids earlier sign-ins raises `security_version` in the same statement; ending the sessions is then tidiness,
/// not protection, since no guard matches them any more.
package enum Accounts {
    /// Makes an account under a name.
    ///
    /// - Parameters:
    ///   - account: the new row.
    ///   - name: the user name as the profile maps it for comparison (RFC 8265); unique within the brand.
    ///   - connection: the connection of a write.
    /// - Returns: what became of it; when refused, nothing was written.
    /// - Throws: ``StoreError``.
    package static func create(
        _ account: AccountRecord, named name: String, on connection: any SQLConnection
    ) throws -> AccountCreation {
        guard try Brands.find(account.brandID, on: connection) != nil else { return .unknownBrand }
        guard try find(named: name, brand: account.brandID, on: connection) == nil else { return .nameTaken }
        try connection.execute(
            """
            INSERT INTO accounts (\(AccountRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
            """,
            [
                .id(account.id), .text(account.brandID), .name(account.state), .integer(account.securityVersion),
                .optional(account.password), .name(account.passwordState), .time(account.passwordChangedAt),
                .optional(account.email), .name(account.emailState), .optional(account.phone),
                .optional(account.profile), .optional(account.locale), .time(account.createdAt),
                .time(account.lastLoginAt), .optional(account.closedBy?.rawValue), .time(account.coolingUntil),
                .time(account.passwordCheckedAt), .time(account.devicesDistrustedAt),
            ])
        try connection.execute(
            "INSERT INTO account_names (brand_id, name, account_id) VALUES ($1, $2, $3)",
            [.text(account.brandID), .text(name), .id(account.id)])
        return .created
    }

    /// The account of an id; one point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> AccountRecord? {
        try connection.row("SELECT \(AccountRecord.columns) FROM accounts WHERE id = $1", [.id(id)])
            .map(AccountRecord.init)
    }

    /// The account of a mapped user name within a brand.
    package static func find(
        named name: String, brand: String, on connection: any SQLConnection
    ) throws -> AccountRecord? {
        try connection.row(
            """
            SELECT \(AccountRecord.columns) FROM accounts
            WHERE id = (SELECT n.account_id FROM account_names n WHERE n.brand_id = $1 AND n.name = $2)
            """, [.text(brand), .text(name)]
        ).map(AccountRecord.init)
    }

    /// The mapped user names of an account.
    package static func names(of id: UniqueID, on connection: any SQLConnection) throws -> [String] {
        try connection.query("SELECT name FROM account_names WHERE account_id = $1 ORDER BY name LIMIT 100", [.id(id)])
            .map { try $0.text(0) }
    }

    /// Gives an account a new password, and voids every earlier sign-in.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - sealed: the new sealed hash.
    ///   - expected: the security version that the change was judged by; another one refuses it.
    ///   - now: when it was chosen.
    ///   - connection: the connection of a write.
    /// - Returns: the new security version, or `nil` when the account is not active at the expected version.
    /// - Throws: ``StoreError``.
    package static func changePassword(
        of id: UniqueID, to sealed: [UInt8], expecting expected: Int64, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int64? {
        try connection.row(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = $4,
                password_checked_at = NULL, security_version = security_version + 1
            WHERE id = $1 AND security_version = $3 AND state = 'active'
            RETURNING security_version
            """, [.id(id), .blob(sealed), .integer(expected), .time(now)])?.integer(0)
    }

    /// Replaces the hash of the same password (stronger parameters, a newer pepper) by compare-and-set.
    ///
    /// - Returns: whether the old hash still stood; `false` costs nothing, the next sign-in tries again.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func upgradePassword(
        of id: UniqueID, from old: [UInt8], to new: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET password = $3 WHERE id = $1 AND password = $2", [.id(id), .blob(old), .blob(new)]) == 1
    }

    /// Demands a new password at the next sign-in. Sessions go on.
    ///
    /// - Returns: whether the account has a password that was current.
    /// - Throws: ``StoreError``.
    package static func expirePassword(of id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET password_state = 'expired' WHERE id = $1 AND password_state = 'current'",
            [.id(id)]) == 1
    }

    /// Demands a new password at the next sign-in, because the present one is known to others, and voids every earlier
    /// sign-in.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - expected: the security version under which the password was compared. A password that was set since is another
    ///     one, and raised it.
    ///   - connection: the connection of a write.
    /// - Returns: whether the account is active, at the expected version and had a password that was current.
    /// - Throws: ``StoreError``.
    package static func expirePassword(
        of id: UniqueID, expecting expected: Int64, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET password_state = 'expired', security_version = security_version + 1
            WHERE id = $1 AND security_version = $2 AND password_state = 'current' AND state = 'active'
            """, [.id(id), .integer(expected)]) == 1
    }

    /// Records that a password was looked for in lists of stolen ones, and not found.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - expected: the security version under which the password was compared; another one is left as it is.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func recordPasswordCheck(
        of id: UniqueID, expecting expected: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE accounts SET password_checked_at = $3 WHERE id = $1 AND security_version = $2",
            [.id(id), .integer(expected), .time(now)])
    }

    /// Records that the holder receives mail at the stored address.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - email: the sealed address that was shown to be theirs; another one in the row refuses it.
    ///   - connection: the connection of a write.
    /// - Returns: whether the row still had that address and it was not verified before.
    /// - Throws: ``StoreError``.
    package static func verifyEmail(
        of id: UniqueID, sealed email: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET email_state = 'verified' WHERE id = $1 AND email = $2 AND email_state = 'unverified'",
            [.id(id), .blob(email)]) == 1
    }

    /// Replaces what an account says about its person, by compare-and-set.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - old: the sealed profile that the change was made of; another one in the row refuses it.
    ///   - new: the new sealed profile.
    ///   - locale: the preferred language.
    ///   - connection: the connection of a write.
    /// - Returns: whether the row still had that profile, and is not erased.
    /// - Throws: ``StoreError``.
    package static func setProfile(
        of id: UniqueID, from old: [UInt8]?, to new: [UInt8]?, locale: String?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET profile = $3, locale = $4
            WHERE id = $1 AND state <> 'erased' AND COALESCE(profile, $5) = $2
            """,
            // A sealed profile is never empty, so an empty one stands for none.
            [.id(id), .blob(old ?? []), .optional(new), .optional(locale), .blob([])]) == 1
    }

    /// Takes an address away that receives no mail any more.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - email: the sealed address; another one in the row stays.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func removeEmail(
        of id: UniqueID, sealed email: [UInt8], on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE accounts SET email = NULL, email_state = 'none' WHERE id = $1 AND email = $2",
            [.id(id), .blob(email)])
    }

    /// Closes an active account and voids every earlier sign-in. An operator's word stands above the failures' that closed it
    /// before: its holder cannot open it by a recovery then.
    ///
    /// - Returns: whether it was active, or closed by failures and is now by an operator.
    /// - Throws: ``StoreError``.
    package static func deactivate(
        _ id: UniqueID, by closer: DeactivationCause, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = 'deactivated', closed_by = $2, security_version = security_version + 1
            WHERE id = $1 AND (state = 'active'
                OR (state = 'deactivated' AND closed_by = 'failures' AND $2 = 'operator'))
            """, [.id(id), .name(closer)]) == 1
    }

    /// Gives an account a new password because its holder proved who it is in another way, voids every earlier sign-in, and
    /// opens it where failures had closed it. What an operator closed stays closed.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - sealed: the new sealed hash.
    ///   - expected: the security version that the recovery was judged by; another one refuses it.
    ///   - device: the device whose key took part, as it stood when the recovery was judged; where it stands otherwise by
    ///     now, the recovery is refused: an operator may have closed it, or its holder removed it.
    ///   - cooling: until when nothing that it is signed in with may be changed; `nil` leaves what stands.
    ///   - now: when it was chosen.
    ///   - connection: the connection of a write.
    /// - Returns: the new security version, or `nil` when the account cannot be recovered at the expected version.
    /// - Throws: ``StoreError``.
    package static func recover(
        _ id: UniqueID, to sealed: [UInt8], expecting expected: Int64, asOn device: DeviceRecord?,
        coolingUntil cooling: Timestamp?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int64? {
        try connection.row(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = $4,
                password_checked_at = NULL, state = 'active', closed_by = NULL,
                cooling_until = COALESCE($5, cooling_until), security_version = security_version + 1
            WHERE id = $1 AND security_version = $3
                AND (state = 'active' OR (state = 'deactivated' AND closed_by = 'failures'))
                AND ($6 IS NULL OR EXISTS (SELECT 1 FROM devices d WHERE d.id = $6 AND d.account_id = $1
                    AND d.state = $7 AND COALESCE(d.closed_by, '') = COALESCE($8, '')))
            RETURNING security_version
            """,
            [
                .id(id), .blob(sealed), .integer(expected), .time(now), .time(cooling), .id(device?.id),
                .optional(device?.state.rawValue), .optional(device?.closedBy?.rawValue),
            ])?.integer(0)
    }

    /// Opens a deactivated account again; sign-ins from before its closing stay void.
    ///
    /// - Returns: whether it was deactivated.
    /// - Throws: ``StoreError``.
    package static func reactivate(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET state = 'active', closed_by = NULL WHERE id = $1 AND state = 'deactivated'", [.id(id)])
            == 1
    }

    /// Voids every earlier sign-in without another change, as the removal of a device does.
    ///
    /// - Returns: the new security version, or `nil` when there is no such account.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func raiseSecurityVersion(of id: UniqueID, on connection: any SQLConnection) throws -> Int64? {
        try connection.row(
            "UPDATE accounts SET security_version = security_version + 1 WHERE id = $1 RETURNING security_version",
            [.id(id)])?.integer(0)
    }

    /// Records a sign-in's time.
    package static func recordLogin(of id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE accounts SET last_login_at = $2 WHERE id = $1", [.id(id), .time(now)])
    }

    /// Removes an account's personal data and names; its row stays, so that what refers to it stays whole.
    ///
    /// - Returns: whether there was something to erase.
    /// - Throws: ``StoreError``.
    package static func erase(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        let erased = try connection.execute(
            """
            UPDATE accounts SET state = 'erased', security_version = security_version + 1, password = NULL,
                password_state = 'none', password_changed_at = NULL, password_checked_at = NULL, email = NULL,
                email_state = 'none', phone = NULL,
                profile = NULL, locale = NULL, last_login_at = NULL, closed_by = NULL, cooling_until = NULL
            WHERE id = $1 AND state <> 'erased'
            """, [.id(id)])
        guard erased == 1 else { return false }
        try connection.execute("DELETE FROM account_names WHERE account_id = $1", [.id(id)])
        try connection.execute("DELETE FROM merchant_employees WHERE account_id = $1", [.id(id)])
        // What waits to be delivered to them is personal data as well.
        try connection.execute("DELETE FROM outbox WHERE account_id = $1", [.id(id)])
        // The record of what happened stays; from where and by which program is personal data, and goes.
        try SecurityEvents.eraseDetails(of: id, on: connection)
        try BrowserSessions.endAll(of: id, on: connection)
        try Devices.removeAll(of: id, on: connection)
        try AccountFactors.removeAll(of: id, on: connection)
        try Passkeys.removeAll(of: id, on: connection)
        _ = try AccountPINs.remove(of: id, on: connection)
        try ClientConsentRecords.removeAll(of: id, on: connection)
        try Recoveries.endAll(of: id, on: connection)
        try FederatedIdentities.removeAll(of: id, on: connection)
        try UnreachableAccounts.remove(id, on: connection)
        try LoyaltyAccounts.remove(id, on: connection)
        try SCAHistory.removeAll(of: id, on: connection)
        // What was agreed to has to be provable until its time is over; from where it was done has not.
        try SCASteps.eraseCircumstances(of: id, on: connection)
        try Transactions.eraseUnsigned(of: id, on: connection)
        try TransactionSteps.eraseCircumstances(of: id, on: connection)
        return true
    }
}
