package import Kernel

/// The registration of a new client. Its settings are members of its own: `registration.firstParty`.
@dynamicMemberLookup
package struct ClientRegistration: Sendable {
    /// `nil` generates one.
    package var id: String?
    /// Shown on the sign-in page.
    package var name: String
    package var kind: ClientKind
    /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`; `nil` for the kind's default.
    package var authenticationMethod: String?
    /// The JWK set for `private_key_jwt`, as JSON.
    package var keySet: String?
    /// Compared exactly.
    package var redirectURIs: [String] = []
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
