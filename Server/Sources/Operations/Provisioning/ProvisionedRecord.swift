internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What a client keeps of an account or a merchant: its own id for it, and whether it created it.
struct ProvisionedRecord: Sendable, Hashable {
    var externalID: String?
    /// When the client created it; `nil` if it was there before.
    var madeAt: Timestamp?

    /// As the person's export shows it.
    func json(of client: String) -> JSONObject {
        var json = JSONObject()
        json.set("clientId", client)
        json.set("externalId", externalID)
        json.set("madeAt", madeAt?.text)
        return json
    }
}

extension ProvisionedRecord {
    fileprivate init(_ row: SQLRow) throws {
        self.init(externalID: try row.optionalText("external_id"), madeAt: try row.optionalTime("made_at"))
    }
}

/// The table of what clients keep of one kind of resources.
struct ProvisionedTable<ID: Sendable>: Sendable {
    fileprivate let name: String
    fileprivate let key: String
    fileprivate let value: @Sendable (ID) -> SQLValue
    fileprivate let id: @Sendable (SQLRow, _ column: String) throws -> ID

    func find(_ id: ID, by client: String, on connection: any SQLConnection) throws -> ProvisionedRecord? {
        try connection.row(
            "SELECT external_id, made_at FROM \(name) WHERE \(key) = $1 AND client_id = $2", [value(id), .text(client)]
        ).map { try ProvisionedRecord($0) }
    }

    /// The resources that the client knows by an id of its own. It may have given one id to several.
    func having(
        _ externalID: String, by client: String, limit: Int, on connection: any SQLConnection
    ) throws -> [ID] {
        try connection.query(
            "SELECT \(key) FROM \(name) WHERE client_id = $1 AND external_id = $2 ORDER BY \(key) LIMIT $3",
            [.text(client), .text(externalID), .integer(Int64(limit))]
        ).map { try id($0, key) }
    }

    func set(_ record: ProvisionedRecord, of id: ID, by client: String, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO \(name) (\(key), client_id, external_id, made_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (\(key), client_id) DO UPDATE SET external_id = excluded.external_id
            """, [value(id), .text(client), .optional(record.externalID), .time(record.madeAt)])
    }
}

extension ProvisionedTable<String> {
    static var merchants: Self {
        Self(name: "provisioned_groups", key: "merchant_id", value: { .text($0) }, id: { try $0.text($1) })
    }

    func remove(_ merchant: String, by client: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM \(name) WHERE \(key) = $1 AND client_id = $2", [.text(merchant), .text(client)])
    }
}

extension ProvisionedTable<UniqueID> {
    static var accounts: Self {
        Self(name: "provisioned_accounts", key: "account_id", value: { .id($0) }, id: { try $0.id($1) })
    }

    /// What every client keeps of an account, for its export.
    func list(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [(client: String, record: ProvisionedRecord)] {
        try connection.query(
            "SELECT client_id, external_id, made_at FROM \(name) WHERE \(key) = $1 ORDER BY client_id", [.id(account)]
        ).map { (try $0.text("client_id"), try ProvisionedRecord($0)) }
    }

    func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM \(name) WHERE \(key) = $1", [.id(account)])
    }
}
