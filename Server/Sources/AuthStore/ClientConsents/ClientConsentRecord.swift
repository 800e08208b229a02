package import AuthCore

/// The access that an account grants to a third-party client.
package struct ClientConsentRecord: Sendable, Hashable {
    package var accountID: UniqueID
    package var clientID: String
    /// New with every consent; codes name it.
    package var id: UniqueID
    /// Space-separated.
    package var scope: String
    /// When the person first granted access.
    package var grantedAt: Timestamp
    /// When they last extended it.
    package var changedAt: Timestamp

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
