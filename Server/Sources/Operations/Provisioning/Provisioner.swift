internal import Core
internal import HTTPTypes
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// A client that provisions the accounts of its brand over SCIM.
///
/// Its registration is the whole of its rights: no member of a request adds to them.
struct Provisioner: Sendable {
    /// Lets a confidential client call `/scim/v2`.
    static let scope = "scim"
    /// Says of such a client that the addresses and numbers that it gives are the people's. No token needs it.
    static let confirmingScope = "scim_verified"

    /// Lets such a client decide who works for the merchants at which it is installed: a person who does can act for them. No token needs
    /// it.
    static let groupsScope = "scim_groups"

    /// All of them. Who registers them gives power over accounts.
    static let scopes = [scope, confirmingScope, groupsScope]

    let client: RegisteredClient
    let brand: String
    let now: Timestamp

    init(_ caller: BackendCaller) throws {
        client = caller.client
        brand = try caller.client.accountBrand.rawValue
        now = caller.now
    }

    var id: String { client.id.rawValue }

    /// Whether addresses and numbers of this client count as confirmed.
    var confirms: Bool { client.scope.contains(Self.confirmingScope) }

    var hasGroups: Bool { client.scope.contains(Self.groupsScope) }

    /// Whether an account is an operator's, or of a person invited to be one. A directory does not change it.
    func isOperator(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try Operators.find(account, on: connection) != nil
            || OperatorInvitations.find(account, now: now, on: connection) != nil
    }

    /// In each write: the registration may have changed since the call began.
    /// - Throws: ``SCIMFailure`` if the client may not provision any more, or not as it was about to.
    func requireRegistered(on connection: any SQLConnection) throws {
        let record = try Clients.find(id, on: connection)
        guard let present = try record.map(RegisteredClient.init), present.scope == client.scope,
            try present.accountBrand.rawValue == brand
        else { throw SCIMFailure(.forbidden, "The client's registration was changed meanwhile.") }
    }
}
