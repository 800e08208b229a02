public import Foundation
import WalletAuthTransport
public import WalletAuthWire

/// A person's session with a wallet's authorization server: sign-in, token renewal and authenticated calls.
///
/// One instance may be shared between tasks. Several instances, also in several processes of one app group, may share a
/// store: they refresh one at a time and never overwrite each other's sessions.
public final class Wallet: Sendable {
    let configuration: Configuration
    let keeper: SessionKeeper
    let logoutHooks = LogoutHooks()
    let discovery: ServerDiscovery
    let receiver: CallbackReceiver
    let tokens: TokenRenewer
    let revoker: Revoker
    let external: ExternalTokens
    let browser: BrowserSignIn
    let binding: DeviceBinding
    let redemption: CodeRedemption
    let nativeLogin: NativeLogin
    let appleCredentials: AppleCredentialWatch
    let calls: SessionCalls
    let consentCalls: ConsentCalls
    let consents: PendingConsents
    let consentPages: ConsentPages
    let enroller: DeviceEnroller
    /// The part of the SDK that WalletAuthPIN builds on.
    package let deviceAuthentication: DeviceAuthentication
    let time: any TimeSource
    let log: DiagnosticsLog
    let settingUp = SingleFlight<SetUpOutcome>(.endsWithItsLastCaller)

    /// Creates a wallet. It reads and sends nothing yet: see ``restore()`` and ``signIn()``.
    /// - Parameter configuration: the configuration.
    /// - Throws: ``WalletError`` with code `invalid_configuration`.
    public init(configuration: Configuration) throws {
        self.configuration = configuration
        let checked = try CheckedConfiguration(configuration)
        let ports = configuration.ports ?? Ports.platform(for: configuration)
        let namespace = checked.namespace
        time = ports.time
        let environment = configuration.environment
        let clock = ServerClock(time: ports.time)
        keeper = SessionKeeper(store: ports.store, time: ports.time, clock: clock, namespace: namespace)
        let exchange = Exchange(transport: ports.transport, time: ports.time, clock: clock)
        log = DiagnosticsLog(clock: clock)
        discovery = ServerDiscovery(issuer: checked.issuer, environment: environment, exchange: exchange)
        binding = DeviceBinding(keys: ports.keys, store: ports.store, namespace: namespace)
        let endpoint = TokenEndpointClient(
            clientID: checked.clientID, exchange: exchange, discovery: discovery, binding: binding,
            instance: ports.clientAttester.map { AttestedInstance($0, clock: clock) })
        let grants = SessionGrant(issuer: checked.issuer, clientID: checked.clientID)
        revoker = Revoker(keeper: keeper, endpoint: endpoint, log: log)
        redemption = CodeRedemption(keeper: keeper, endpoint: endpoint, grants: grants, revoker: revoker)
        receiver = CallbackReceiver(keeper: keeper, discovery: discovery, issuer: checked.issuer)
        tokens = TokenRenewer(
            keeper: keeper, endpoint: endpoint, grants: grants, binding: binding, time: ports.time,
            log: log, revoker: revoker)
        let destinations = TokenDestinations(
            environment: environment, listed: configuration.resources.listed)
        appleCredentials = AppleCredentialWatch(
            states: ports.appleCredentials, keeper: keeper, revoker: revoker, time: ports.time,
            log: log)
        external = ExternalTokens(
            keeper: keeper, discovery: discovery, exchange: exchange, binding: binding, destinations: destinations,
            time: ports.time)
        browser = BrowserSignIn(
            configuration: configuration, clientID: checked.clientID, userAgent: ports.userAgent, keeper: keeper,
            discovery: discovery,
            binding: binding, receiver: receiver, redemption: redemption)
        calls = SessionCalls(
            issuer: checked.issuer, exchange: exchange, discovery: discovery, tokens: tokens, binding: binding,
            destinations: destinations)
        consentCalls = ConsentCalls(calls: calls, keeper: keeper)
        consents = PendingConsents(store: ports.store, keeper: keeper, namespace: namespace)
        consentPages = ConsentPages(
            userAgent: ports.userAgent, returnURL: configuration.pageReturnURL, environment: environment)
        enroller = DeviceEnroller(
            issuer: checked.issuer, namespace: namespace, keys: ports.keys,
            enrollments: EnrollmentStore(store: ports.store, namespace: namespace), calls: calls, tokens: tokens,
            keeper: keeper, binding: binding, attester: ports.appAttester)
        nativeLogin = NativeLogin(
            clientID: checked.clientID, scopes: configuration.scopes, merchantID: configuration.merchantID,
            exchange: exchange, discovery: discovery, binding: binding, redemption: redemption, enroller: enroller,
            passkeys: ports.passkeys, log: log)
        deviceAuthentication = DeviceAuthentication(
            enroller: enroller, exchange: exchange, discovery: discovery, binding: binding, tokens: tokens,
            nativeLogin: nativeLogin, log: log, extensionStorage: ExtensionStorage(),
            history: ApprovalHistory(
                enrollments: enroller.enrollments, namespace: namespace, clock: clock,
                log: log),
            biometricLimit: BiometricLimit(
                policy: configuration.biometricPolicy, store: ports.store, clock: clock, discovery: discovery))
    }
}

extension Wallet: CustomStringConvertible, CustomReflectable {
    /// The client and the issuer. For more, ``diagnostics``.
    public var description: String {
        "Wallet(\(configuration.clientID) at \(configuration.environment.issuer.absoluteString))"
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
    public var tokenChanges: AsyncStream<TokenChange> { keeper.changes.stream() }

    /// Registers a callback for every change of the tokens, called in order, after the change is stored.
    /// - Parameter callback: receives one change at a time. It must not block, but may call the wallet.
    /// - Returns: an identifier for ``removeOnTokenChangeCallback(identifier:)``.
    public func addOnTokenChangeCallback(_ callback: @escaping @Sendable (TokenChange) -> Void) -> String {
        keeper.changes.add(callback)
    }

    /// Removes a callback of ``addOnTokenChangeCallback(_:)``.
    /// - Parameter identifier: from ``addOnTokenChangeCallback(_:)``.
    /// - Returns: whether the callback existed.
    @discardableResult
    public func removeOnTokenChangeCallback(identifier: String) -> Bool {
        keeper.changes.remove(identifier)
    }

    /// Registers a hook that ``logout()`` runs before it returns, even if no one is signed in any more: the place to clear
    /// what the app keeps in memory about the person. A ``logout()`` in a hook runs no hooks.
    /// - Parameter hook: awaited by ``logout()``, after the hooks registered before it.
    /// - Returns: an identifier for ``removeOnLogout(identifier:)``.
    public func onLogout(_ hook: @escaping @Sendable () async -> Void) -> String {
        logoutHooks.add(hook)
    }

    /// Removes a hook of ``onLogout(_:)``.
    /// - Parameter identifier: from ``onLogout(_:)``.
    /// - Returns: whether the hook existed.
    @discardableResult
    public func removeOnLogout(identifier: String) -> Bool {
        logoutHooks.remove(identifier)
    }
}

extension Wallet {
    /// The result of ``Wallet/signIn()`` and ``Wallet/setUp()``.
    public enum SetUpOutcome: Sendable, Hashable {
        /// Someone is signed in already: a stored session continues.
        case restored
        /// The person has just signed in.
        case signedIn
        /// The browser is open; its callback will arrive through ``Wallet/handle(_:)``.
        case awaitingCallback
    }

    /// How ``Wallet/logout()`` ended.
    public enum LogoutOutcome: Sendable, Hashable {
        /// The server has ended the session: it answered 200, which alone says so (RFC 7009 §2.2).
        case revoked
        /// No one was signed in. ``Wallet/sendQueuedRevocations()`` says whether the server knows of the previous
        /// sign-out. Older kits call this an error with the number 403.
        case notSignedIn
        /// The next ``Wallet/restore()`` tells the server: of this session, or of one that a step-up replaced. A full disk
        /// may have no room to remember it; the session then stays active at the server until it expires.
        case queued
        /// The server refused to end the session, which stays active there until it expires;
        /// ``Wallet/revocationRefusal`` says why. After a refusal without a reason, a ``Wallet/restore()`` at least a
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
