package import AuthCore

/// The facts of clients. A deleted client keeps its row, so that sessions and audit that name it stay whole and its id is
/// never given to another.
package enum Clients {
    /// Registers a client.
    ///
    /// - Returns: `false` when the id is or was taken; nothing was written then.
    /// - Throws: ``StoreError``; code ``StoreError/Code-swift.struct/constraint`` when its brand does not exist or its
    ///   kind, method and secret do not go together.
    package static func create(_ client: ClientRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO clients (\(ClientRecord.columns), state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'active') ON CONFLICT (id) DO NOTHING
            """, client.values) == 1
    }

    /// The client of an id, unless it was deleted; one point read.
    package static func find(_ id: String, on connection: any SQLConnection) throws -> ClientRecord? {
        try connection.row(
            "SELECT \(ClientRecord.columns) FROM clients WHERE id = $1 AND state = 'active'", [.text(id)]
        ).map(ClientRecord.init)
    }

    /// A page of clients by id, after the given one.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [ClientRecord] {
        try connection.query(
            """
            SELECT \(ClientRecord.columns) FROM clients WHERE id > $1 AND state = 'active' ORDER BY id LIMIT $2
            """, [.text(after), .integer(Int64(limit))]
        ).map(ClientRecord.init)
    }

    /// Replaces everything about a client but its id and the time of its making.
    ///
    /// - Parameters:
    ///   - client: the new facts.
    ///   - seen: the `updatedAt` that the change was made from; another one in the row refuses it.
    ///   - connection: the connection of a write.
    /// - Returns: whether the row still stood as it was seen.
    /// - Throws: ``StoreError``.
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

    /// Deletes a client: nobody finds it any more, its merchants no longer have it installed, and nobody's consent to it is left.
    ///
    /// - Returns: whether it was there.
    /// - Throws: ``StoreError``.
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
