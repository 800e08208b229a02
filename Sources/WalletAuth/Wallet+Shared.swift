extension Wallet {
    private static let shared = Protected<Wallet?>(nil)

    /// Makes the wallet that ``instance`` hands out, for apps that want one for all. Calling it again replaces it; the
    /// kept session is the store's and stays.
    /// - Parameter configuration: which server, which client, and who leads the sign-in.
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
