import Core
import Crypto
import Testing
package import WalletAuthWire

@testable import Kernel
@testable package import Operations

/// A confidential client with a key of its own, and what it signs.
package struct KeyClient: Sendable {
    package let client: TestClient
    private let signer: P256Signer

    package init(
        _ server: TestServer, signer: P256Signer? = nil, _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws {
        let signer = signer ?? P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        let key = try #require(signer.publicJWK)
        client = try await server.confidentialClient("key-client") {
            $0.authenticationMethod = "private_key_jwt"
            $0.keySet = JSONValue.object(JWKSet([key]).json).text
            adjust(&$0)
        }
        self.signer = signer
    }

    /// One whose client is registered already.
    package init(_ client: TestClient, signer: P256Signer) {
        self.client = client
        self.signer = signer
    }

    /// A good assertion that was not used before.
    package func authentication() throws -> ClientAuthentication {
        try assertion(id: Base64URL.encode(client.server.context.random.bytes(16)))
    }

    /// An assertion that says what a test wants it to say.
    package func assertion(
        issuer: String? = nil, subject: String? = nil, audience: String = "https://auth.example.com",
        id: String? = "a-unique-id-of-an-assertion", issuedAgo age: Int64? = 0, lifetime: Int64 = 60,
        signer: (any JWSSigner)? = nil, type: JWSType = .jwt, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> ClientAuthentication {
        let now = client.server.clock.now().seconds
        var claims = JSONObject()
        claims.set("iss", issuer ?? client.id.rawValue)
        claims.set("sub", subject ?? client.id.rawValue)
        claims.set("aud", audience)
        claims.set("jti", id)
        claims.set("iat", age.map { now - $0 })
        claims.set("exp", now + lifetime)
        change(&claims)
        let signer: any JWSSigner = signer ?? self.signer
        let encoder = try CompactJWSEncoder(signer: signer, type: type)
        return .privateKeyJWT(client.id, try ClientAssertion(encoder.encode(claims.bytes, signer: signer)))
    }
}
