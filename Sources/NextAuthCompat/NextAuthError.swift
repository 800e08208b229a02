public import WalletAuth

/// The error of all of the module's calls and flows.
///
/// `code` is a stable name for what happened, `localizedDescription` a sentence for the person, in their language, and
/// `description` one for developers. There is no sentence if the person rejected or cancelled.
public typealias NextAuthError = WalletAuth.WalletError

extension NextAuthError.Code {
    /// Neither a delegate nor an observer would receive the flow. Nothing was sent.
    public static let noObserver: Self = "no_observer"
    /// The code belongs to a server at which this app has no account. Nothing was sent.
    public static let noAccountsForServer = noAccountForServer
    /// The person rejected the transaction, and the server knows.
    public static let rejected: Self = "rejected"
}
