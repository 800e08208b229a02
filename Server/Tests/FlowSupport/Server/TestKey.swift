import Core
import Crypto
package import WalletAuthWire

@testable package import Kernel
@testable import Operations

/// A DPoP key of an app.
package struct TestKey: Sendable {
    package let signer = P256Signer(P256.Signing.PrivateKey())

    package init() {}

    /// The public half.
    package var publicKey: JWK {
        guard let key = signer.publicJWK else { preconditionFailure("a signer of P-256 shows its key") }
        return key
    }

    /// The key's thumbprint.
    package var thumbprint: JWKThumbprint { publicKey.thumbprint }

    /// A good proof for a POST with the server's present nonce.
    package func present(
        to server: TestServer, at path: String = Endpoints.token.path, id: String? = nil
    ) throws -> PresentedProof {
        let header = try proof(
            method: "POST", url: server.context.settings.issuer.url(path: path), server: server,
            nonce: server.context.proofs.currentNonce(), id: id)
        return PresentedProof(header: header, method: "POST", path: path)
    }

    /// A proof that says what a test wants it to say.
    package func proof(
        method: String, url: String, server: TestServer, nonce: String?, id: String? = nil,
        accessToken: AccessToken? = nil, clockAhead: Duration = .zero
    ) throws -> String {
        let content = DPoPProofContent(
            id: id ?? Base64URL.encode(server.context.random.bytes(16)), method: method, target: try HTTPTarget(url),
            issuedAt: NumericDate(clamping: server.clock.now().seconds).advanced(by: clockAhead),
            nonce: try nonce.map { try Nonce($0) }, accessToken: accessToken)
        return try content.signed(by: signer)
    }
}

extension PresentedProof {
    /// A request to the token endpoint without a proof.
    package static let none = PresentedProof(header: nil, method: "POST", path: Endpoints.token.path)
}
