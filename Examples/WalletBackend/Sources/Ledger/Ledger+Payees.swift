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
        /// The name, or one that looks like it, is taken by this other account.
        case nameTaken(account: String)
        /// It is the person's own wallet.
        case own
        /// There are as many as there can be.
        case tooMany
    }

    /// Whom a name means.
    enum PayeeChoice: Equatable, Sendable {
        /// This payee.
        case one(Payee)
        /// Nobody.
        case none
        /// Several payees of other accounts: a person cannot tell them apart by name.
        case several([Payee])
    }

    /// A payee as a person names it.
    struct PayeeName: Sendable {
        /// The name.
        let name: String
        /// The account, where several payees look alike by name; nil where the name is enough.
        let account: String?
    }

    /// Everybody whom a person pays, by name.
    func payees(of owner: AccountID) async throws -> [Payee] {
        try await pool.read { try Self.payees(of: owner, on: $0) }
    }

    /// Adds one; adding the same again is harmless.
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

    /// Takes one away. Transfers that were begun to them go on: they keep name and account themselves.
    /// - Returns: whom the name means; only one payee is taken away.
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

    /// The payee whom a name means. Names that look alike were kept before they were refused: the account tells them apart.
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
    /// Refuses a name that several payees have, with the accounts that tell them apart.
    static func ambiguousPayee(_ payees: [Payee]) -> Problem {
        Problem(
            status: 409, code: "payee_ambiguous", title: "Several of your payees look like this name",
            detail: "They have the accounts \(payees.map(\.account).joined(separator: ", ")).")
    }
}
