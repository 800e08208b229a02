package import Core
package import Kernel
package import Store

/// The access that an account grants to a third-party client.
package struct ClientConsentRecord: Sendable, Hashable {
    package var accountID: UniqueID
    package var clientID: String
    /// New with every consent; codes name it.
    package var id: UniqueID
    /// Space-separated.
    package var scope: String
    /// When the person first granted access.
    package var grantedAt: Timestamp
    /// When they last extended it.
    package var changedAt: Timestamp

    package init(
        accountID: UniqueID, clientID: String, id: UniqueID, scope: String, grantedAt: Timestamp, changedAt: Timestamp
    ) {
        self.accountID = accountID
        self.clientID = clientID
        self.id = id
        self.scope = scope
        self.grantedAt = grantedAt
        self.changedAt = changedAt
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case accountID, clientID, id, scope, grantedAt, changedAt
    }

    static let columns = Column.list()
}

extension ClientConsentRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            accountID: try row.id(.accountID), clientID: try row.text(.clientID), id: try row.id(.id),
            scope: try row.text(.scope), grantedAt: try row.time(.grantedAt), changedAt: try row.time(.changedAt))
    }
}

/// Reads and writes accounts' consents to third-party clients. It owns the `client_consents` table, and does not decide
/// which scopes are missing.
package enum ClientConsentRecords {
    /// One point read.
    package static func find(
        _ account: UniqueID, to client: String, on connection: any SQLConnection
    ) throws -> ClientConsentRecord? {
        try connection.row(
            "SELECT \(ClientConsentRecord.columns) FROM client_consents WHERE account_id = $1 AND client_id = $2",
            [.id(account), .text(client)]
        ).map(ClientConsentRecord.init)
    }

    /// The consents of an account, oldest first.
    package static func list(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [ClientConsentRecord] {
        try connection.query(
            """
            SELECT \(ClientConsentRecord.columns) FROM client_consents WHERE account_id = $1
            ORDER BY granted_at, client_id
            """, [.id(account)]
        ).map(ClientConsentRecord.init)
    }

    /// Stores a consent, in place of the one that the person was shown.
    ///
    /// One guarded statement: the account is active and unchanged since its sign-in, the client is registered, and the
    /// stored consent is still the one on the page. A withdrawal in between is therefore never undone.
    /// - Parameters:
    ///   - consent: the new consent. If there is a `seen`, its id must be that of `seen`, whose time stays.
    ///   - seen: the earlier consent; `nil` for none.
    ///   - version: the account's security version at the sign-in.
    /// - Returns: whether it was stored.
    package static func remember(
        _ consent: ClientConsentRecord, replacing seen: ClientConsentRecord?, accountVersion version: Int64,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO client_consents (account_id, client_id, id, scope, granted_at, changed_at)
            SELECT a.id, c.id, $3, $4, $5, $6 FROM accounts a, clients c
            WHERE a.id = $1 AND a.state = 'active' AND a.security_version = $7 AND c.id = $2 AND c.state = 'active'
                AND (EXISTS (SELECT 1 FROM client_consents k
                    WHERE k.account_id = $1 AND k.client_id = $2 AND k.id = $8 AND k.scope = $9) OR $8 IS NULL)
            ON CONFLICT (account_id, client_id) DO UPDATE SET scope = excluded.scope, changed_at = excluded.changed_at
            WHERE client_consents.id = $8 AND client_consents.scope = $9
            """,
            [
                .id(consent.accountID), .text(consent.clientID), .id(consent.id), .text(consent.scope),
                .time(consent.grantedAt), .time(consent.changedAt), .integer(version), .id(seen?.id),
                .optional(seen?.scope),
            ]) == 1
    }

    /// Stores a consent that was given elsewhere, unless there is one.
    /// - Returns: whether it was stored.
    package static func add(_ consent: ClientConsentRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO client_consents (account_id, client_id, id, scope, granted_at, changed_at)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id, client_id) DO NOTHING
            """,
            [
                .id(consent.accountID), .text(consent.clientID), .id(consent.id), .text(consent.scope),
                .time(consent.grantedAt), .time(consent.changedAt),
            ]) == 1
    }

    /// Gives another account the consents to clients that it gave none. Where it gave one, that one's scopes count.
    package static func move(
        from account: UniqueID, to other: UniqueID, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE client_consents SET account_id = $2 WHERE account_id = $1
                AND client_id NOT IN (SELECT o.client_id FROM client_consents o WHERE o.account_id = $2)
            """, [.id(account), .id(other)])
    }

    /// Withdraws a consent.
    /// - Returns: the consent that there was; `nil` for none.
    package static func remove(
        _ account: UniqueID, to client: String, on connection: any SQLConnection
    ) throws -> ClientConsentRecord? {
        try connection.row(
            """
            DELETE FROM client_consents WHERE account_id = $1 AND client_id = $2
            RETURNING \(ClientConsentRecord.columns)
            """, [.id(account), .text(client)]
        ).map(ClientConsentRecord.init)
    }

    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM client_consents WHERE account_id = $1", [.id(account)])
    }

    package static func removeAll(to client: String, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM client_consents WHERE client_id = $1", [.text(client)])
    }
}

extension Sessions {
    /// Ends an account's sessions of a client, including those of its redeemer. The account's other keys stay trusted,
    /// because nothing was taken from the person.
    /// - Parameter now: the time of the write. The end is dated no earlier than the newest session, even if a server
    ///   whose clock is ahead opened that: its key would otherwise stay trusted.
    /// - Returns: the number ended.
    package static func endAll(
        of account: UniqueID, grantedTo client: String, because why: SessionEnd, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int {
        try end(
            where: "account_id = $3 AND COALESCE(granted_to, client_id) = $4", [.id(account), .text(client)],
            at: """
                (SELECT CASE WHEN MAX(s.created_at) > $1 THEN MAX(s.created_at) ELSE $1 END
                    FROM sessions s WHERE s.account_id = $3 AND COALESCE(s.granted_to, s.client_id) = $4)
                """, because: why, now: now, on: connection
        ).count
    }
}
