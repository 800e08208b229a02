import HTTPTypes
import Hummingbird
import Kernel
import Operations

extension Response {
    /// Adds `DPoP-Nonce` (RFC 9449 §8.2), unless the refusal already set one.
    mutating func offerNonce(_ server: AuthorizationServer) {
        guard !headers.contains(.dpopNonce) else { return }
        let nonce = server.proofs.currentNonce()
        if !nonce.isEmpty { headers[.dpopNonce] = nonce }
    }

    /// Adds the nonce only if the client sent a proof. Such a client then has the nonce for its next proof and never
    /// runs into `use_dpop_nonce` again.
    mutating func offerNonce(_ server: AuthorizationServer, answering proof: PresentedProof) {
        if proof.header != nil { offerNonce(server) }
    }
}
