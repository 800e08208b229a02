package import Core
package import Kernel
package import Store

/// A row of a passkey.
package struct PasskeyRecord: Sendable, Hashable {
    /// The row's id, by which the account page names it.
    package var id: UniqueID
    /// The authenticator's id for it.
    package var credentialID: [UInt8]
    package var accountID: UniqueID
    /// The domain it was made for; it works on no other.
    package var relyingParty: String
    /// A COSE_Key.
    package var publicKey: [UInt8]
    /// The number of signatures; 0 if the authenticator does not count.
    package var counter: UInt32
    /// Whether it can be copied to other devices.
    package var isBackupEligible: Bool
    /// Whether it was copied.
    package var isBackedUp: Bool
    /// The ways to reach its authenticator.
    package var transports: [String]
    /// The holder's name for it, sealed.
    package var name: [UInt8]
    package var createdAt: Timestamp
    /// Until then it counts as one factor instead of two.
    package var coolingUntil: Timestamp
    /// When it last signed in or agreed to something; `nil` if it never did.
    package var lastUsedAt: Timestamp?

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, credentialID, accountID, relyingParty, publicKey, counter, backupEligible, backedUp, transports
        case name, createdAt, coolingUntil, lastUsedAt
    }

    static let columns = Column.list()
}

extension PasskeyRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), credentialID: try row.blob(.credentialID), accountID: try row.id(.accountID),
            relyingParty: try row.text(.relyingParty), publicKey: try row.blob(.publicKey),
            counter: UInt32(clamping: try row.integer(.counter)),
            isBackupEligible: try row.integer(.backupEligible) == 1, isBackedUp: try row.integer(.backedUp) == 1,
            transports: try row.text(.transports).split(separator: " ").map(String.init), name: try row.blob(.name),
            createdAt: try row.time(.createdAt), coolingUntil: try row.time(.coolingUntil),
            lastUsedAt: try row.optionalTime(.lastUsedAt))
    }
}

/// Reads and writes passkeys. It owns the `passkeys` table.
package enum Passkeys {
    /// The result of adding a passkey.
    package enum Addition: Sendable, Hashable {
        case added
        /// The credential id is in use, for this or another account.
        case taken
        /// The account has reached the limit.
        case tooMany
    }

    package static func add(
        _ passkey: PasskeyRecord, limit: Int, on connection: any SQLConnection
    ) throws -> Addition {
        let count = try connection.row(
            "SELECT COUNT(*) AS number FROM passkeys WHERE account_id = $1", [.id(passkey.accountID)])
        guard try count?.integer("number") ?? 0 < Int64(limit) else { return .tooMany }
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

    /// Finds a passkey by its credential id and site.
    package static func find(
        credential: [UInt8], of party: String, on connection: any SQLConnection
    ) throws -> PasskeyRecord? {
        try connection.row(
            "SELECT \(PasskeyRecord.columns) FROM passkeys WHERE credential_id = $1 AND relying_party = $2",
            [.blob(credential), .text(party)]
        ).map(PasskeyRecord.init)
    }

    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> PasskeyRecord? {
        try connection.row("SELECT \(PasskeyRecord.columns) FROM passkeys WHERE id = $1", [.id(id)])
            .map(PasskeyRecord.init)
    }

    /// The passkeys of an account, oldest first, including those for a former domain of the server.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [PasskeyRecord] {
        try connection.query(
            "SELECT \(PasskeyRecord.columns) FROM passkeys WHERE account_id = $1 ORDER BY created_at, id",
            [.id(account)]
        ).map(PasskeyRecord.init)
    }

    /// The passkeys of one site.
    package struct Site: Sendable, Hashable {
        /// A domain.
        package var relyingParty: String
        /// The number of passkeys made for it.
        package var passkeys: Int64
        /// The number of accounts that have them.
        package var accounts: Int64
    }

    /// The sites of passkeys, except for one: former domains of the server, whose passkeys no longer work.
    /// - Parameter party: the site to leave out; `nil` for none.
    package static func sites(besides party: String?, on connection: any SQLConnection) throws -> [Site] {
        try connection.query(
            """
            SELECT relying_party, COUNT(*) AS number, COUNT(DISTINCT account_id) AS holders
            FROM passkeys WHERE relying_party <> $1 GROUP BY relying_party ORDER BY relying_party
            """, [.text(party ?? "")]
        ).map { row in
            Site(
                relyingParty: try row.text("relying_party"), passkeys: try row.integer("number"),
                accounts: try row.integer("holders"))
        }
    }

    /// The state of an account's passkeys at a site.
    package struct Holding: Sendable, Hashable {
        package var hasAny: Bool
        /// Whether there is one past its cooling period.
        package var hasSettled: Bool
    }

    package static func holding(
        of account: UniqueID, at party: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Holding {
        let row = try connection.row(
            "SELECT MIN(cooling_until) AS first_end FROM passkeys WHERE account_id = $1 AND relying_party = $2",
            [.id(account), .text(party)])
        let earliest = try row?.optionalTime("first_end")
        return Holding(hasAny: earliest != nil, hasSettled: earliest.map { $0 <= now } ?? false)
    }

    /// Whether an account has a passkey for a site that was added up to a given time, or that never had to cool, as a newcomer's.
    ///
    /// A restore starts a cooling period but does not change that time; otherwise the mailbox alone could sign in after a restore. Only a
    /// newcomer's passkey then has to cool from the time it was added: until the period is over, the mailbox recovers the account.
    package static func hasAny(
        of account: UniqueID, at party: String, addedUntil latest: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM passkeys
            WHERE account_id = $1 AND relying_party = $2 AND (created_at <= $3 OR cooling_until <= created_at) LIMIT 1
            """, [.id(account), .text(party), .time(latest)]) != nil
    }

    /// An authenticator's statements at a signature.
    package struct Use: Sendable {
        package var counter: UInt32
        /// Whether the key is copied to other devices now.
        package var isBackedUp: Bool

        package init(counter: UInt32, isBackedUp: Bool) {
            self.counter = counter
            self.isBackedUp = isBackedUp
        }
    }

    /// Records a signature, and moves the counter with compare-and-set. Of two uses verified against the same counter
    /// one gets `true`, except for a passkey that does not count.
    /// - Parameter last: the counter that the use was verified against.
    /// - Returns: whether the passkey still exists and its counter was the last one.
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

    /// - Returns: whether the account has the passkey.
    package static func rename(
        _ id: UniqueID, of account: UniqueID, to name: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE passkeys SET name = $3 WHERE id = $1 AND account_id = $2", [.id(id), .id(account), .blob(name)])
            == 1
    }

    /// - Returns: whether the account had the passkey.
    package static func remove(
        _ id: UniqueID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute("DELETE FROM passkeys WHERE id = $1 AND account_id = $2", [.id(id), .id(account)]) == 1
    }

    /// Deletes all of an account's passkeys, for its erasure.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM passkeys WHERE account_id = $1", [.id(account)])
    }
}

extension Sessions {
    /// Ends every session of an account that an authentication method opened, alone or with others.
    /// - Parameters:
    ///   - method: a value of `amr`.
    ///   - spared: a session that continues; `nil` for none.
    package static func endAll(
        of account: UniqueID, openedBy method: String, because why: SessionEnd, sparing spared: UniqueID? = nil,
        now: Timestamp, on connection: any SQLConnection
    ) throws {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        _ = try end(
            where: "account_id = $3 AND (' ' || amr || ' ') LIKE $4 AND (id <> $5 OR $5 IS NULL)",
            [.id(account), .text("% \(method) %"), .id(spared)], because: why, now: now, on: connection)
    }
}

extension BrowserSessions {
    /// Gives a browser session the account's present security version. Call this in the write that raised it.
    package static func follow(_ idHash: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE browser_sessions SET security_version =
                (SELECT a.security_version FROM accounts a WHERE a.id = browser_sessions.account_id)
            WHERE id_hash = $1
            """, [.blob(idHash)])
    }
}
