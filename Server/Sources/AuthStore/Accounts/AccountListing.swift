package struct NamedAccount: Sendable, Hashable {
    /// Mapped for comparison.
    package let name: String
    package let account: AccountRecord
}

extension Accounts {
    /// A page of a brand's user names after the given one, in order. An erased account has no name and can be found
    /// only by its id.
    package static func list(
        brand: String, after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [NamedAccount] {
        try connection.query(
            """
            SELECT \(AccountRecord.columns), name FROM accounts
            JOIN (SELECT account_id, name FROM account_names WHERE brand_id = $1 AND name > $2 ORDER BY name LIMIT $3) n
                ON n.account_id = id
            ORDER BY name
            """, [.text(brand), .text(after), .integer(Int64(limit))]
        ).map { NamedAccount(name: try $0.text(AccountRecord.columnCount), account: try AccountRecord($0)) }
    }
}
