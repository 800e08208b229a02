internal import WalletAuthWire

extension PageFlow {
    /// Continues with a merchant. The gate checks that the person works for it.
    func choose(_ merchant: MerchantID, _ state: PageState) async throws -> AuthorizationAnswer {
        var next = self
        next.merchant = merchant
        if let pending = state.pending { return try await next.fulfill(.merchant, pending) }
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        return try await next.goOn(with: session)
    }
}
