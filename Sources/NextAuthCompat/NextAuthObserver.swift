/// Receives what nextAuth reports: for each call one method, on the main actor, one at a time.
///
/// Differs from nextAuth: sessions, tokens and messages are not reported here. `wallet` has them.
@preconcurrency @MainActor public protocol NextAuthObserver: AnyObject {
    /// The flow has another state. If it waits for input, answer ``FlowUpdate/currentUserInteraction`` or call
    /// ``FlowService``.
    /// - Parameter update: the state and what belongs to it.
    func flowUpdate(_ update: FlowUpdate)

    /// An account was added, or was used to sign in.
    /// - Parameter account: the account as it is now.
    func accountUpdate(_ account: Account)

    /// This device is no longer enrolled for an account.
    /// - Parameter account: the account as it was.
    func accountDeleted(_ account: Account)

    /// An error that belongs to no flow: the accounts could not be read again.
    /// - Parameter error: the error.
    func error(_ error: NextAuthError)
}

extension NextAuthObserver {
    /// Does nothing.
    public func accountUpdate(_ account: Account) {}
    /// Does nothing.
    public func accountDeleted(_ account: Account) {}
    /// Does nothing.
    public func error(_ error: NextAuthError) {}
}

/// The iOS name of ``NextAuthObserver``.
public typealias NextAuthDelegate = NextAuthObserver

/// An observer that its app may release.
///
/// Unchecked: observers arrive and are called on the main actor only. Elsewhere, only their existence is read.
struct WeakObserver: @unchecked Sendable {
    private(set) weak var observer: (any NextAuthObserver)?

    init(_ observer: (any NextAuthObserver)? = nil) { self.observer = observer }
}
