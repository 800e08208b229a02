import AuthFlows
import Hummingbird

extension Response {
    /// Adds `DPoP-Nonce` (RFC 9449 §8.2), unless the refusal named one already.
    mutating func offerNonce(_ server: AuthorizationServer) {
        guard !headers.contains(.dpopNonce) else { return }
        let nonce = server.proofs.currentNonce()
        if !nonce.isEmpty { headers[.dpopNonce] = nonce }
    }

    /// Adds it where a proof came: a client that sends them learns the nonce for its next one, and never meets
    /// `use_dpop_nonce` again.
    mutating func offerNonce(_ server: AuthorizationServer, answering proof: PresentedProof) {
        if proof.header != nil { offerNonce(server) }
    }
}
