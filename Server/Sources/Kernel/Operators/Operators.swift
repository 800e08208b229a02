package import Core
package import Store

/// An account with a role.
package struct OperatorRecord: Sendable, Hashable {
    package var accountID: UniqueID
    package var grant: OperatorGrant
    package var grantedAt: Timestamp
}

/// Reads and writes the roles of accounts. It owns the `operators` table.
package enum Operators {
    /// The scope of tokens that may call `/admin/v1`.
    package static let scope = "admin"

    /// The role of an account, whatever the account's state.
    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> OperatorGrant? {
        try connection.row("SELECT role, brand_id FROM operators WHERE account_id = $1", [.id(account)]).map(grant)
    }

    /// The role of an account that can use it: a deactivated or erased one cannot.
    package static func active(_ account: UniqueID, on connection: any SQLConnection) throws -> OperatorGrant? {
        try connection.row(
            """
            SELECT o.role, o.brand_id FROM operators o JOIN accounts a ON a.id = o.account_id
            WHERE o.account_id = $1 AND a.state = 'active'
            """, [.id(account)]
        ).map(grant)
    }

    /// The other accounts that may grant roles, whatever their state.
    package static func otherOwners(than account: UniqueID, on connection: any SQLConnection) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT account_id FROM operators WHERE role = 'owner' AND brand_id IS NULL AND account_id <> $1
            ORDER BY account_id
            """, [.id(account)]
        ).map { try $0.id("account_id") }
    }

    /// Gives an account a role. What its holder, or another about it, asked for under the former one waits no longer.
    package static func set(_ record: OperatorRecord, on connection: any SQLConnection) throws {
        try OperatorRequests.removeAll(of: record.accountID, on: connection)
        try connection.execute(
            """
            INSERT INTO operators (account_id, role, brand_id, granted_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account_id) DO UPDATE SET role = excluded.role, brand_id = excluded.brand_id,
                granted_at = excluded.granted_at
            """,
            [
                .id(record.accountID), .name(record.grant.role), .optional(record.grant.brand),
                .time(record.grantedAt),
            ])
    }

    /// Takes the role, with the calls that wait for a second operator.
    /// - Returns: whether the account had a role.
    @discardableResult
    package static func remove(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try OperatorRequests.removeAll(of: account, on: connection)
        return try connection.execute("DELETE FROM operators WHERE account_id = $1", [.id(account)]) == 1
    }

    /// A page of the operators after an account, in the order of ids.
    package static func list(
        after account: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [OperatorRecord] {
        try connection.query(
            """
            SELECT account_id, role, brand_id, granted_at FROM operators WHERE account_id > $1
            ORDER BY account_id LIMIT $2
            """, [.blob(account?.bytes ?? []), .integer(Int64(limit))]
        ).map { row in
            OperatorRecord(
                accountID: try row.id("account_id"), grant: try grant(row), grantedAt: try row.time("granted_at"))
        }
    }

    private static func grant(_ row: SQLRow) throws -> OperatorGrant {
        OperatorGrant(try row.name("role"), brand: try row.optionalText("brand_id"))
    }
}

extension OperatorRecord {
    package init(_ accountID: UniqueID, _ grant: OperatorGrant, grantedAt: Timestamp) {
        self.init(accountID: accountID, grant: grant, grantedAt: grantedAt)
    }
}
