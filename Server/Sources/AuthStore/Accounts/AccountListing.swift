/// One user name of a brand, and whose it is.
package struct NamedAccount: Sendable, Hashable {
    /// The user name as it is compared.
    package let name: String
    /// The account.
    package let account: AccountRecord
}

extension Accounts {
    /// A page of a brand's user names in their order, after the given one. An erased account has no name, and is found by
    /// its id alone.
    ///
    /// - Throws: ``StoreError``.
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
