internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What a client keeps of an account: its own id for it, and whether it created it. It owns the `provisioned_accounts` table.
enum ProvisionedAccounts {
    struct Record: Sendable, Hashable {
        var externalID: String?
        /// When the client created the account; `nil` if it was there before.
        var madeAt: Timestamp?
    }

    static func find(
        _ account: UniqueID, by client: String, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            "SELECT external_id, made_at FROM provisioned_accounts WHERE account_id = $1 AND client_id = $2",
            [.id(account), .text(client)]
        ).map { Record(externalID: try $0.optionalText("external_id"), madeAt: try $0.optionalTime("made_at")) }
    }

    /// The accounts that the client knows by an id of its own. It may have given one id to several.
    static func accounts(
        having externalID: String, by client: String, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT account_id FROM provisioned_accounts WHERE client_id = $1 AND external_id = $2
            ORDER BY account_id LIMIT $3
            """, [.text(client), .text(externalID), .integer(Int64(limit))]
        ).map { try $0.id("account_id") }
    }

    static func set(
        _ record: Record, of account: UniqueID, by client: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO provisioned_accounts (account_id, client_id, external_id, made_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account_id, client_id) DO UPDATE SET external_id = excluded.external_id
            """, [.id(account), .text(client), .optional(record.externalID), .time(record.madeAt)])
    }

    /// What every client keeps of an account, for its export.
    static func list(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [(client: String, record: Record)] {
        try connection.query(
            "SELECT client_id, external_id, made_at FROM provisioned_accounts WHERE account_id = $1 ORDER BY client_id",
            [.id(account)]
        ).map { row in
            let record = Record(
                externalID: try row.optionalText("external_id"), madeAt: try row.optionalTime("made_at"))
            return (try row.text("client_id"), record)
        }
    }

    static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM provisioned_accounts WHERE account_id = $1", [.id(account)])
    }
}

extension ProvisionedAccounts.Record {
    /// As the person's export shows it.
    func json(of client: String) -> JSONObject {
        var json = JSONObject()
        json.set("clientId", client)
        json.set("externalId", externalID)
        json.set("madeAt", madeAt?.text)
        return json
    }
}
