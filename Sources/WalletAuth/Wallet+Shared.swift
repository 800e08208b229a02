import WalletAuthTransport

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
