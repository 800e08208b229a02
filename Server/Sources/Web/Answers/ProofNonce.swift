internal import HTTPTypes
package import Kernel

extension EndpointResponse {
    /// Adds `DPoP-Nonce` (RFC 9449 §8.2), unless the refusal already set one.
    package mutating func offerNonce(_ proofs: ProofOfPossession) {
        guard !headers.contains(.dpopNonce) else { return }
        let nonce = proofs.currentNonce()
        if !nonce.isEmpty { headers[.dpopNonce] = nonce }
    }

    /// Adds the nonce only if the client sent a proof. Such a client then has the nonce for its next proof and never
    /// runs into `use_dpop_nonce` again.
    package mutating func offerNonce(_ proofs: ProofOfPossession, answering proof: PresentedProof) {
        if proof.header != nil { offerNonce(proofs) }
    }
}
