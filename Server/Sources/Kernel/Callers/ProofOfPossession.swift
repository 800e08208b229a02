package import Core
internal import Crypto
internal import Logging
package import WalletAuthWire

/// The server side of DPoP (RFC 9449): nonces, which limit how long a proof can be replayed, and the verification of proofs.
package struct ProofOfPossession: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The nonce for the `DPoP-Nonce` header of every response to a request with a proof. It is stateless, valid for a few minutes, and
    /// the same for all clients.
    package func currentNonce() -> String {
        nonce(at: context.clock.now())
    }

    /// Whether a nonce is one of this server's and still valid. Nearly every one is the current nonce, which needs no
    /// MAC to recognize.
    package func isGood(_ nonce: String, at now: Timestamp) -> Bool {
        nonce == self.nonce(at: now) || DPoPNonces.isGood(nonce, at: now, keys: context.keyRing.keys(.nonce, at: now))
    }

    private func nonce(at now: Timestamp) -> String {
        guard let key = try? context.keyRing.active(.nonce) else { return "" }
        return context.nonces.nonce(at: now, key: key)
    }

    /// Verifies a proof with one of this server's nonces. The nonce tells when it was made, so the sender's clock may be off by minutes.
    /// It is asked for first: a clock that is further off is corrected by many clients from the response that brings it.
    /// - Parameter accessToken: the token in the request, to which the proof must be bound.
    /// - Returns: `nil` if the request has no proof.
    package func check(
        _ presented: PresentedProof, accessToken: AccessToken? = nil, now: Timestamp
    ) -> Result<CheckedProof?, OAuthRefusal> {
        guard let header = presented.header else { return .success(nil) }
        guard let target = target(of: presented.path) else {
            return .failure(.invalidDPoPProof("The request path is not known, so no proof can match it."))
        }
        let expected = DPoPProof.Expectation(method: presented.method, target: target, accessToken: accessToken)
        let proof: DPoPProof
        do {
            proof = try DPoPProof.verified(header, for: expected, now: nil)
        } catch {
            context.logger.debug("refused a DPoP proof", metadata: ["reason": "\(error)"])
            return .failure(.invalidDPoPProof("The proof is malformed, for another request, or badly signed."))
        }
        guard let text = proof.nonce?.rawValue, isGood(text, at: now) else {
            return .failure(.useDPoPNonce(currentNonce()))
        }
        if let fault = proof.clockFault(at: NumericDate(clamping: now.seconds)) {
            return .failure(.invalidDPoPProof(fault))
        }
        let digest = Array(SHA256.hash(data: Array("\(proof.thumbprint)\0\(proof.id)".utf8)))
        return .success(CheckedProof(thumbprint: proof.thumbprint, digest: digest))
    }
}

extension ProofOfPossession {
    /// The target that a proof for a path must name; parsed once per known path.
    package func target(of path: String) -> HTTPTarget? {
        context.targets[path] ?? (try? HTTPTarget(context.settings.issuer.url(path: path)))
    }
}

/// A proof that is valid for its request. The caller checks for replay if nothing else in the request is single-use.
package struct CheckedProof: Sendable, Hashable {
    package let thumbprint: JWKThumbprint
    /// Identifies the proof by its key and `jti`. Not by its signature, which has more than one valid form.
    package let digest: [UInt8]
}
