import Foundation
import GRDB
import WalletAuthWire

/// A person's payees, by names of the person's choice.
extension Ledger {
    /// The maximum number of payees per person.
    static let payeeLimit = 100

    /// The result of adding a payee.
    enum PayeeAddition: Equatable, Sendable {
        /// It was added.
        case added
        /// It already exists, with the same account.
        case known
        /// The name, or one that looks like it, belongs to this other account.
        case nameTaken(account: String)
        /// It is the person's own wallet.
        case own
        /// The person has reached the limit.
        case tooMany
    }

    /// A payee as a person names it.
    struct PayeeName: Sendable {
        /// The name.
        let name: String
        /// The account that the payee must have, if the person names it.
        let account: String?
    }

    /// A person's payees, ordered by name.
    func payees(of owner: AccountID) async throws -> [Payee] {
        try await pool.read { try Self.payees(of: owner, on: $0) }
    }

    /// Adds a payee. Adding the same one again is harmless.
    func add(_ payee: Payee, for owner: AccountID, at now: Date) async throws -> PayeeAddition {
        try await pool.write { database in
            guard try Self.wallet(of: owner, on: database)?.number != payee.account else { return .own }
            if let known = try Self.payee(PayeeName(name: payee.name, account: nil), of: owner, on: database) {
                return known.account == payee.account ? .known : .nameTaken(account: known.account)
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

    /// Removes a payee. Open transfers to it continue: they have their own copy of name and account.
    ///
    /// - Returns: whether there was such a payee.
    func removePayee(_ name: PayeeName, of owner: AccountID) async throws -> Bool {
        try await pool.write { database in
            guard let payee = try Self.payee(name, of: owner, on: database) else { return false }
            try database.execute(
                sql: "DELETE FROM payee WHERE owner = ? AND name = ?", arguments: [owner.rawValue, payee.name])
            return true
        }
    }

    /// The payee with a name. Names that look alike are one: ``add(_:for:at:)`` refuses a second one.
    static func payee(_ name: PayeeName, of owner: AccountID, on database: Database) throws -> Payee? {
        let account = name.account.map { PayeeAccount($0) }
        return try payees(of: owner, on: database).first { payee in
            payee.isCalled(name.name) && (account.map { $0 == PayeeAccount(payee.account) } ?? true)
        }
    }

    private static func payees(of owner: AccountID, on database: Database) throws -> [Payee] {
        try Row.fetchAll(
            database, sql: "SELECT name, account FROM payee WHERE owner = ? ORDER BY name", arguments: [owner.rawValue]
        ).map { try Payee(name: $0["name"], account: $0["account"]) }
    }
}
