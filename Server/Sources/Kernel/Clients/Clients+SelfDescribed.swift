package import Core
package import Store
internal import WalletAuthWire

extension ClientRecord {
    /// An app that describes itself, of the kind that this registration lets in. What is not listed here, such an app does not have.
    func describing(
        _ id: ClientID, name: String, redirectURIs: [RedirectURI], now: Timestamp
    ) throws -> ClientRecord {
        let own = try ClientSettings(json: settings)
        var settings = ClientSettings()
        settings.selfDescribed = true
        settings.requiresDPoP = own.requiresDPoP
        settings.resources = own.resources
        settings.idTokenAlgorithm = own.idTokenAlgorithm
        settings.accessTokenLifetime = own.accessTokenLifetime
        settings.refreshIdleLifetime = own.refreshIdleLifetime
        settings.refreshAbsoluteLifetime = own.refreshAbsoluteLifetime
        return ClientRecord(
            id: id.rawValue, brandID: brandID, name: name, kind: .public, authenticationMethod: .none, secretHash: nil,
            jwks: nil, redirectURIs: JSONValue.strings(redirectURIs.map(\.rawValue)).text, scopes: scopes,
            settings: try settings.json(), createdAt: now, updatedAt: now)
    }
}

/// Apps that describe themselves. They have a row from a person's first consent on.
extension Clients {
    /// With those that an operator deleted. No more are let in: each costs a row for good.
    private static let mostSelfDescribed: Int64 = 1000

    /// A client that was not deleted; one that describes itself, with what counts now for apps of its host.
    static func registered(
        _ id: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> RegisteredClient? {
        let client = try find(id, on: connection).map { try RegisteredClient($0) }
        guard let client, client.settings.selfDescribed else { return client }
        return try described(client, now: now, on: connection).map { try RegisteredClient($0) }
    }

    /// The registration that lets in the apps of a host.
    package static func template(
        for address: ClientDocumentURL, on connection: any SQLConnection
    ) throws -> ClientRecord? {
        try connection.query(
            """
            SELECT \(ClientRecord.columns) FROM clients
            WHERE state = 'active' AND settings LIKE '%"metadataHosts":["%' ORDER BY id
            """, []
        ).map(ClientRecord.init).first { try ClientSettings(json: $0.settings).metadataHosts.contains(address.host) }
    }

    /// Whether an app without a row may get one: no operator has deleted it, and there are not too many.
    static func mayKeep(_ id: ClientID, on connection: any SQLConnection) throws -> Bool {
        guard try connection.row("SELECT 1 FROM clients WHERE id = $1", [.text(id.rawValue)]) == nil else {
            return false
        }
        let count = try connection.row(
            "SELECT COUNT(*) AS n FROM clients WHERE settings LIKE '%\"selfDescribed\":true%'", [])?.integer("n")
        return count ?? 0 < mostSelfDescribed
    }

    /// Keeps an app as it describes itself now, for the consent that will refer to it.
    /// - Returns: whether it was kept.
    package static func keep(
        _ app: RegisteredClient, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard var record = try described(app, now: now, on: connection) else { return false }
        guard let known = try find(record.id, on: connection) else {
            return try mayKeep(app.id, on: connection) && create(record, on: connection)
        }
        record.createdAt = known.createdAt
        if known.name == record.name, known.redirectURIs == record.redirectURIs { return true }
        return try update(record, seen: known.updatedAt, on: connection)
    }

    private static func described(
        _ app: RegisteredClient, now: Timestamp, on connection: any SQLConnection
    ) throws -> ClientRecord? {
        guard let address = ClientDocumentURL(app.id) else { return nil }
        return try template(for: address, on: connection)?
            .describing(app.id, name: app.name, redirectURIs: app.redirectURIs, now: now)
    }
}
