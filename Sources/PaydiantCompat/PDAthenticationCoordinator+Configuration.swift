import CompatCalls
import Foundation
public import WalletAuth
import WalletAuthTransport

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
        let service = try Service(configuration, biometricsReason: faceIDReason)
        try WaitingInPlace.value { await service.readDeviceToken() }
        Service.current.withLock { $0 = service }
    }

    /// The same for asynchronous code, in which no thread waits.
    /// - Parameter configuration: the SDK's configuration.
    /// - Throws: `WalletError` with code `invalid_configuration`.
    public static func configure(_ configuration: WalletAuth.Wallet.Configuration) async throws {
        let service = try Service(configuration, biometricsReason: faceIDReason)
        await service.readDeviceToken()
        Service.current.withLock { $0 = service }
    }

    /// Sets the delegate, as the page's `setDelegate:` does. Objective-C calls the property's setter.
    /// - Parameter delegate: receives the results.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func setDelegate(_ delegate: (any PDAuthenticationDelegate)?) { self.delegate = delegate }

    private static var faceIDReason: String? {
        Bundle.main.object(forInfoDictionaryKey: "NSFaceIDUsageDescription") as? String
    }
}
