import Foundation
import GRDB
import WalletAuthWire

/// The shop's purchases, from the choice to the verified signature.
extension Ledger {
    /// The maximum number of purchases that wait for a signature. Visitors are anonymous and must not be able to fill
    /// the disk.
    static let openPurchaseLimit = 200
    /// How long to keep a purchase that ended unpaid, so that its page can say how it ended.
    static let unpaidLife: TimeInterval = 86_400

    /// Stores a purchase before the authorization server is asked.
    ///
    /// - Returns: the reason it was refused; nil if it was stored.
    func begin(
        _ purchase: Purchase, from network: VisitorNetwork, at now: Date
    ) async throws -> PurchaseRefusal? {
        try await pool.write { database -> PurchaseRefusal? in
            // These got no answer from the server, so no visitor has seen a code.
            try database.execute(
                sql: "DELETE FROM purchase WHERE \"transaction\" IS NULL AND begunAt < ?",
                arguments: [now.seconds - TransactionRequest.lifetimes.upperBound])
            try database.execute(
                sql: "DELETE FROM purchase WHERE status IS NOT NULL AND status <> ? AND endedAt < ?",
                arguments: [Purchase.unproved, now.addingTimeInterval(-Self.unpaidLife).seconds])
            // The prefix length separates IPv4 addresses from the beginnings of IPv6 addresses.
            for (prefix, limit) in network.quotas {
                let count = try Int.fetchOne(
                    database,
                    sql: """
                        SELECT COUNT(*) FROM purchase
                        WHERE endedAt IS NULL AND length(network) = ? AND substr(network, 1, ?) = ?
                        """,
                    arguments: [network.bytes.count, prefix.count, Data(prefix)])
                guard (count ?? 0) < limit else { return .networkFull }
            }
            let open = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM purchase WHERE endedAt IS NULL")
            guard (open ?? 0) < Self.openPurchaseLimit else { return .shopFull }
            try database.execute(
                sql: "INSERT INTO purchase (id, key, number, request, network, begunAt) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    purchase.id, purchase.key.rawValue, purchase.number, Data(purchase.request.json.bytes),
                    Data(network.bytes), now.seconds,
                ])
            return nil
        }
    }

    /// Deletes a purchase that the authorization server has no transaction for. No visitor has seen it, and it must not
    /// use up the limit.
    func withdraw(_ purchase: Purchase) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "DELETE FROM purchase WHERE id = ? AND \"transaction\" IS NULL", arguments: [purchase.id])
        }
    }

    /// Opens a purchase for signing.
    func open(_ purchase: Purchase, as created: TransactionCreated) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE purchase SET \"transaction\" = ?, link = ? WHERE id = ? AND \"transaction\" IS NULL",
                arguments: [created.transactionID.rawValue, created.link.reveal(), purchase.id])
        }
    }

    /// Marks a purchase as paid, with its verified proof, even if its signature was unproved for a while. Repeating the
    /// call is harmless.
    func pay(_ purchase: Purchase, provedBy proof: TransactionEvidence, at now: Date) async throws {
        try await pool.write { database in
            try database.execute(
                sql: """
                    UPDATE purchase SET link = NULL, network = NULL, status = NULL, proof = ?, endedAt = ?
                    WHERE id = ? AND (link IS NOT NULL OR status = ?)
                    """,
                arguments: [proof.rawValue, now.seconds, purchase.id, Purchase.unproved])
        }
    }

    /// Ends a purchase whose time is up and whose reported signature could not be proved. Only a proof changes it
    /// again.
    func giveUp(_ purchase: Purchase, at now: Date) async throws {
        try await end(purchase, as: Purchase.unproved, reason: nil, at: now)
    }

    /// Ends a purchase without a signature.
    func close(
        _ purchase: Purchase, as status: TransactionStatus, reason: RejectionReason? = nil, at now: Date
    ) async throws {
        try await end(purchase, as: status.rawValue, reason: reason, at: now)
    }

    private func end(_ purchase: Purchase, as status: String, reason: RejectionReason?, at now: Date) async throws {
        try await pool.write { database in
            try database.execute(
                sql: """
                    UPDATE purchase SET link = NULL, network = NULL, status = ?, reason = ?, endedAt = ?
                    WHERE id = ? AND link IS NOT NULL
                    """,
                arguments: [status, reason?.rawValue, now.seconds, purchase.id])
        }
    }

    func purchase(_ id: String) async throws -> Purchase? {
        try await pool.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM purchase WHERE id = ?", arguments: [id])
                .map { try Purchase($0) }
        }
    }

    /// Finds a purchase by its order number.
    func purchase(numbered number: String) async throws -> Purchase? {
        try await pool.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM purchase WHERE number = ?", arguments: [number])
                .map { try Purchase($0) }
        }
    }

    /// The purchases that wait for a signature, the oldest first.
    func openPurchases() async throws -> [Purchase] {
        try await pool.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM purchase WHERE link IS NOT NULL ORDER BY begunAt")
                .map { try Purchase($0) }
        }
    }

    /// The purchases whose reported signature is unproved, the oldest first.
    func unprovedPurchases() async throws -> [Purchase] {
        try await pool.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM purchase WHERE status = ? ORDER BY begunAt",
                arguments: [Purchase.unproved]
            ).map { try Purchase($0) }
        }
    }
}
