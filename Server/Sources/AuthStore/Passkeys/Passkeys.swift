package import AuthCore

/// The facts of passkeys. It owns the `passkeys` table.
package enum Passkeys {
    /// What came of adding one.
    package enum Addition: Sendable, Hashable {
        /// It is the account's.
        case added
        /// Its credential's id names a passkey already, of whomever.
        case taken
        /// The account has as many as it may have.
        case tooMany
    }

    /// Adds a passkey.
    /// - Parameters:
    ///   - passkey: the passkey.
    ///   - limit: how many an account may have.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func add(
        _ passkey: PasskeyRecord, limit: Int, on connection: any SQLConnection
    ) throws -> Addition {
        let count = try connection.row(
            "SELECT COUNT(*) FROM passkeys WHERE account_id = $1", [.id(passkey.accountID)])
        guard try count?.integer(0) ?? 0 < Int64(limit) else { return .tooMany }
        let added = try connection.execute(
            """
            INSERT INTO passkeys (\(PasskeyRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            ON CONFLICT (credential_id) DO NOTHING
            """,
            [
                .id(passkey.id), .blob(passkey.credentialID), .id(passkey.accountID), .text(passkey.relyingParty),
                .blob(passkey.publicKey), .integer(Int64(passkey.counter)), .integer(passkey.isBackupEligible ? 1 : 0),
                .integer(passkey.isBackedUp ? 1 : 0), .text(passkey.transports.joined(separator: " ")),
                .blob(passkey.name), .time(passkey.createdAt), .time(passkey.coolingUntil), .time(passkey.lastUsedAt),
            ])
        return added == 1 ? .added : .taken
    }

    /// The passkey that a credential's id names at a site.
    package static func find(
        credential: [UInt8], of party: String, on connection: any SQLConnection
    ) throws -> PasskeyRecord? {
        try connection.row(
            "SELECT \(PasskeyRecord.columns) FROM passkeys WHERE credential_id = $1 AND relying_party = $2",
            [.blob(credential), .text(party)]
        ).map(PasskeyRecord.init)
    }

    /// The passkey of a row.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> PasskeyRecord? {
        try connection.row("SELECT \(PasskeyRecord.columns) FROM passkeys WHERE id = $1", [.id(id)])
            .map(PasskeyRecord.init)
    }

    /// The passkeys of an account, the oldest first: those of a former domain of the server too.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [PasskeyRecord] {
        try connection.query(
            "SELECT \(PasskeyRecord.columns) FROM passkeys WHERE account_id = $1 ORDER BY created_at, id",
            [.id(account)]
        ).map(PasskeyRecord.init)
    }

    /// The passkeys of one site.
    package struct Site: Sendable, Hashable {
        /// The site: a domain.
        package var relyingParty: String
        /// How many passkeys were made for it.
        package var passkeys: Int64
        /// How many accounts have them.
        package var accounts: Int64

        /// Each parameter is the property of its name.
        package init(relyingParty: String, passkeys: Int64, accounts: Int64) {
            self.relyingParty = relyingParty
            self.passkeys = passkeys
            self.accounts = accounts
        }
    }

    /// The sites of passkeys but for one: former domains of the server, whose passkeys open nothing.
    /// - Parameters:
    ///   - party: the site that is left out; `nil` for none.
    ///   - connection: a connection.
    /// - Throws: ``StoreError``.
    package static func sites(besides party: String?, on connection: any SQLConnection) throws -> [Site] {
        try connection.query(
            """
            SELECT relying_party, COUNT(*), COUNT(DISTINCT account_id) FROM passkeys WHERE relying_party <> $1
            GROUP BY relying_party ORDER BY relying_party
            """, [.text(party ?? "")]
        ).map { Site(relyingParty: try $0.text(0), passkeys: try $0.integer(1), accounts: try $0.integer(2)) }
    }

    /// What an account has of passkeys that can be used at a site.
    package struct Holding: Sendable, Hashable {
        /// Whether there is one.
        package var hasAny: Bool
        /// Whether one of them is past its cooling period.
        package var hasSettled: Bool

        /// Each parameter is the property of its name.
        package init(hasAny: Bool, hasSettled: Bool) {
            self.hasAny = hasAny
            self.hasSettled = hasSettled
        }
    }

    /// Reads it.
    package static func holding(
        of account: UniqueID, at party: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Holding {
        let row = try connection.row(
            "SELECT MIN(cooling_until) FROM passkeys WHERE account_id = $1 AND relying_party = $2",
            [.id(account), .text(party)])
        let earliest = try row?.optionalTime(0)
        return Holding(hasAny: earliest != nil, hasSettled: earliest.map { $0 <= now } ?? false)
    }

    /// Whether an account has a passkey for a site that is older than a moment. A restore lets passkeys cool down, and makes none
    /// younger: the mailbox alone must not get in because of it.
    package static func hasAny(
        of account: UniqueID, at party: String, addedUntil latest: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM passkeys WHERE account_id = $1 AND relying_party = $2 AND created_at <= $3 LIMIT 1",
            [.id(account), .text(party), .time(latest)]) != nil
    }

    /// What an authenticator said of its key when it signed.
    package struct Use: Sendable {
        /// The counter that it brought.
        package var counter: UInt32
        /// Whether the key is copied to other devices by now.
        package var isBackedUp: Bool

        /// Each parameter is the property of its name.
        package init(counter: UInt32, isBackedUp: Bool) {
            self.counter = counter
            self.isBackedUp = isBackedUp
        }
    }

    /// Records that a passkey signed.
    ///
    /// The counter is moved by compare-and-set: of two uses that were verified against the same counter, one gets `true`, but
    /// for a passkey that does not count.
    ///
    /// - Parameters:
    ///   - use: what it said.
    ///   - id: the passkey.
    ///   - last: the counter that the use was verified against.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: whether the passkey is still there, and its counter was the last one.
    /// - Throws: ``StoreError``.
    package static func record(
        _ use: Use, of id: UniqueID, after last: UInt32, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE passkeys SET counter = $3, backed_up = $4, last_used_at = $5 WHERE id = $1 AND counter = $2
            """,
            [
                .id(id), .integer(Int64(last)), .integer(Int64(use.counter)), .integer(use.isBackedUp ? 1 : 0),
                .time(now),
            ]) == 1
    }

    /// Calls a passkey something else.
    /// - Returns: whether the account has it.
    /// - Throws: ``StoreError``.
    package static func rename(
        _ id: UniqueID, of account: UniqueID, to name: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE passkeys SET name = $3 WHERE id = $1 AND account_id = $2", [.id(id), .id(account), .blob(name)])
            == 1
    }

    /// Takes a passkey away.
    /// - Returns: whether the account had it.
    /// - Throws: ``StoreError``.
    package static func remove(
        _ id: UniqueID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute("DELETE FROM passkeys WHERE id = $1 AND account_id = $2", [.id(id), .id(account)]) == 1
    }

    /// Removes all of an account, as its erasure does.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM passkeys WHERE account_id = $1", [.id(account)])
    }
}

extension Sessions {
    /// Ends every session of an account that a method of authentication opened, alone or with others.
    /// - Parameters:
    ///   - account: whose sessions.
    ///   - method: a value of `amr`.
    ///   - why: the reason.
    ///   - spared: a session that goes on; `nil` for none.
    ///   - now: the time of the end.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func endAll(
        of account: UniqueID, openedBy method: String, because why: SessionEnd, sparing spared: UniqueID? = nil,
        now: Timestamp, on connection: any SQLConnection
    ) throws {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        try connection.execute(
            """
            UPDATE sessions SET revoked_at = $3, revoked_reason = $4
            WHERE account_id = $1 AND revoked_at IS NULL AND (' ' || amr || ' ') LIKE $2 AND ($5 IS NULL OR id <> $5)
            """, [.id(account), .text("% \(method) %"), .time(now), .name(why), .id(spared)])
    }
}

extension BrowserSessions {
    /// Lets a browser session go on under the present security version of its account, inside the write that raised it.
    package static func follow(_ idHash: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE browser_sessions SET security_version =
                (SELECT a.security_version FROM accounts a WHERE a.id = browser_sessions.account_id)
            WHERE id_hash = $1
            """, [.blob(idHash)])
    }
}
