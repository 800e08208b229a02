public import Foundation
internal import WalletAuth
internal import WalletAuthTransport

/// Signs a merchant's employee in, with the names of the Clover Payment SDK.
///
/// An app that used that SDK replaces its import and says where its own authorization server is, in `Info.plist`
/// (``CloverEnvironment/EnvironmentType``) or by ``configure(issuer:adjusting:)``. Readers, charges and the other calls about
/// payments have no counterpart.
public final class CloverPaymentSDK: Sendable {
    /// The one instance of the app. It exists before any configuration; calls that need one throw until ``setup(configuration:)``
    /// has been called.
    public static let shared = CloverPaymentSDK { Bundle.main.object(forInfoDictionaryKey: $0) as? String }

    struct State: Sendable {
        var settings = WalletSettings()
        var connection: WalletConnection?
        /// A URL that arrived before the first setup.
        var keptURL: URL?
        /// Whether ``CloverPaymentSDK/logout()`` was called before the first setup.
        var owesSignOut = false
    }

    let state = LockedValue(State())
    private let callbacks = TokenCallbacks()
    private let infoValue: @Sendable (String) -> String?

    /// Creates an instance; only tests need another than ``shared``.
    /// - Parameter infoValue: looks up a key of `Info.plist`.
    package init(infoValue: @escaping @Sendable (String) -> String?) {
        self.infoValue = infoValue
    }

    // MARK: Setting up

    /// Restores the stored session. If there is none, it signs in as the configuration's ``OAuthFlowType`` says.
    ///
    /// Call it as often as you like, also from a token change callback: with an equal configuration it is the same wallet, which
    /// neither signs in a second time nor calls the callbacks for a restored session. Another configuration takes its place.
    ///
    /// With ``FullOAuth`` it returns when the person has signed in or, if the browser answers only through the app's URL
    /// handler, when the page is open. A callback then tells that the token is there.
    /// - Parameter configuration: the app's id, its environment and its way to sign in.
    /// - Throws: ``CloverGenericError``; `CancellationError` if the task was cancelled.
    public func setup(configuration: Configuration) async throws {
        try await CloverGenericError.during {
            let (connection, url) = try connect(configuration)
            try await connection.setUp(redeeming: url)
        }
    }

    /// Finds or creates the wallet of a configuration.
    /// - Returns: it, and the URL that waited for it.
    private func connect(_ configuration: Configuration) throws -> (WalletConnection, URL?) {
        let settings = state.withLock { $0.settings }
        // The app's closure runs outside the lock, because it may call this class.
        let wanted = try settings.configuration(for: configuration, infoValue: infoValue)
        return try state.withLock { state in
            if let connection = state.connection, connection.isFor(wanted) { return (connection, nil) }
            let connection = try WalletConnection(wanted, callbacks: callbacks)
            state.connection?.end()
            state.connection = connection
            if state.owesSignOut { connection.logout() }
            state.owesSignOut = false
            defer { state.keptURL = nil }
            return (connection, state.keptURL)
        }
    }

    /// The wallet of the last setup.
    /// - Throws: ``CloverGenericError`` before the first one.
    func connection() throws -> WalletConnection {
        guard let connection = state.withLock({ $0.connection }) else { throw CloverGenericError.notSetUp }
        return connection
    }

    // MARK: The session

    /// Whether someone is signed in. Reads memory only; false before ``setup(configuration:)``, and as soon as ``logout()`` has
    /// returned.
    public var isLoggedIn: Bool { state.withLock { $0.connection }?.wallet.isLoggedIn ?? false }

    /// Signs out and calls the token change callbacks if someone was signed in.
    ///
    /// The token is forgotten before this returns. Afterwards it is removed from the store, and the server is asked to revoke
    /// the session, without a network the next time there is one. Before the first ``setup(configuration:)``, the stored session
    /// is signed out by that one.
    public func logout() {
        let connection = state.withLock { state in
            state.owesSignOut = state.connection == nil
            return state.connection
        }
        connection?.logout()
    }

    /// Replaces the token of ``NoOAuth``.
    /// - Parameter token: a newer token of the same person and merchant.
    /// - Throws: ``CloverGenericError``, also for another person's or merchant's token, and in the other two flows.
    public func updateToken(_ token: String) async throws {
        try await CloverGenericError.during { try await connection().updateToken(token) }
    }

    /// Passes on a URL that opened the app. With ``FullOAuth``, its code becomes the token.
    ///
    /// Pass every URL of the app's scene delegate: others, and those passed twice, are harmless. A URL that arrives before the
    /// first ``setup(configuration:)``, because the app had been ended meanwhile, is kept for it.
    /// - Parameter url: the full URL, from the system.
    /// - Returns: the exchange of the code. Most apps ignore it, since a callback tells of the token. It throws
    ///   ``CloverGenericError``.
    @discardableResult
    public func receivedOAuthCodeOrToken(_ url: URL) -> Task<Void, any Error> {
        let connection = state.withLock { state in
            if state.connection == nil { state.keptURL = url }
            return state.connection
        }
        return Task {
            try await CloverGenericError.during {
                guard let connection else { throw CloverGenericError.urlIsKept }
                try await connection.receive(url)
            }
        }
    }

    /// Passes on a URL that opened the app, as its text.
    /// - Parameter url: the full URL, from the system.
    /// - Returns: the exchange of the code; it throws ``CloverGenericError``, also if `url` is no URL.
    @discardableResult
    public func receivedOAuthCodeOrToken(_ url: String) -> Task<Void, any Error> {
        guard let url = URL(string: url) else {
            return Task { throw CloverGenericError("receivedOAuthCodeOrToken got a text that is not a URL.") }
        }
        return receivedOAuthCodeOrToken(url)
    }

    // MARK: Callbacks

    /// Registers a callback for changes of the token: a new, a renewed, a deleted and an invalidated one. Restoring a session is
    /// none, so a callback may call ``setup(configuration:)``.
    ///
    /// Callbacks run on the main actor, once for each change, in the order of the changes and of their registration. They can be
    /// registered before the first setup, and stay registered for all later ones.
    /// - Parameter callback: the callback to add.
    /// - Returns: an identifier for ``removeOnTokenChangeCallback(identifier:)``.
    public func addOnTokenChangeCallback(_ callback: @escaping () -> Void) -> String { callbacks.add(callback) }

    /// Removes a callback; it is not called any more, not even for an earlier change.
    /// - Parameter identifier: from ``addOnTokenChangeCallback(_:)``.
    /// - Returns: whether the callback was registered.
    public func removeOnTokenChangeCallback(identifier: String) -> Bool { callbacks.remove(identifier) }
}
