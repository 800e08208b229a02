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

    /// The payees that match a name.
    enum PayeeChoice: Equatable, Sendable {
        /// One payee.
        case one(Payee)
        /// No payee.
        case none
        /// Several payees with different accounts, which a person cannot tell apart by name.
        case several([Payee])
    }

    /// A payee as a person names it.
    struct PayeeName: Sendable {
        /// The name.
        let name: String
        /// The account, if several payees look alike by name; nil if the name is unambiguous.
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
            switch try Self.payee(PayeeName(name: payee.name, account: nil), of: owner, on: database) {
            case .one(let known) where known.account == payee.account: return .known
            case .one(let other): return .nameTaken(account: other.account)
            case .several(let others):
                if others.contains(where: { $0.account == payee.account }) { return .known }
                return .nameTaken(account: others[0].account)
            case .none: break
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
    /// - Returns: the payees that match the name; only a single match is removed.
    func removePayee(_ name: PayeeName, of owner: AccountID) async throws -> PayeeChoice {
        try await pool.write { database in
            let choice = try Self.payee(name, of: owner, on: database)
            if case .one(let payee) = choice {
                try database.execute(
                    sql: "DELETE FROM payee WHERE owner = ? AND name = ? AND account = ?",
                    arguments: [owner.rawValue, payee.name, payee.account])
            }
            return choice
        }
    }

    /// The payees that match a name. An older version accepted names that look alike: the account tells them apart.
    static func payee(_ name: PayeeName, of owner: AccountID, on database: Database) throws -> PayeeChoice {
        let account = name.account.map { PayeeAccount($0) }
        let alike = try payees(of: owner, on: database).filter { payee in
            payee.isCalled(name.name) && (account.map { $0 == PayeeAccount(payee.account) } ?? true)
        }
        guard let first = alike.first else { return .none }
        return alike.allSatisfy { $0.account == first.account } ? .one(first) : .several(alike)
    }

    private static func payees(of owner: AccountID, on database: Database) throws -> [Payee] {
        try Row.fetchAll(
            database, sql: "SELECT name, account FROM payee WHERE owner = ? ORDER BY name", arguments: [owner.rawValue]
        ).map { try Payee(name: $0["name"], account: $0["account"]) }
    }
}

extension Problem {
    /// The refusal of an ambiguous name, with the accounts that tell its payees apart.
    static func ambiguousPayee(_ payees: [Payee]) -> Problem {
        Problem(
            status: 409, code: "payee_ambiguous", title: "Several of your payees have names like this one",
            detail: "Their accounts are \(payees.map(\.account).joined(separator: ", ")).")
    }
}
