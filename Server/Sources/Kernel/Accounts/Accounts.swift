package import Core
package import Store

package enum AccountCreation: Sendable, Hashable {
    case created
    /// The brand has an account of that name.
    case nameTaken
    case unknownBrand
}

/// Reads and writes accounts and their names. It owns the `accounts` and `account_names` tables.
///
/// A change that voids earlier sign-ins raises `security_version` in the same statement. From then on no guard matches
/// their sessions; ending those as well is tidiness, not protection.
package enum Accounts {
    /// Creates an account and its name, unless it refuses.
    /// - Parameters:
    ///   - name: the user name as mapped for comparison (RFC 8265); unique within the brand.
    ///   - typed: the same name as the person wrote it; `nil` if that is the mapped name.
    ///   - digests: of its addresses and its name.
    package static func create(
        _ account: AccountRecord, named name: String, typed: String? = nil, digests: AccountDigests,
        on connection: any SQLConnection
    ) throws -> AccountCreation {
        guard try Brands.find(account.brandID, on: connection) != nil else { return .unknownBrand }
        guard try find(named: name, brand: account.brandID, on: connection) == nil else { return .nameTaken }
        try connection.execute(
            """
            INSERT INTO accounts (\(AccountRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
            """,
            [
                .id(account.id), .text(account.brandID), .name(account.state), .integer(account.securityVersion),
                .optional(account.password), .name(account.passwordState), .time(account.passwordChangedAt),
                .optional(account.email), .name(account.emailState), .optional(account.phone),
                .optional(account.profile), .optional(account.locale), .time(account.createdAt),
                .time(account.lastLoginAt), .optional(account.deactivatedBy?.rawValue), .time(account.coolingUntil),
                .time(account.passwordCheckedAt), .time(account.devicesDistrustedAt), .id(account.mergedInto),
                .integer(account.attemptsVersion), .optional(account.closedOver?.rawValue),
            ])
        try connection.execute(
            "INSERT INTO account_names (brand_id, name, account_id, typed) VALUES ($1, $2, $3, $4)",
            [.text(account.brandID), .text(name), .id(account.id), .optional(typed == name ? nil : typed)])
        try digests.record(on: connection)
        return .created
    }

    /// One point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> AccountRecord? {
        try connection.row(byID, [.id(id)]).map(AccountRecord.init)
    }

    /// The accounts that have a digest; by e-mail only those that confirmed the address. Anyone may enter someone else's, so unconfirmed
    /// ones must not use up the limit.
    static func find(
        having kind: AccountDigests.Kind, _ digest: [UInt8], on connection: any SQLConnection
    ) throws -> [AccountRecord] {
        try connection.query(
            """
            SELECT \(AccountRecord.columns) FROM accounts WHERE id IN (
                SELECT d.account_id FROM account_digests d JOIN accounts a ON a.id = d.account_id
                WHERE d.kind = $1 AND d.digest = $2 AND a.state <> 'erased'
                    AND (d.kind <> 'email' OR a.email_state = 'verified')
                ORDER BY d.account_id LIMIT 20)
            """, [.name(kind), .blob(digest)]
        ).map(AccountRecord.init)
    }

    private static let byID = "SELECT \(AccountRecord.columns) FROM accounts WHERE id = $1"

    /// The accounts that were merged into one, in the order of ids.
    package static func merged(into id: UniqueID, on connection: any SQLConnection) throws -> [UniqueID] {
        var (found, next): ([UniqueID], [UniqueID]) = ([], [id])
        // An account that was merged is erased, so none is found twice.
        while let one = next.popLast(), found.count < mostMerged {
            let merged = try connection.query(
                "SELECT id FROM accounts WHERE merged_into = $1 ORDER BY id LIMIT $2",
                [.id(one), .integer(Int64(mostMerged - found.count))]
            ).map { try $0.id("id") }
            found += merged
            next += merged
        }
        return found.sorted()
    }

    /// The most that ``merged(into:on:)`` lists.
    private static let mostMerged = 1_000

    /// Finds an account by its mapped user name within a brand.
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

    /// The user names as they were typed when they were created. Map them (`Username`) to compare them.
    package static func names(of id: UniqueID, on connection: any SQLConnection) throws -> [String] {
        try connection.query(
            """
            SELECT COALESCE(typed, name) AS shown FROM account_names WHERE account_id = $1 ORDER BY name LIMIT 100
            """, [.id(id)]
        ).map { try $0.text("shown") }
    }

    /// SQL: when the password of the account `$1` changes, by a clock that says `$4`. No session is newer, not even one that a server
    /// whose clock is ahead opened with the old password.
    package static let changeOfPassword = """
        (SELECT CASE WHEN MAX(s.created_at) > $4 THEN MAX(s.created_at) + 1 ELSE $4 END
            FROM sessions s WHERE s.account_id = $1)
        """

    /// Sets a new password and voids every earlier sign-in.
    /// - Parameters:
    ///   - sealed: the new sealed hash.
    ///   - expected: the security version that the decision was based on; any other refuses the change.
    ///   - now: the time of the write: until then the old password opens sessions, and none of them may count under the new one.
    /// - Returns: the new security version, or `nil` if the account is not active at the expected version.
    package static func changePassword(
        of id: UniqueID, to sealed: [UInt8], expecting expected: Int64, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int64? {
        try connection.row(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = \(changeOfPassword),
                password_checked_at = NULL, security_version = security_version + 1,
                attempts_version = attempts_version + 1
            WHERE id = $1 AND security_version = $3 AND state = 'active'
            RETURNING security_version
            """, [.id(id), .blob(sealed), .integer(expected), .time(now)])?.integer("security_version")
    }

    /// Replaces the hash of the same password (stronger parameters, a newer pepper) with compare-and-set.
    /// - Returns: whether the old hash was still there. `false` is harmless; the next sign-in tries again.
    @discardableResult
    package static func upgradePassword(
        of id: UniqueID, from old: [UInt8], to new: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET password = $3 WHERE id = $1 AND password = $2", [.id(id), .blob(old), .blob(new)]) == 1
    }

    /// Stores the first password of an account that was imported without one. Earlier sign-ins, which had no password, stay valid.
    /// - Parameter expected: the security version at which the former system was asked; any other refuses the change.
    /// - Returns: whether the account was active at that version and had no password.
    package static func adoptPassword(
        of id: UniqueID, to sealed: [UInt8], expecting expected: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = $4,
                password_checked_at = NULL
            WHERE id = $1 AND security_version = $3 AND state = 'active' AND password IS NULL AND password_state = 'none'
            """, [.id(id), .blob(sealed), .integer(expected), .time(now)]) == 1
    }

    /// Requires a new password at the next sign-in. Sessions go on.
    /// - Returns: whether the account had a current password.
    package static func expirePassword(of id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET password_state = 'expired' WHERE id = $1 AND password_state = 'current'",
            [.id(id)]) == 1
    }

    /// Requires a new password at the next sign-in because others know the present one, and voids every earlier
    /// sign-in.
    /// - Parameter expected: the security version at the comparison of the password. A password set since is another
    ///   one and has raised it.
    /// - Returns: whether the account was active at the expected version and had a current password.
    package static func expirePassword(
        of id: UniqueID, expecting expected: Int64, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET password_state = 'expired', security_version = security_version + 1
            WHERE id = $1 AND security_version = $2 AND password_state = 'current' AND state = 'active'
            """, [.id(id), .integer(expected)]) == 1
    }

    /// Records that a password was not found in lists of stolen ones.
    /// - Parameter expected: the security version at the comparison of the password; any other leaves the row
    ///   unchanged.
    package static func recordPasswordCheck(
        of id: UniqueID, expecting expected: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE accounts SET password_checked_at = $3 WHERE id = $1 AND security_version = $2",
            [.id(id), .integer(expected), .time(now)])
    }

    /// Records that the holder receives mail at the stored address.
    /// - Parameter email: the sealed address that was confirmed; another one in the row refuses it.
    /// - Returns: whether the row still had that address, unverified.
    package static func verifyEmail(
        of id: UniqueID, sealed email: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE accounts SET email_state = 'verified' WHERE id = $1 AND email = $2 AND email_state = 'unverified'",
            [.id(id), .blob(email)]) == 1
    }

    /// Replaces the profile with compare-and-set.
    /// - Parameters:
    ///   - old: the account that the change is based on. Another profile in the row refuses it, and so does another phone number: the
    ///     profile says whether the number is confirmed.
    ///   - locale: the preferred language.
    ///   - digests: of the account with the new profile, if that may confirm its number or no longer does.
    /// - Returns: whether the row still had that profile and number and is not erased.
    package static func setProfile(
        from old: AccountRecord, to new: [UInt8]?, locale: String?, digests: AccountDigests? = nil,
        on connection: any SQLConnection
    ) throws -> Bool {
        let written = try connection.execute(
            """
            UPDATE accounts SET profile = $4, locale = $5
            WHERE id = $1 AND state <> 'erased' AND COALESCE(profile, $6) = $2 AND COALESCE(phone, $6) = $3
            """,
            // A sealed value is never empty, so an empty one represents none.
            [
                .id(old.id), .blob(old.profile ?? []), .blob(old.phone ?? []), .optional(new), .optional(locale),
                .blob([]),
            ])
        if written == 1 { try digests?.record(on: connection) }
        return written == 1
    }

    /// Removes an address that no longer receives mail.
    /// - Parameter email: the sealed address; another one in the row stays.
    package static func removeEmail(
        of id: UniqueID, sealed email: [UInt8], on connection: any SQLConnection
    ) throws {
        let removed = try connection.execute(
            "UPDATE accounts SET email = NULL, email_state = 'none' WHERE id = $1 AND email = $2",
            [.id(id), .blob(email)])
        if removed == 1 { try AccountDigests.remove(.email, of: id, on: connection) }
    }

    /// Closes an active account and voids every earlier sign-in.
    ///
    /// An operator's decision overrides every other, and a directory's one by failures or the holder: then neither a recovery nor the
    /// holder opens the account. A directory resets no count of wrong passwords, and the lock that was there comes back when it opens
    /// the account. Only an operator's ``reactivate(_:on:)`` ends that lock.
    /// - Returns: whether it was active, or its closing was overridden.
    package static func deactivate(
        _ id: UniqueID, by cause: DeactivationCause, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = 'deactivated', deactivated_by = $2, security_version = security_version + 1,
                closed_over = CASE WHEN deactivated_by = 'failures' THEN 'failures' ELSE closed_over END,
                attempts_version = attempts_version + CASE WHEN $2 = 'directory' THEN 0 ELSE 1 END
            WHERE id = $1 AND (state = 'active'
                OR (state = 'deactivated' AND deactivated_by <> 'operator' AND $2 = 'operator')
                OR (state = 'deactivated' AND deactivated_by IN ('failures', 'holder') AND $2 = 'directory'))
            """, [.id(id), .name(cause)]) == 1
    }

    /// Closes an active account for its holder, and voids every earlier sign-in.
    /// - Parameter expected: the security version that the decision was based on; any other refuses it.
    /// - Returns: whether it was active at that version.
    package static func close(
        _ id: UniqueID, expecting expected: Int64, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = 'deactivated', deactivated_by = 'holder', security_version = security_version + 1
            WHERE id = $1 AND security_version = $2 AND state = 'active'
            """, [.id(id), .integer(expected)]) == 1
    }

    /// Reopens an account that its holder closed.
    /// - Returns: whether it was closed by its holder.
    package static func keep(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = 'active', deactivated_by = NULL
            WHERE id = $1 AND state = 'deactivated' AND deactivated_by = 'holder'
            """, [.id(id)]) == 1
    }

    /// Reopens an account that a directory closed, or leaves it closed by the failures that had closed it before. Sign-ins from before
    /// its deactivation stay void.
    /// - Returns: whether it was closed by one.
    package static func reopen(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = CASE WHEN closed_over IS NULL THEN 'active' ELSE 'deactivated' END,
                deactivated_by = closed_over, closed_over = NULL
            WHERE id = $1 AND state = 'deactivated' AND deactivated_by = 'directory'
            """, [.id(id)]) == 1
    }

    /// Reopens a deactivated account, with no wrong password counted. Sign-ins from before its deactivation stay void.
    /// - Returns: whether it was deactivated.
    package static func reactivate(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET state = 'active', deactivated_by = NULL, closed_over = NULL,
                attempts_version = attempts_version + 1
            WHERE id = $1 AND state = 'deactivated'
            """, [.id(id)]) == 1
    }

    /// Voids every earlier sign-in without another change, for example after the removal of a device.
    /// - Returns: the new security version, or `nil` if there is no such account.
    @discardableResult
    package static func raiseSecurityVersion(of id: UniqueID, on connection: any SQLConnection) throws -> Int64? {
        try connection.row(
            "UPDATE accounts SET security_version = security_version + 1 WHERE id = $1 RETURNING security_version",
            [.id(id)])?.integer("security_version")
    }

    package static func recordLogin(of id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE accounts SET last_login_at = $2 WHERE id = $1", [.id(id), .time(now)])
    }
}

extension Accounts {
    /// Replaces or removes the e-mail address with compare-and-set.
    /// - Parameters:
    ///   - old: the sealed address that the change is based on; another one in the row refuses it.
    ///   - new: sealed; `nil` removes it.
    ///   - state: of the new address; `none` if it is removed.
    ///   - digests: of the account with the new address.
    /// - Returns: whether the row still had that address and is not erased.
    package static func setEmail(
        of id: UniqueID, from old: [UInt8]?, to new: [UInt8]?, state: EmailState, digests: AccountDigests,
        on connection: any SQLConnection
    ) throws -> Bool {
        let written = try connection.execute(
            """
            UPDATE accounts SET email = $3, email_state = $4
            WHERE id = $1 AND state <> 'erased' AND COALESCE(email, $5) = $2
            """,
            // A sealed address is never empty, so an empty value represents none.
            [.id(id), .blob(old ?? []), .optional(new), .name(state), .blob([])])
        if written == 1 { try digests.record(on: connection) }
        return written == 1
    }

    /// Replaces or removes the phone number with compare-and-set, together with the profile, which says whether it is confirmed.
    /// - Parameters:
    ///   - old: the account that the change is based on; another number or profile in the row refuses it.
    ///   - phone: sealed; `nil` removes it.
    ///   - profile: sealed.
    ///   - digests: of the account with the new number.
    /// - Returns: whether the row still had that number and profile and is not erased.
    package static func setPhone(
        from old: AccountRecord, to phone: [UInt8]?, profile: [UInt8]?, digests: AccountDigests,
        on connection: any SQLConnection
    ) throws -> Bool {
        let written = try connection.execute(
            """
            UPDATE accounts SET phone = $4, profile = $5
            WHERE id = $1 AND state <> 'erased' AND COALESCE(phone, $6) = $2 AND COALESCE(profile, $6) = $3
            """,
            [
                .id(old.id), .blob(old.phone ?? []), .blob(old.profile ?? []), .optional(phone), .optional(profile),
                .blob([]),
            ])
        if written == 1 { try digests.record(on: connection) }
        return written == 1
    }
}
