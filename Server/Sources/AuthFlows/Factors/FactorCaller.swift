internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Somebody's call to see or change what an account is signed in with, as the rules see it: an app's, by a token that is
/// bound to its key, or a browser's, by the page that it was served.
protocol FactorCaller: Sendable {
    /// Whose factors they are.
    var account: AccountRecord { get }
    /// What names the session that calls; what it began, no other session ends.
    var sessionID: UniqueID { get }
    /// When its person signed in.
    var authTime: Timestamp { get }
    /// The methods by which its person signed in.
    var methods: [String] { get }
    /// Those of them that count for a change.
    var settledMethods: [String] { get }
    /// Until when a restored identity is among what does not count; `nil` where none is.
    var identityCooling: Timestamp? { get }
    /// The client, for the audit log.
    var clientID: String { get }
    var origin: RequestOrigin { get }
    var now: Timestamp { get }

    /// Why the change may not be made any more; `nil` lets it be made. Every write that changes something asks in itself.
    /// - Parameter connection: the connection of the write.
    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal?
}

extension AppCaller: FactorCaller {
    var sessionID: UniqueID { session.facts.id }
    var authTime: Timestamp { session.facts.authTime }
    var clientID: String { client.id.rawValue }
}
