import Foundation
import GRDB
import WalletAuthWire

/// The shop's purchases, from the choice to the proof of the signature.
extension Ledger {
    /// How many purchases may wait for a signature at once. Visitors are strangers: nobody fills the disk.
    static let openPurchaseLimit = 200
    /// How long a purchase that ended unpaid is kept, for its page to say how it ended.
    static let unpaidLife: TimeInterval = 86_400

    /// Keeps a purchase before the authorization server is asked.
    /// - Returns: why it was not kept; nil where it was.
    func begin(
        _ purchase: Purchase, from network: VisitorNetwork, at now: Date
    ) async throws -> PurchaseRefusal? {
        try await pool.write { database -> PurchaseRefusal? in
            // An answer that never came: nobody has seen a code.
            try database.execute(
                sql: "DELETE FROM purchase WHERE \"transaction\" IS NULL AND begunAt < ?",
                arguments: [now.seconds - TransactionRequest.lifetimes.upperBound])
            try database.execute(
                sql: "DELETE FROM purchase WHERE status IS NOT NULL AND status <> ? AND endedAt < ?",
                arguments: [Purchase.unproved, now.addingTimeInterval(-Self.unpaidLife).seconds])
            // The length keeps an IPv4 address apart from the beginning of an IPv6 address.
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

    /// The authorization server has no transaction for it: nobody sees it, and it keeps no place.
    func withdraw(_ purchase: Purchase) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "DELETE FROM purchase WHERE id = ? AND \"transaction\" IS NULL", arguments: [purchase.id])
        }
    }

    /// The visitor may sign.
    func open(_ purchase: Purchase, as created: TransactionCreated) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE purchase SET \"transaction\" = ?, link = ? WHERE id = ? AND \"transaction\" IS NULL",
                arguments: [created.transactionID.rawValue, created.link.reveal(), purchase.id])
        }
    }

    /// The proof was verified, also after a while without one. Telling it twice is harmless.
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

    /// Its time is over, and the signature that the server reports is not proved. Nothing but a proof changes it again.
    func giveUp(_ purchase: Purchase, at now: Date) async throws {
        try await end(purchase, as: Purchase.unproved, reason: nil, at: now)
    }

    /// It ended without a signature.
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

    /// A purchase by its order's number.
    func purchase(numbered number: String) async throws -> Purchase? {
        try await pool.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM purchase WHERE number = ?", arguments: [number])
                .map { try Purchase($0) }
        }
    }

    /// Those that wait for a signature, the oldest first.
    func openPurchases() async throws -> [Purchase] {
        try await pool.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM purchase WHERE link IS NOT NULL ORDER BY begunAt")
                .map { try Purchase($0) }
        }
    }

    /// Those whose reported signature is not proved, the oldest first.
    func unprovedPurchases() async throws -> [Purchase] {
        try await pool.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM purchase WHERE status = ? ORDER BY begunAt",
                arguments: [Purchase.unproved]
            ).map { try Purchase($0) }
        }
    }
}
