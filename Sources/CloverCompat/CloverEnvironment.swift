internal import Foundation
internal import WalletAuth

/// The two environments.
public enum CloverEnvironment {
    /// The server to use. Its issuer identifier is in the app's `Info.plist`, unless
    /// ``CloverPaymentSDK/configure(issuer:adjusting:)`` gives one.
    public enum EnvironmentType: Sendable, Hashable, CaseIterable {
        /// For development; `Info.plist` names it as `WalletAuthSandboxIssuer`. It may be an http URL of a loopback address.
        case sandbox
        /// For production; `Info.plist` names it as `WalletAuthIssuer`.
        case production
    }
}

extension CloverEnvironment.EnvironmentType {
    /// The wallet's environment.
    /// - Parameters:
    ///   - issuer: the issuer from the code; nil to look it up.
    ///   - infoValue: looks up a key of `Info.plist`.
    /// - Throws: ``CloverGenericError`` if there is no issuer.
    func walletEnvironment(
        issuer: URL?, infoValue: (String) -> String?
    ) throws -> WalletAuth.Wallet.Environment {
        let infoKey = self == .sandbox ? "WalletAuthSandboxIssuer" : "WalletAuthIssuer"
        guard let issuer = issuer ?? infoValue(infoKey).flatMap({ URL(string: $0) }) else {
            throw CloverGenericError(
                "No authorization server: set \(infoKey) in Info.plist, or call CloverPaymentSDK.shared.configure(issuer:)."
            )
        }
        return self == .sandbox ? .sandbox(issuer: issuer) : .production(issuer: issuer)
    }
}
