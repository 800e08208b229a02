package import Core
package import WalletAuthWire

/// The operator's settings for the introspection endpoint of a former system (RFC 7662).
package struct IntrospectionSettings: Codable, Sendable, Hashable {
    package var endpoint: WebURL
    /// This server's client id there.
    package var clientID: String
    /// The clients here that may exchange its refresh tokens.
    package var clients: [String]
    /// The clients there whose refresh tokens are exchanged.
    package var formerClients: [String]
    /// The first moment at which it is off.
    package var until: Timestamp
    /// Whether it is in the operator's own network.
    package var isInternal: Bool

    package init(
        endpoint: WebURL, clientID: String, clients: [String], formerClients: [String], until: Timestamp,
        isInternal: Bool
    ) {
        self.endpoint = endpoint
        self.clientID = clientID
        self.clients = clients
        self.formerClients = formerClients
        self.until = until
        self.isInternal = isInternal
    }
}
