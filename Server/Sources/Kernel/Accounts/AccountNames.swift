internal import Foundation
package import Store

package struct NamedAccount: Sendable, Hashable {
    /// Mapped for comparison: the order of the list.
    package let name: String
    /// As typed when it was created.
    package let typed: String
    package let account: AccountRecord
}

extension Accounts {
    /// The number of a brand's user names, counted up to a limit.
    package static func count(brand: String, upTo limit: Int, on connection: any SQLConnection) throws -> Int {
        let row = try connection.row(
            "SELECT COUNT(*) AS found FROM (SELECT name FROM account_names WHERE brand_id = $1 LIMIT $2) n",
            [.text(brand), .integer(Int64(limit))])
        return Int(try row?.integer("found") ?? 0)
    }

    /// The beginning of mapped names for a typed one; `nil` for text that no name has.
    package static func mappedPrefix(_ typed: String) -> String? {
        // Not every engine takes the character.
        typed.contains("\0") ? nil : typed.lowercased().precomposedStringWithCanonicalMapping
    }

    /// A page of a brand's user names after the given one, in order. An erased account has no name and can be found
    /// only by its id.
    /// - Parameters:
    ///   - prefix: of the mapped names.
    ///   - skipped: how many of them are passed over.
    package static func list(
        brand: String, prefix: String = "", after: String = "", skipping skipped: Int = 0, limit: Int,
        on connection: any SQLConnection
    ) throws -> [NamedAccount] {
        // No character of a name comes before or after these. One bound from below: with two, an engine may walk from the lesser one.
        let (next, end) = (after.isEmpty ? "" : after + "\u{1}", prefix + "\u{10FFFF}")
        let start = next.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : next
        return try connection.query(
            """
            SELECT \(AccountRecord.columns), name, typed FROM accounts
            JOIN (SELECT account_id, name, typed FROM account_names
                WHERE brand_id = $1 AND name >= $2 AND name < $3 ORDER BY name LIMIT $4 OFFSET $5) n
                ON n.account_id = id
            ORDER BY name
            """,
            [.text(brand), .text(start), .text(end), .integer(Int64(limit)), .integer(Int64(skipped))]
        ).map { row in
            let name = try row.text("name")
            return NamedAccount(
                name: name, typed: try row.optionalText("typed") ?? name, account: try AccountRecord(row))
        }
    }

    /// The user name by which a list orders an account; `nil` for one without a name.
    package static func mappedName(of id: UniqueID, on connection: any SQLConnection) throws -> String? {
        try connection.row("SELECT name FROM account_names WHERE account_id = $1 ORDER BY name LIMIT 1", [.id(id)])?
            .text("name")
    }

    /// Gives an account another user name in place of its present one.
    /// - Parameters:
    ///   - name: as mapped for comparison.
    ///   - digests: of the account with the new name.
    /// - Returns: `false` if the brand has another account of that name.
    package static func rename(
        _ account: AccountRecord, from old: String, to name: String, typed: String, digests: AccountDigests,
        on connection: any SQLConnection
    ) throws -> Bool {
        if let other = try find(named: name, brand: account.brandID, on: connection), other.id != account.id {
            return false
        }
        try connection.execute(
            "UPDATE account_names SET name = $4, typed = $5 WHERE brand_id = $1 AND name = $2 AND account_id = $3",
            [
                .text(account.brandID), .text(old), .id(account.id), .text(name),
                .optional(typed == name ? nil : typed),
            ])
        try digests.record(on: connection)
        return true
    }
}
