import Foundation
public import WalletAuthWire

/// A person's session with a wallet's authorization server: signing in, keeping the tokens alive, calling with them.
///
/// One instance may be shared between tasks. Several instances, also in several processes of one app group, may share
/// one store: they refresh one at a time and never overwrite each other's sessions.
public final class Wallet: Sendable {
    let core: WalletCore

    /// Makes a wallet. Nothing is read and nothing is sent yet: see ``setUp()``.
    /// - Parameter configuration: which server, which client, and who leads the sign-in.
    /// - Throws: ``WalletError`` with code `invalid_configuration`.
    public init(configuration: Configuration) throws {
        core = try WalletCore(configuration: configuration)
    }

    /// Gets the wallet ready to be used.
    ///
    /// What it awaits, in this order:
    /// 1. The store. A kept session whose access token still serves is restored without any network.
    /// 2. With a session that Apple opened, the system's answer whether its credential still holds; two seconds at most. A
    ///    revoked one is signed out.
    /// 3. A kept session whose access token has expired is renewed once. Where the server refuses its refresh token, the session
    ///    has ended, and the next point begins. Whatever else comes (no network, a server that cannot answer now or that does
    ///    not take the client any more, an answer that cannot be used), the session is restored all the same: it is renewed when
    ///    next used, and ``renewalFailure`` says why it was not. ``logout()`` leads to the sign-in from there.
    /// 4. With nobody signed in: `.full` opens the browser and waits until the person came back and the code was
    ///    redeemed, however long that takes (cancel the task to take the page away); `.partial` redeems the code that the
    ///    configuration brings, or throws `signed_out` when there is none; `.external` takes the configured token.
    ///
    /// It may be called as often as the app likes; calls at the same time share one run.
    /// - Returns: how the wallet got its session, or that the browser's answer will come through
    ///   ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `store_unavailable`, `key_lost` (save with `.full`, which signs in anew), and with nobody
    ///   signed in whatever keeps the sign-in from succeeding; `CancellationError` when the task was cancelled.
    @discardableResult
    public func setUp() async throws -> SetUpOutcome {
        try await core.setUp()
    }

    /// Why the token of the session in use could not be renewed when that was last tried; nil since a renewal succeeded, and with
    /// nobody signed in. Reads memory only.
    public var renewalFailure: WalletError? { core.renewalFailure }

    /// Whether somebody is signed in, as far as this process knows. Reads memory only; false before ``setUp()``.
    public var isLoggedIn: Bool { core.isLoggedIn }

    /// Whose session it is, or nil when nobody is signed in. Reads memory only.
    public var identity: SignedInIdentity? { core.identity }

    /// A valid access token, renewed first when it has to be.
    ///
    /// With a token that still serves this reads memory only. A token that is bound to this device's key
    /// (``SignedInIdentity/tokenType`` `DPoP`) is of no use without the proof that ``perform(_:)`` makes.
    /// - Returns: the token; its description is redacted, `reveal()` hands the text out.
    /// - Throws: ``WalletError``: `signed_out`, `temporarily_unavailable`, `offline`, `key_lost`, `store_unavailable`.
    public func accessToken() async throws -> AccessToken {
        try await core.accessToken()
    }

    /// Renews the access token now, whether or not it still serves. Shares a renewal that is under way.
    /// - Throws: ``WalletError``, as ``accessToken()``; `wrong_sign_in_mode` for a token that the app brought,
    ///   `unsupported_by_server` where the server gave no refresh token and the access token still serves.
    public func refresh() async throws {
        try await core.refresh()
    }

    /// Signs out on this device, whatever the network does.
    ///
    /// The tokens are gone from memory and store, and the ``onLogout(_:)`` hooks have run, before anything is sent. Then
    /// the server is asked once to revoke the session; offline, the revocation stays queued in the store and is sent by the
    /// next ``setUp()``, whoever is signed in then, or nobody. The device's keys, PIN and device token stay. Harmless when nobody is signed in.
    /// - Returns: what the server made of it. Only 200 means that it has ended the session.
    /// - Throws: ``WalletError`` `store_unavailable` when the store could not forget the session. Memory has, and the
    ///   removal is made up for at the next use of the store by this process.
    @discardableResult
    public func logout() async throws -> LogoutOutcome {
        try await core.logout()
    }

    /// Sends the revocations that sign-outs left in the queue, and waits for the answers, at most five seconds.
    ///
    /// ``setUp()`` and every sign-in begin this by themselves and do not wait for it. A program that ends right afterwards waits
    /// for it here.
    /// - Returns: whether the server knows of every sign-out of this device; false where it refused one that it was told of here,
    ///   or has no place to be told.
    @discardableResult
    public func sendQueuedRevocations() async -> Bool {
        await core.sendQueuedRevocations()
    }

    /// Why the server refused to end a session last, in this process; nil where it refused none.
    public var revocationRefusal: WalletError? { core.revoker.refusal }
}

extension Wallet: CustomStringConvertible, CustomReflectable {
    /// The client and the issuer. For more, ``diagnostics``.
    public var description: String {
        "Wallet(\(core.configuration.clientID) at \(core.configuration.environment.issuer.absoluteString))"
    }

    /// Without children: `dump` and reflection show nothing of a session.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
