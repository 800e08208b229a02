internal import AuthCore
internal import WalletAuthWire

/// The server's client secret at Apple: a JWT that it signs for one request and never stores.
struct AppleClientSecret {
    /// Apple accepts six months. A secret that leaks from a log or a proxy should be useful for minutes only.
    static let lifetime = Duration.minutes(5)

    let settings: AppleSettings
    let key: ApplePrivateKey

    /// - Parameter clientID: the bundle ID or Services ID that the request is for.
    /// - Throws: the library's error.
    func text(for clientID: String, now: Timestamp) throws -> String {
        let issuedAt = NumericDate(clamping: now.seconds)
        var claims = JSONObject()
        claims.set("iss", settings.teamID)
        claims.set("iat", issuedAt)
        claims.set("exp", issuedAt.advanced(by: Self.lifetime))
        claims.set("aud", settings.base)
        claims.set("sub", clientID)
        let signer = key.signer(keyID: settings.keyID)
        return try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer)
    }
}
