import WalletAuthWire

/// The person works for several merchants that have the app, and the app named none: ``choose(_:)`` goes on for one of them.
///
/// Everything else is proved by then. The choice counts for this session alone, which renews for the same merchant.
public struct MerchantChoice: Sendable {
    /// A merchant that the person works for and that has the app.
    public struct Merchant: Sendable, Hashable, Identifiable {
        /// Its id, as ``Wallet/Configuration/merchantID`` and ``Wallet/SignedInIdentity/merchantID`` have it.
        public let id: String
        /// Its name for people.
        public let name: String
    }

    /// The merchants, by name; at most 100.
    public let merchants: [Merchant]
    let continuation: LoginContinuation

    /// - Returns: nil where the server named no merchant.
    init?(_ merchants: [WalletAuthWire.Merchant], continuation: LoginContinuation) {
        guard !merchants.isEmpty else { return nil }
        self.merchants = merchants.map { Merchant(id: $0.id.rawValue, name: $0.name) }
        self.continuation = continuation
    }

    /// Goes on with the sign-in for a merchant.
    /// - Parameter merchant: one of ``merchants``.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``: `not_an_employee` and `app_not_installed` where that has ended meanwhile.
    public func choose(_ merchant: Merchant) async throws -> LoginOutcome {
        try await continuation.resume(choosing: merchant.id)
    }
}
