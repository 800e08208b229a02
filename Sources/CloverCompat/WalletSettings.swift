internal import Foundation
internal import WalletAuth

/// What ``CloverPaymentSDK/configure(issuer:adjusting:)`` set.
struct WalletSettings: Sendable {
    var issuer: URL?
    var adjust: @Sendable (inout WalletAuth.Wallet.Configuration) -> Void = { _ in }
    /// Counts the calls.
    var revision = 0

    /// The wallet's configuration for one of the app's.
    /// - Throws: ``CloverGenericError``.
    func configuration(
        for app: CloverPaymentSDK.Configuration, infoValue: (String) -> String?
    ) throws -> WalletConfiguration {
        var configuration = WalletAuth.Wallet.Configuration(
            environment: try app.environment.walletEnvironment(issuer: issuer, infoValue: infoValue),
            clientID: app.appID, signIn: try app.oauthFlowType.walletSignIn)
        adjust(&configuration)
        return WalletConfiguration(
            values: configuration, portsOfRevision: configuration.ports == nil ? nil : revision)
    }
}

/// A wallet's configuration, which can be compared with that of a former setup.
struct WalletConfiguration: Sendable {
    let values: WalletAuth.Wallet.Configuration
    /// Ports cannot be compared: they count as equal if one call set them.
    let portsOfRevision: Int?

    var isExternal: Bool {
        if case .external = values.signIn { true } else { false }
    }

    /// Whether both lead to the same wallet.
    func isEqual(to other: WalletConfiguration) -> Bool {
        portsOfRevision == other.portsOfRevision && values.isEqual(exceptPorts: other.values)
    }
}
