package import Kernel

/// The registration of a new client. Its settings are members of its own: `registration.firstParty`.
@dynamicMemberLookup
package struct ClientRegistration: Sendable {
    /// `nil` generates one.
    package var id: String?
    /// Shown on the sign-in page.
    package var name: String
    package var kind: ClientKind
    /// A ``RegisteredAuthenticationMethod``; `nil` for the kind's default.
    package var authenticationMethod: String?
    /// The client's JWK set, or its attester's, as JSON.
    package var keySet: String?
    /// Compared exactly.
    package var redirectURIs: [String] = []
    /// Where the client hears of the ends of its sessions; `nil` for nowhere.
    package var backchannelLogoutURI: String?
    /// Where it is notified of the decisions of people whom it named; `nil` for a client that asks.
    package var notificationEndpoint: String?
    /// The widest scope that the client may request.
    package var scopes: [String] = []
    /// The brand of the accounts that sign in; `nil` for `default`.
    package var brand: String?
    package var settings = ClientSettings()

    package init(name: String, kind: ClientKind) {
        self.name = name
        self.kind = kind
    }

    package subscript<Value>(dynamicMember member: WritableKeyPath<ClientSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}
