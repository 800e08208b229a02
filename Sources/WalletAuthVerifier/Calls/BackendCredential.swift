internal import WalletAuthTransport
public import WalletAuthWire

/// The credential that authenticates a backend to the authorization server.
public enum BackendCredential: Sendable {
    /// `client_secret_basic` (RFC 6749 §2.3.1).
    case secret(ClientID, ClientSecret)
    /// `private_key_jwt` (RFC 7523): there is no shared secret. The signer sets `kid` if the client has several
    /// registered keys.
    case privateKey(ClientID, any AsyncJWSSigner)

    /// The client.
    public var clientID: ClientID {
        switch self {
        case .secret(let id, _), .privateKey(let id, _): id
        }
    }

    /// The credentials of one request. Every request has its own assertion, since the server accepts each one once.
    func authentication(at issuer: Issuer, now: NumericDate) async throws -> ClientAuthentication {
        switch self {
        case .secret(let id, let secret): return .basic(id, secret)
        case .privateKey(let id, let signer):
            var claims = JSONObject()
            claims.set("iss", id)
            claims.set("sub", id)
            // The issuer and nothing else (FAPI 2.0 Security Profile section 5.3.2.1): a malicious endpoint could
            // replay an assertion made for an endpoint's URL.
            claims.set("aud", issuer)
            claims.set("jti", Randomness.token())
            claims.set("iat", now)
            claims.set("exp", now.advanced(by: .seconds(60)))
            let encoder = try CompactJWSEncoder(signer: signer, type: .clientAuthentication)
            return .privateKeyJWT(id, try ClientAssertion(try await encoder.encode(claims.bytes, signer: signer)))
        }
    }
}
