import WalletAuthWire

/// The person works for several merchants that have the app, and the app named none. ``choose(_:)`` continues for one.
///
/// Everything else has been proved by then. The choice applies to this session only; renewals keep the merchant.
public struct MerchantChoice: Sendable {
    /// A merchant that the person works for and that has the app.
    public struct Merchant: Sendable, Hashable, Identifiable {
        /// The merchant's id, as in ``Wallet/Configuration/merchantID`` and ``Wallet/SignedInIdentity/merchantID``.
        public let id: String
        /// The display name.
        public let name: String
    }

    /// The merchants, sorted by name; at most 100.
    public let merchants: [Merchant]
    let continuation: LoginContinuation

    /// Returns nil if the server named no merchant.
    init?(_ merchants: [WalletAuthWire.Merchant], continuation: LoginContinuation) {
        guard !merchants.isEmpty else { return nil }
        self.merchants = merchants.map { Merchant(id: $0.id.rawValue, name: $0.name) }
        self.continuation = continuation
    }

    /// Continues the sign-in for a merchant.
    /// - Parameter merchant: one of ``merchants``.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``: `not_an_employee` or `app_not_installed` if that has changed meanwhile.
    public func choose(_ merchant: Merchant) async throws -> LoginOutcome {
        try await continuation.resume(choosing: merchant.id)
    }
}
