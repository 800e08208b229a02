import WalletAuthWire

extension Wallet {
    /// Continues the session that the app had at another system, by the refresh token that the other system's SDK stored: the person does
    /// not sign in again.
    ///
    /// Call it once when the app starts, before ``signIn()``. The server has to allow it for this client (`provider add introspection`). It
    /// asks the other system about the token, opens a session bound to this device's key, and tells the person by e-mail. Delete the token
    /// when this returns. After `temporarily_unavailable` or `offline`, keep it and call again: a repetition leads to the same session.
    /// Any other error means that the person signs in as usual.
    /// - Parameter refreshToken: the other system's refresh token.
    /// - Returns: the person who is signed in; if someone is signed in already, that person, and nothing is sent.
    /// - Throws: ``WalletError``, among them `bad_request` if this cannot be a token.
    @discardableResult
    public func adopt(refreshToken: String) async throws -> SignedInIdentity? {
        defer { revoker.sendInBackground() }
        return try await log.during(.setUp) {
            try await keeper.load()
            guard !isLoggedIn else { return identity }
            let token = try WalletError.argument(.setUp) { try RefreshToken(refreshToken) }
            try await redemption.adopt(
                token, scopes: configuration.scopes, key: try await keyForSignIn(), during: .setUp)
            return identity
        }
    }
}
