import Foundation
import GRDB
import WalletAuthWire

/// Whom somebody pays: by a name of the person's choosing.
extension Ledger {
    /// The most that one person can have.
    static let payeeLimit = 100

    /// What came of adding one.
    enum PayeeAddition: Equatable, Sendable {
        /// It is there now.
        case added
        /// It was there already, just so.
        case known
        /// The name is taken by another account.
        case nameTaken
        /// It is the person's own wallet.
        case own
        /// There are as many as there can be.
        case tooMany
    }

    /// Everybody whom a person pays, by name.
    func payees(of owner: AccountID) async throws -> [Payee] {
        try await pool.read { database in
            try Row.fetchAll(
                database, sql: "SELECT name, account FROM payee WHERE owner = ? ORDER BY name",
                arguments: [owner.rawValue]
            ).map { try Payee(name: $0["name"], account: $0["account"]) }
        }
    }

    /// Adds one; adding the same again is harmless.
    func add(_ payee: Payee, for owner: AccountID, at now: Date) async throws -> PayeeAddition {
        try await pool.write { database in
            guard try Self.wallet(of: owner, on: database)?.number != payee.account else { return .own }
            if let known = try Self.payee(payee.name, of: owner, on: database) {
                return known.account == payee.account ? .known : .nameTaken
            }
            let count = try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM payee WHERE owner = ?", arguments: [owner.rawValue])
            guard (count ?? 0) < Self.payeeLimit else { return .tooMany }
            try database.execute(
                sql: "INSERT INTO payee (owner, name, account, addedAt) VALUES (?, ?, ?, ?)",
                arguments: [owner.rawValue, payee.name, payee.account, now.seconds])
            return .added
        }
    }

    /// Takes one away. Transfers that were begun to them go on: they keep name and account themselves.
    /// - Returns: whether there was one of this name.
    func removePayee(_ name: String, of owner: AccountID) async throws -> Bool {
        try await pool.write { database in
            try database.execute(
                sql: "DELETE FROM payee WHERE owner = ? AND name = ?", arguments: [owner.rawValue, name])
            return database.changesCount == 1
        }
    }

    static func payee(_ name: String, of owner: AccountID, on database: Database) throws -> Payee? {
        let row = try Row.fetchOne(
            database, sql: "SELECT name, account FROM payee WHERE owner = ? AND name = ?",
            arguments: [owner.rawValue, name])
        return try row.map { try Payee(name: $0["name"], account: $0["account"]) }
    }
}
