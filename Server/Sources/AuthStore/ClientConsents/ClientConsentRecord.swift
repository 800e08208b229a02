package import AuthCore

/// What an account allows a third-party client.
package struct ClientConsentRecord: Sendable, Hashable {
    /// Whose consent it is.
    package var accountID: UniqueID
    /// The client that may act on it.
    package var clientID: String
    /// New with every consent; codes name it.
    package var id: UniqueID
    /// What is allowed, space separated.
    package var scope: String
    /// When the person first allowed something.
    package var grantedAt: Timestamp
    /// When they last allowed more.
    package var changedAt: Timestamp

    /// Each parameter is the property of its name.
    package init(
        accountID: UniqueID, clientID: String, id: UniqueID, scope: String, grantedAt: Timestamp, changedAt: Timestamp
    ) {
        self.accountID = accountID
        self.clientID = clientID
        self.id = id
        self.scope = scope
        self.grantedAt = grantedAt
        self.changedAt = changedAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = "account_id, client_id, id, scope, granted_at, changed_at"

    init(_ row: SQLRow) throws {
        self.init(
            accountID: try row.id(0), clientID: try row.text(1), id: try row.id(2), scope: try row.text(3),
            grantedAt: try row.time(4), changedAt: try row.time(5))
    }
}
