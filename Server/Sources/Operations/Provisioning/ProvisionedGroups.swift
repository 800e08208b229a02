internal import Core
internal import Kernel
internal import Store

/// What a client keeps of a merchant: its own id for it, and whether it created it. It owns the `provisioned_groups` table.
enum ProvisionedGroups {
    struct Record: Sendable, Hashable {
        var externalID: String?
        /// When the client created the merchant; `nil` if an operator did.
        var madeAt: Timestamp?
    }

    static func find(_ merchant: String, by client: String, on connection: any SQLConnection) throws -> Record? {
        try connection.row(
            "SELECT external_id, made_at FROM provisioned_groups WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)]
        ).map { Record(externalID: try $0.optionalText("external_id"), madeAt: try $0.optionalTime("made_at")) }
    }

    /// The merchants that the client knows by an id of its own. It may have given one id to several.
    static func merchants(
        having externalID: String, by client: String, limit: Int, on connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT merchant_id FROM provisioned_groups WHERE client_id = $1 AND external_id = $2
            ORDER BY merchant_id LIMIT $3
            """, [.text(client), .text(externalID), .integer(Int64(limit))]
        ).map { try $0.text("merchant_id") }
    }

    static func set(
        _ record: Record, of merchant: String, by client: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO provisioned_groups (merchant_id, client_id, external_id, made_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (merchant_id, client_id) DO UPDATE SET external_id = excluded.external_id
            """, [.text(merchant), .text(client), .optional(record.externalID), .time(record.madeAt)])
    }

    static func remove(_ merchant: String, by client: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM provisioned_groups WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)])
    }
}
