import Foundation
import GRDB
import WalletAuthWire

/// The wallets' money in one SQLite file: accounts and entries between them, payees, and transfers with their proof.
///
/// Amounts are whole minor units. Every change that moves money is one database transaction, which is on disk when the
/// method returns.
final class Ledger: Sendable {
    /// The opening balance of a new wallet. In a real system the issuer opens wallets and top-ups fill them; here it
    /// provides something to pay with.
    let opening: Money
    let pool: DatabasePool

    /// Opens a ledger. If the file does not exist, it is created so that only its owner can read it.
    ///
    /// - Parameters:
    ///   - path: the file; its folder must exist.
    ///   - opening: the opening balance of a new wallet. Its currency is that of all accounts.
    init(path: String, opening: Money) throws {
        self.opening = opening
        // Create the file before SQLite does, so that no other user can ever read it.
        guard
            FileManager.default.fileExists(atPath: path)
                || FileManager.default.createFile(
                    atPath: path, contents: Data(), attributes: [.posixPermissions: NSNumber(value: 0o600)])
        else { throw LedgerFault(reason: "\(path) cannot be created: name another --database") }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        pool = try DatabasePool(path: path, configuration: configuration)
        // After opening, because the pool sets NORMAL while it opens: an answered transfer must survive a power
        // failure.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try LedgerSchema.create(in: pool)
        try pool.write { database in
            for account in LedgerSchema.HouseAccount.allCases {
                try database.execute(
                    sql:
                        "INSERT INTO account (number, kind, currency) VALUES (?, 'house', ?) ON CONFLICT DO NOTHING",
                    arguments: [account.rawValue, opening.currency.rawValue])
            }
            let currencies = try String.fetchAll(database, sql: "SELECT DISTINCT currency FROM account")
            guard currencies == [opening.currency.rawValue] else {
                throw LedgerFault(
                    reason: "the ledger at \(path) has the currency \(currencies), not \(opening.currency)")
            }
        }
    }

    /// A person's wallet, which is opened on first use.
    ///
    /// - Parameters:
    ///   - owner: the person.
    ///   - now: the current time.
    func wallet(of owner: AccountID, at now: Date) async throws -> WalletAccount {
        if let known = try await pool.read({ try Self.wallet(of: owner, on: $0) }) { return known }
        let opening = opening
        return try await pool.write { database in
            // A concurrent request may have opened it.
            if let known = try Self.wallet(of: owner, on: database) { return known }
            let number = "W" + String((0..<15).map { _ in "0123456789".randomElement() ?? "0" })
            try database.execute(
                sql: "INSERT INTO account (number, owner, kind, currency) VALUES (?, ?, 'wallet', ?)",
                arguments: [number, owner.rawValue, opening.currency.rawValue])
            if opening.minorUnits > 0 {
                try Self.move(
                    opening, from: LedgerSchema.HouseAccount.funding.rawValue, to: number, for: nil, at: now,
                    on: database)
            }
            guard let opened = try Self.wallet(of: owner, on: database) else {
                throw LedgerFault(reason: "the wallet that was just opened is missing")
            }
            return opened
        }
    }

    /// Whether the books balance: every balance is the sum of its entries, and the total of all balances is zero.
    func isInOrder() async throws -> Bool {
        try await pool.read { database in
            let sum = try Int64.fetchOne(database, sql: "SELECT COALESCE(SUM(balance), 0) FROM account")
            let astray = try Int64.fetchOne(
                database,
                sql: """
                    SELECT COUNT(*) FROM account WHERE balance <>
                        (SELECT COALESCE(SUM(amount), 0) FROM entry WHERE credit = number)
                        - (SELECT COALESCE(SUM(amount), 0) FROM entry WHERE debit = number)
                    """)
            return sum == 0 && astray == 0
        }
    }
}

/// A wallet's account.
struct WalletAccount: Hashable, Sendable {
    /// The account number for payments to it.
    let number: String
    /// What is in it.
    let balance: Money
}

/// An inconsistency in the ledger. The reason is for the log only.
struct LedgerFault: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}

extension Ledger {
    static func wallet(of owner: AccountID, on database: Database) throws -> WalletAccount? {
        let row = try Row.fetchOne(
            database, sql: "SELECT number, balance, currency FROM account WHERE owner = ?",
            arguments: [owner.rawValue])
        return try row.map {
            WalletAccount(
                number: $0["number"],
                balance: try Money(minorUnits: $0["balance"], currency: Currency(recorded: $0["currency"])))
        }
    }

    /// Inserts the entry that moves money.
    ///
    /// - Parameter operation: the wallet operation, which can have only one entry.
    static func move(
        _ amount: Money, from debit: String, to credit: String, for operation: WalletOperationID?,
        at now: Date,
        on database: Database
    ) throws {
        try database.execute(
            sql:
                "INSERT INTO entry (id, debit, credit, amount, operation, madeAt) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                UUID().uuidString.lowercased(), debit, credit, amount.minorUnits, operation?.rawValue,
                now.seconds,
            ])
    }
}

extension Date {
    /// Seconds since 1970, the ledger's format for times.
    var seconds: Int64 { Int64(timeIntervalSince1970) }
}
