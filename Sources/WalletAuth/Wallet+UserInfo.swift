public import WalletAuthWire

extension Wallet {
    /// Asks the server for the signed-in person's claims, such as the name and the e-mail address (OpenID Connect Core
    /// §5.3).
    ///
    /// Which claims it returns depends on the scopes of the session: `openid` is required, and `profile`, `email`, `phone`
    /// and `address` add more. The token goes where ``perform(_:)`` would send it: if the server's userinfo endpoint has
    /// another origin than the issuer, a bearer token goes there only if ``Configuration/resources`` lists that origin.
    /// The request is repeated as by ``perform(_:)``.
    /// - Returns: the claims, of the session's person only. Nothing is stored.
    /// - Throws: ``WalletError``: `unsupported_by_server` if the server has no userinfo endpoint, or signs or encrypts the
    ///   claims; `insufficient_scope`, `request_refused`; `malformed_answer` if the claims cannot be used, or are another
    ///   person's; `signed_out`, `offline` …
    public func userInfo() async throws -> UserInfo {
        try await core.during(.userInfo) { try await core.userInfoCall.run() }
    }

    /// A person's claims.
    public typealias UserInfo = WalletAuthWire.UserInfo
}
