public import Foundation
import WalletAuthTransport
public import WalletAuthWire

/// A person's session with a wallet's authorization server: sign-in, token renewal and authenticated calls.
///
/// One instance may be shared between tasks. Several instances, also in several processes of one app group, may share a
/// store: they refresh one at a time and never overwrite each other's sessions.
public final class Wallet: Sendable {
    let core: WalletCore

    /// Creates a wallet. It reads and sends nothing yet: see ``setUp()``.
    /// - Parameter configuration: the configuration.
    /// - Throws: ``WalletError`` with code `invalid_configuration`.
    public init(configuration: Configuration) throws {
        core = try WalletCore(configuration: configuration)
    }

    /// Prepares the wallet for use.
    ///
    /// It awaits, in this order:
    /// 1. The store. A stored session with a valid access token is restored without the network.
    /// 2. For a session opened with Sign in with Apple, the system's answer whether the credential is still valid, for
    ///   at most two seconds. A revoked one signs out.
    /// 3. One renewal, if the stored session's access token has expired. If the server refuses the refresh token, the
    ///   session has ended, and the next step follows. After any other failure (no network, a server that cannot answer
    ///   or no longer accepts the client, an unusable answer), the session is restored all the same. It is renewed at
    ///   its next use, and ``renewalFailure`` has the error. From there, ``logout()`` leads to the sign-in.
    /// 4. The sign-in, if no one is signed in. `.full` opens the browser and waits until the person has returned and
    ///   the code is redeemed, however long that takes (cancel the task to dismiss the page). `.partial` redeems the
    ///   configured code, or throws `signed_out` if there is none. `.external` takes the configured token.
    ///
    /// Call it as often as you like; concurrent calls share one run.
    /// - Returns: how the wallet got its session, or that the browser's callback will arrive through
    ///   ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `store_unavailable`, `key_lost` (except with `.full`, which signs in again) and, if
    ///   no one is signed in, any error of the sign-in; `CancellationError` if the task was cancelled.
    @discardableResult
    public func setUp() async throws -> SetUpOutcome {
        try await core.setUp()
    }

    /// The error of the last attempt to renew the current session's token; nil once a renewal has succeeded, and if no
    /// one is signed in. Reads memory only.
    public var renewalFailure: WalletError? { core.renewalFailure }

    /// Whether a person is signed in, as far as this process knows. Reads memory only; false before ``setUp()``.
    public var isLoggedIn: Bool { core.isLoggedIn }

    /// The owner of the session, or nil if no one is signed in. Reads memory only.
    public var identity: SignedInIdentity? { core.identity }

    /// Returns a valid access token, renewing it first if necessary.
    ///
    /// While the token is valid, this reads memory only. A token bound to this device's key
    /// (``SignedInIdentity/tokenType`` `DPoP`) is useless without the proof that ``perform(_:)`` adds.
    /// - Returns: the token. Its description is redacted; `reveal()` returns the text.
    /// - Throws: ``WalletError``: `signed_out`, `temporarily_unavailable`, `offline`, `key_lost`, `store_unavailable`.
    public func accessToken() async throws -> AccessToken {
        try await core.tokens.ticket(of: nil, during: .refresh).accessToken
    }

    /// Renews the access token now, whether or not it is still valid. Joins a renewal under way.
    /// - Throws: ``WalletError``, as ``accessToken()``; `wrong_sign_in_mode` for a token that the app supplied,
    ///   `unsupported_by_server` if the server issued no refresh token and the access token is still valid.
    public func refresh() async throws {
        try await core.refresh()
    }

    /// Signs out on this device, whatever the state of the network.
    ///
    /// First the tokens are removed from memory and store, and the ``onLogout(_:)`` hooks run. Then the server is asked
    /// once to revoke the session. Offline, the revocation stays queued in the store, and the next ``setUp()`` sends
    /// it, even if another person has signed in since. The device's keys, PIN and device token stay. Harmless if no one
    /// is signed in.
    ///
    /// A session whose token the app supplied ends here as well, and the server is asked to revoke that token. The refresh
    /// token, which the app or its backend has, is theirs to revoke: a server may end the session by either.
    ///
    /// Sessions that step-ups replaced end with it, the newest 16 with the session itself; ``unrevokedSessionCount``
    /// says whether there were more.
    /// - Returns: the server's answer. Only 200 means that it has ended the session.
    /// - Throws: ``WalletError`` `store_unavailable` if the store could not remove the session. Memory has, and this
    ///   process removes the rest the next time it uses the store.
    @discardableResult
    public func logout() async throws -> LogoutOutcome {
        try await core.logout()
    }

    /// Signs out like ``logout()``, for the modules with the names of other SDKs, whose sign-out is no `async` call: ``isLoggedIn``
    /// is false as soon as this returns.
    /// - Returns: the task that does the rest.
    @discardableResult
    package func beginLogout() -> Task<LogoutOutcome, any Error> { core.beginLogout() }

    /// Sends the queued revocations of earlier sign-outs, and waits for the answers for at most five seconds.
    ///
    /// ``setUp()`` and every sign-in start this by themselves without waiting. Call it in a program that is about to
    /// end.
    /// - Returns: whether nothing is left to send; false if the server refused one here, or has no revocation endpoint. A
    ///   revocation that might end the current session as well waits for that session's sign-out, and does not count.
    @discardableResult
    public func sendQueuedRevocations() async -> Bool {
        await core.sendQueuedRevocations()
    }

    /// The server's last refusal to end a session, in this process; nil if there was none.
    public var revocationRefusal: WalletError? { core.revoker.refusal }

    /// How many earlier sessions the last ``logout()`` in this process left active at the server, where they end by
    /// their own time. The store keeps the newest 16 revocations, so this takes as many step-ups in one session, or as
    /// many sign-outs without reaching the server.
    public var unrevokedSessionCount: Int { core.revoker.dropped }
}

extension Wallet: CustomStringConvertible, CustomReflectable {
    /// The client and the issuer. For more, ``diagnostics``.
    public var description: String {
        "Wallet(\(core.configuration.clientID) at \(core.configuration.environment.issuer.absoluteString))"
    }

    /// An empty mirror: `dump` and reflection must not show a session.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Wallet {
    private static let shared = LockedValue<Wallet?>(nil)

    /// Creates the wallet that ``instance`` returns, for apps that share a single one. Calling it again replaces the
    /// wallet; the stored session remains.
    /// - Parameter configuration: the configuration.
    /// - Returns: the wallet.
    /// - Throws: ``WalletError`` with code `invalid_configuration`.
    @discardableResult
    public static func configure(_ configuration: Configuration) throws -> Wallet {
        let wallet = try Wallet(configuration: configuration)
        shared.withLock { $0 = wallet }
        return wallet
    }

    /// The wallet of the last ``configure(_:)``.
    /// - Throws: ``WalletError`` with code `not_configured` before that.
    public static var instance: Wallet {
        get throws {
            guard let wallet = shared.withLock({ $0 }) else {
                throw WalletError(
                    .notConfigured, .misconfigured, during: .configure,
                    reason: "Wallet.configure(_:) has not been called yet")
            }
            return wallet
        }
    }
}

extension Wallet {
    /// All changes of the tokens from now on. Each access creates a new stream. A slow reader loses the oldest of 64
    /// changes.
    public var tokenChanges: AsyncStream<TokenChange> { core.changes.stream() }

    /// Registers a callback for every change of the tokens, called in order, after the change is stored.
    /// - Parameter callback: receives one change at a time. It must not block, but may call the wallet.
    /// - Returns: an identifier for ``removeOnTokenChangeCallback(identifier:)``.
    public func addOnTokenChangeCallback(_ callback: @escaping @Sendable (TokenChange) -> Void) -> String {
        core.changes.add(callback)
    }

    /// Removes a callback of ``addOnTokenChangeCallback(_:)``.
    /// - Parameter identifier: from ``addOnTokenChangeCallback(_:)``.
    /// - Returns: whether the callback existed.
    @discardableResult
    public func removeOnTokenChangeCallback(identifier: String) -> Bool {
        core.changes.remove(identifier)
    }

    /// Registers a hook that ``logout()`` runs before it returns, even if no one is signed in any more: the place to clear
    /// what the app keeps in memory about the person. A ``logout()`` in a hook runs no hooks.
    /// - Parameter hook: awaited by ``logout()``, after the hooks registered before it.
    /// - Returns: an identifier for ``removeOnLogout(identifier:)``.
    public func onLogout(_ hook: @escaping @Sendable () async -> Void) -> String {
        core.logoutHooks.add(hook)
    }

    /// Removes a hook of ``onLogout(_:)``.
    /// - Parameter identifier: from ``onLogout(_:)``.
    /// - Returns: whether the hook existed.
    @discardableResult
    public func removeOnLogout(identifier: String) -> Bool {
        core.logoutHooks.remove(identifier)
    }
}

extension Wallet {
    /// The result of ``Wallet/setUp()``.
    public enum SetUpOutcome: Sendable, Hashable {
        /// A stored session continues.
        case restored
        /// The person has just signed in.
        case signedIn
        /// The browser is open; its callback will arrive through ``Wallet/receivedOAuthCodeOrToken(_:)``.
        case awaitingCallback
    }

    /// How ``Wallet/logout()`` ended.
    public enum LogoutOutcome: Sendable, Hashable {
        /// The server has ended the session: it answered 200, which alone says so (RFC 7009 §2.2).
        case revoked
        /// No one was signed in. ``Wallet/sendQueuedRevocations()`` says whether the server knows of the previous
        /// sign-out. Older kits call this an error with the number 403.
        case notSignedIn
        /// The next ``Wallet/setUp()`` tells the server: of this session, or of one that a step-up replaced. A full disk
        /// may have no room to remember it; the session then stays active at the server until it expires.
        case queued
        /// The server refused to end the session, which stays active there until it expires;
        /// ``Wallet/revocationRefusal`` says why. After a refusal without a reason, a ``Wallet/setUp()`` at least a
        /// minute later asks again, three times in all.
        case refused
        /// The server has no revocation endpoint: the session stays active there until it expires.
        case notOffered

        /// The number in older kits' tables: 403 if no one was signed in.
        public var statusCode: Int? { self == .notSignedIn ? ErrorCode.notSignedIn.statusCode() : nil }
    }

    /// The owner of a session.
    public struct SignedInIdentity: Sendable, Hashable {
        /// The issuer's identifier for the person; nil if the server named none in an ID token or in the access token.
        public let subject: String?
        /// The merchant that the session acts for.
        public let merchantID: String?
        /// The server's identifier for the session (`sid`).
        public let sessionID: String?
        /// The scopes that were granted.
        public let scopes: [String]
        /// How the access token is presented: alone, or with a proof by this device's key.
        public let tokenType: TokenType
        /// When the access token expires, in server time.
        public let accessTokenExpiresAt: Date?
        /// The authentication context class that the sign-in reached (`acr`); nil if the server did not say. It is the
        /// server's word over TLS: a backend relies on the access token instead.
        public let acr: String?
        /// When the person signed in, in server time (`auth_time`); nil if the server did not say.
        public let authenticatedAt: Date?

        /// Whether both are of one session, which may have been renewed.
        package func isOfSession(of other: Self) -> Bool {
            subject == other.subject && sessionID == other.sessionID
        }
    }
}
