package import Store

/// From where sessions were last used, as it is stored.
extension Sessions {
    /// The sealed networks of an account's sessions, by their ids.
    package static func networks(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [UniqueID: [UInt8]] {
        let rows = try connection.query(
            "SELECT id, network FROM sessions WHERE account_id = $1 AND network IS NOT NULL", [.id(account)])
        return try Dictionary(rows.map { (try $0.id("id"), try $0.blob("network")) }) { $1 }
    }

    /// Forgets from where the sessions of an account were used.
    package static func eraseNetworks(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE sessions SET network = NULL WHERE account_id = $1 AND network IS NOT NULL", [.id(account)])
    }
}
