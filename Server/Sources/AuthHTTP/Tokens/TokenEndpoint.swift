import AuthFlows
import Hummingbird
import WalletAuthWire

/// `POST /oauth2/token` (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let outcome = try await server.tokens.token(
            TokenRequest(form: request.form(), authorization: request.authorization()), proof: proof,
            origin: request.origin)
        var response: Response
        switch outcome {
        case .issued(let tokens): response = .bytes(type: "application/json", tokens.bytes)
        case .refused(let refusal): response = .refusal(refusal)
        }
        // A client that sent a proof learns the nonce for its next one, and never meets `use_dpop_nonce` again.
        if proof.header != nil { response.offerNonce(server) }
        return response
    }
}

extension Response {
    /// Adds `DPoP-Nonce` (RFC 9449 §8.2), unless the refusal named one already.
    mutating func offerNonce(_ server: AuthorizationServer) {
        guard !headers.contains(.dpopNonce) else { return }
        let nonce = server.proofs.currentNonce()
        if !nonce.isEmpty { headers[.dpopNonce] = nonce }
    }
}
