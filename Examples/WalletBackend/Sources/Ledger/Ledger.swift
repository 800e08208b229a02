import Foundation
import GRDB
import WalletAuthWire

/// The wallets' money, in one SQLite file: accounts and entries between them, payees, and transfers with their proof.
///
/// Amounts are whole minor units. Whatever moves money is one transaction, and has reached the disk when it returns.
final class Ledger: Sendable {
    /// What a wallet begins with, the first time its owner comes. A real wallet is opened by the issuer's own process, and
    /// filled by a top-up; here it is how there is something to pay with.
    let opening: Money
    let pool: DatabasePool

    /// Opens a ledger, and makes it, readable for its owner alone, where there is none.
    /// - Parameters:
    ///   - path: the file; its folder has to exist.
    ///   - opening: what a wallet begins with; its currency is that of all accounts.
    init(path: String, opening: Money) throws {
        self.opening = opening
        // Made before SQLite would make it: what is in it is nobody else's business.
        guard
            FileManager.default.fileExists(atPath: path)
                || FileManager.default.createFile(
                    atPath: path, contents: Data(), attributes: [.posixPermissions: NSNumber(value: 0o600)])
        else { throw LedgerFault(reason: "\(path) cannot be made: name another --database") }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        pool = try DatabasePool(path: path, configuration: configuration)
        // After opening, since the pool sets it to NORMAL while it opens: a transfer that was answered must not be lost with
        // the power.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try LedgerSchema.migrate(pool)
        try pool.write { database in
            for house in LedgerSchema.House.allCases {
                try database.execute(
                    sql:
                        "INSERT INTO account (number, kind, currency) VALUES (?, 'house', ?) ON CONFLICT DO NOTHING",
                    arguments: [house.rawValue, opening.currency.rawValue])
            }
            let currencies = try String.fetchAll(database, sql: "SELECT DISTINCT currency FROM account")
            guard currencies == [opening.currency.rawValue] else {
                throw LedgerFault(
                    reason: "the ledger at \(path) is kept in \(currencies), not in \(opening.currency)")
            }
        }
    }

    /// A person's wallet; one that there is none of yet is opened.
    /// - Parameters:
    ///   - owner: the person.
    ///   - now: the time.
    func wallet(of owner: AccountID, at now: Date) async throws -> WalletAccount {
        if let known = try await pool.read({ try Self.wallet(of: owner, on: $0) }) { return known }
        let opening = opening
        return try await pool.write { database in
            // Somebody's other request may have been faster.
            if let known = try Self.wallet(of: owner, on: database) { return known }
            let number = "W" + String((0..<15).map { _ in "0123456789".randomElement() ?? "0" })
            try database.execute(
                sql: "INSERT INTO account (number, owner, kind, currency) VALUES (?, ?, 'wallet', ?)",
                arguments: [number, owner.rawValue, opening.currency.rawValue])
            if opening.minorUnits > 0 {
                try Self.move(
                    opening, from: LedgerSchema.House.funding.rawValue, to: number, for: nil, at: now,
                    on: database)
            }
            guard let opened = try Self.wallet(of: owner, on: database) else {
                throw LedgerFault(reason: "a wallet that was just opened is not there")
            }
            return opened
        }
    }

    /// Whether the books are in order: balances are the sums of the entries, and all of them together are nothing.
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
    /// What others name to pay into it.
    let number: String
    /// What is in it.
    let balance: Money
}

/// The ledger is not as it should be. For the log: nobody outside is told.
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

    /// Makes the one entry that moves money.
    /// - Parameter operation: the wallet operation, which makes one entry at most.
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
    /// Seconds since 1970, as the ledger keeps times.
    var seconds: Int64 { Int64(timeIntervalSince1970) }
}
