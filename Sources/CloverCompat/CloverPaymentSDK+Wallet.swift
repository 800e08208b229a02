public import Foundation
public import WalletAuth
internal import WalletAuthTransport

// What is new here: the one line of configuration, and the wallet behind the other SDK's names.

extension CloverPaymentSDK {
    /// Says where the app's authorization server is, and adjusts the wallet where the other SDK has no name for it. Call it once,
    /// before the first ``setup(configuration:)``; it takes effect with the next one. For example,
    /// `configure(issuer: issuer) { $0.merchantID = "m-1024" }`.
    /// - Parameters:
    ///   - issuer: the server's issuer identifier, in place of that in `Info.plist`.
    ///   - adjust: changes the configuration that every setup makes. If it sets ports, each call of this method leads to another
    ///     wallet, because ports cannot be compared.
    public func configure(
        issuer: URL? = nil,
        adjusting adjust: @escaping @Sendable (inout WalletAuth.Wallet.Configuration) -> Void = { _ in }
    ) {
        state.withLock { state in
            state.settings = WalletSettings(issuer: issuer, adjust: adjust, revision: state.settings.revision + 1)
        }
    }

    /// The wallet of the last setup, for what the other SDK does itself: `try await CloverPaymentSDK.shared.wallet.perform(request)`
    /// is a call with the token.
    /// - Throws: ``CloverGenericError`` before the first setup.
    public var wallet: WalletAuth.Wallet {
        get throws { try connection().wallet }
    }

    /// The merchant that the session acts for; nil if no one is signed in, or for none.
    public var merchantID: String? { try? connection().wallet.identity?.merchantID }

    /// The server's identifier for the person who is signed in; nil if no one is, or if the server named none.
    public var employeeID: String? { try? connection().wallet.identity?.subject }
}
