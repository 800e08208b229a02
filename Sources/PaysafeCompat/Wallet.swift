import CompatCalls
public import Foundation
public import WalletAuth
import WalletAuthTransport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The wallet under the names of Paysafe's `PaysafeWallet`: an app that moves to a server of this project replaces its
/// import, and configures the wallet where it used to pass a configuration token.
///
/// ```swift
/// import PaysafeCompat
/// import WalletAuth
///
/// try PaysafeCompat.Wallet.instance.configure(
///     WalletAuth.Wallet.Configuration(
///         environment: .production(issuer: issuer), clientID: "com.example.wallet",
///         signIn: .partial(codeResponse: nil), resources: .only([api])))
/// ```
///
/// Only the file that configures imports `WalletAuth` too. A token that the app's backend obtained is a bearer token, so list
/// the origins of the backends that may receive it as `resources`.
///
/// Every completion runs on the main actor, exactly once, after its call has returned and in the order of the calls, also if
/// the caller no longer exists. Before ``configure(_:)`` every call fails with ``WalletError/notConfigured``.
///
/// What differs: redirect URIs with `http` are refused; PIN and biometrics of an enrolled device have the channel `.device`;
/// the method `.pushNotification` has the channel `.pushNotification`, and an attempt without a value asks for its outcome; the server
/// never rejects an attempt. ``WalletSetupService`` takes an address and a password, and no other data of a customer.
public final class Wallet: Sendable {
    /// The wallet of this process. It exists before it is configured.
    public static let instance = Wallet()

    /// Receives the result of a call.
    public typealias Completion<Value> = @MainActor @Sendable (Result<Value, WalletError>) -> Void

    private let connection = LockedValue<Connection?>(nil)
    private let calls = CallOrder()

    package init() {}

    /// Sets the server and the client, in place of a configuration token. Calling it again, for instance after the app was
    /// reloaded, replaces them; calls made before still use the former ones.
    /// - Parameter configuration: of `WalletAuth`. With `.partial(codeResponse: nil)` the wallet opens no page by itself.
    /// - Throws: ``WalletError/misconfigured(_:)``.
    public func configure(_ configuration: WalletAuth.Wallet.Configuration) throws(WalletError) {
        do {
            let wallet = try WalletAuth.Wallet(configuration: configuration)
            connection.withLock { $0 = Connection(wallet, clientID: configuration.clientID) }
        } catch { throw WalletError(error) }
    }

    /// The configured wallet under its own names, for what these have no word for, such as its sign-out; nil before
    /// ``configure(_:)``.
    public var walletAuth: WalletAuth.Wallet? { connection.withLock { $0 }?.wallet }

    /// Sign-in on a hosted page, and consent to operations.
    public var authenticationService: AuthenticationService { AuthenticationService(wallet: self) }

    /// Sign-in on the app's own screens.
    public var standaloneAuthenticationService: StandaloneAuthenticationService {
        StandaloneAuthenticationService(wallet: self)
    }

    /// A new customer's account, and a forgotten password, on the app's own screens.
    public var walletSetupService: WalletSetupService { WalletSetupService(wallet: self) }

    /// Begins a session with the access token from the app's backend, or continues the one that a
    /// ``StandaloneAuthenticationService`` or ``WalletSetupService`` has just begun.
    ///
    /// A token from the backend is kept in memory only. When it has expired, pass the next one.
    /// - Parameters:
    ///   - configuration: the token.
    ///   - completion: receives the result. Calls made after this one wait for it in any case.
    public func authenticate(
        _ configuration: AuthenticationConfiguration, completion: @escaping Completion<Void> = { _ in }
    ) {
        call(completion) { try await $0.authenticate(configuration.accessToken.value) }
    }

    /// Sends a wallet operation to its backend with the session's token.
    ///
    /// If the operation needs the person's consent, it fails with ``WalletError/scaRequired(authenticationEvent:errorID:)``. Obtain
    /// it with the ``AuthenticationService``, then repeat the operation with `scaDetails`, which is added to its JSON body.
    /// - Parameters:
    ///   - request: the request, with its body in memory. An `Idempotency-Key` is added if it has none; the repetition has
    ///     the same.
    ///   - scaDetails: the consent, for the repetition.
    ///   - completion: receives the response, whatever its status.
    public func perform(
        _ request: URLRequest, scaDetails: SCAAuthenticationEventRequest? = nil,
        completion: @escaping Completion<OperationResponse>
    ) {
        call(completion) { try await $0.perform(request, scaDetails: scaDetails) }
    }

    /// Adds a call to the order of all calls.
    func call<Value: Sendable>(
        _ completion: @escaping Completion<Value>, _ work: @escaping @Sendable (Connection) async throws -> Value
    ) {
        let connection = connection.withLock { $0 }
        calls.add(
            { () async -> Result<Value, WalletError> in
                guard let connection else { return .failure(.notConfigured) }
                do { return .success(try await work(connection)) } catch { return .failure(WalletError(error)) }
            }, completion: completion)
    }
}

extension Wallet {
    /// The access token to begin a session with.
    public struct AuthenticationConfiguration: Sendable {
        let accessToken: Redacted

        /// Creates a configuration.
        /// - Parameter accessToken: the access token.
        public init(_ accessToken: String) { self.accessToken = Redacted(accessToken) }

        /// Creates a configuration.
        /// - Parameter accessToken: the access token.
        public init(accessToken: String) { self.init(accessToken) }
    }

    /// A backend's response to a wallet operation.
    public struct OperationResponse: Sendable {
        /// The body.
        public let data: Data
        /// The status and the header fields.
        public let response: HTTPURLResponse
    }
}
