import CompatCalls
public import WalletAuth
import WalletAuthTransport

/// What an app's coordinators share: the wallet, the order of their calls, and what they answer without waiting.
package final class Service: Sendable {
    /// A code that was sent to a newcomer's address.
    struct Registration: Sendable {
        struct Address: Sendable, Hashable {
            let email: String?
            let phone: String?
        }

        let address: Address
        let challenge: RegistrationChallenge
    }

    fileprivate static let current = LockedValue<Service?>(nil)

    package let wallet: Wallet
    let calls = CallOrder()
    /// The nonce that an identity provider's next code is bound to.
    let nonce = LockedValue<FederatedNonce?>(nil)
    /// The address that a newcomer is proving.
    let registration = LockedValue<Registration?>(nil)
    private let deviceToken = LockedValue(Wallet.DeviceAuthenticationTokenState.none)

    package init(_ configuration: Wallet.Configuration) throws { wallet = try Wallet(configuration: configuration) }

    /// The service of the last `configure`.
    static var configured: Service? { current.withLock { $0 } }

    /// Whether a long-running session is active, as last read.
    var hasDeviceToken: Bool { if case .active = deviceToken.withLock({ $0 }) { true } else { false } }

    /// Reads the state of the long-running session. If the store cannot be read, the former one stays.
    package func readDeviceToken() async {
        if let state = try? await wallet.deviceAuthenticationToken { deviceToken.withLock { $0 = state } }
    }

    /// Forgets the registration of an address. Another address may be on its way meanwhile.
    func endRegistration(of address: Registration.Address?) {
        registration.withLock { if $0?.address == address { $0 = nil } }
    }

    /// Waits for the calls so far.
    package func waitForAll() async { await calls.waitForAll() }
}

extension PDAthenticationCoordinator {
    /// Sets the server and the app's client id, for all coordinators. It is the one line that the page does not have. An app in
    /// Objective-C calls it from a Swift file.
    ///
    /// `isAuthroizationTokenExist` is right as soon as this returns, so it waits in place for the store, for at most ten seconds. Calling it again
    /// replaces the configuration; stored sessions remain.
    /// - Parameter configuration: the SDK's configuration. `signIn` matters only for sign-ins with a browser: `.partial(codeResponse: nil)`
    ///   suits an app without one.
    /// - Throws: `WalletError` with code `invalid_configuration`.
    public static func configure(_ configuration: WalletAuth.Wallet.Configuration) throws {
        try WaitingInPlace.value { try await configure(configuration) }
    }

    /// The same for asynchronous code, in which no thread waits.
    /// - Parameter configuration: the SDK's configuration.
    /// - Throws: `WalletError` with code `invalid_configuration`.
    public static func configure(_ configuration: WalletAuth.Wallet.Configuration) async throws {
        let service = try Service(configuration)
        Service.current.withLock { $0 = service }
        await service.readDeviceToken()
    }

    /// Sets the delegate, as the page's `setDelegate:` does. Objective-C calls the property's setter.
    /// - Parameter delegate: receives the results.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func setDelegate(_ delegate: (any PDAuthenticationDelegate)?) { self.delegate = delegate }
}
