package import AuthCore

/// Reads and writes clients. It owns the `clients` table.
///
/// A deleted client keeps its row: sessions and the audit log refer to it, and its id is never reused.
package enum Clients {
    /// Registers a client.
    /// - Returns: `false` if the id is or was taken; nothing was written then.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/constraint`` if its brand does not exist or
    ///   its kind, method and secret do not match.
    package static func create(_ client: ClientRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO clients (\(ClientRecord.columns), state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'active') ON CONFLICT (id) DO NOTHING
            """, client.values) == 1
    }

    /// Finds a client that was not deleted, with one point read.
    package static func find(_ id: String, on connection: any SQLConnection) throws -> ClientRecord? {
        try connection.row(
            "SELECT \(ClientRecord.columns) FROM clients WHERE id = $1 AND state = 'active'", [.text(id)]
        ).map(ClientRecord.init)
    }

    /// A page of clients after the given id, in the order of ids.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [ClientRecord] {
        try connection.query(
            """
            SELECT \(ClientRecord.columns) FROM clients WHERE id > $1 AND state = 'active' ORDER BY id LIMIT $2
            """, [.text(after), .integer(Int64(limit))]
        ).map(ClientRecord.init)
    }

    /// Replaces everything about a client except its id and its time of creation.
    /// - Parameter seen: the `updatedAt` that the change is based on; another one in the row refuses it.
    /// - Returns: whether the row was still the one that was seen.
    package static func update(
        _ client: ClientRecord, seen: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE clients SET brand_id = $2, name = $3, kind = $4, auth_method = $5, secret_hash = $6, jwks = $7,
                redirect_uris = $8, scopes = $9, settings = $10, updated_at = $12
            WHERE id = $1 AND state = 'active' AND created_at = $11 AND updated_at = $13
            """, client.values + [.time(seen)]) == 1
    }

    /// Deletes a client, its installations at merchants and all consents to it.
    /// - Returns: whether it existed.
    package static func delete(_ id: String, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        let deleted = try connection.execute(
            "UPDATE clients SET state = 'deleted', updated_at = $2 WHERE id = $1 AND state = 'active'",
            [.text(id), .time(now)])
        guard deleted == 1 else { return false }
        try connection.execute("DELETE FROM merchant_clients WHERE client_id = $1", [.text(id)])
        try ClientConsentRecords.removeAll(to: id, on: connection)
        return true
    }
}
