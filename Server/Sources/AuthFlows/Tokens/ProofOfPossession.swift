internal import AuthCore
internal import Crypto
internal import Logging
internal import Synchronization
internal import WalletAuthWire

/// DPoP's server half (RFC 9449): the nonces that bound how long a proof can be replayed, and the check of a proof.
package struct ProofOfPossession: Sendable {
    let context: ServerContext

    /// The nonce for the `DPoP-Nonce` header of every answer to a request that carried a proof. Stateless, good for a
    /// few minutes; the same for everybody.
    package func currentNonce() -> String {
        nonce(at: context.clock.now())
    }

    private func nonce(at now: Timestamp) -> String {
        guard let key = try? context.keyRing.active(.nonce) else { return "" }
        return context.nonces.nonce(at: now, key: key)
    }

    /// Checks a proof, with a nonce of ours in it.
    /// - Parameters:
    ///   - presented: what the request brought.
    ///   - accessToken: the token that the request shows, which the proof has to name.
    ///   - now: the present moment.
    /// - Returns: the proof; `nil` where the request brought none.
    func check(
        _ presented: PresentedProof, accessToken: AccessToken? = nil, now: Timestamp
    ) -> Result<CheckedProof?, OAuthRefusal> {
        guard let header = presented.header else { return .success(nil) }
        guard let target = target(of: presented.path) else {
            return .failure(.invalidDPoPProof("The request has no URL that a proof could name."))
        }
        let expected = DPoPProof.Expectation(
            method: presented.method, target: target, accessToken: accessToken, maximumAge: DPoPNonces.life)
        let proof: DPoPProof
        do {
            proof = try DPoPProof.verified(header, for: expected, now: NumericDate(clamping: now.seconds))
        } catch {
            context.logger.debug("refused a DPoP proof", metadata: ["reason": "\(error)"])
            return .failure(.invalidDPoPProof("The proof is malformed, too old, for another request, or badly signed."))
        }
        // Nearly every proof has the present nonce, which is known without a MAC.
        guard let text = proof.nonce?.rawValue,
            text == nonce(at: now) || DPoPNonces.isGood(text, at: now, keys: context.keyRing.keys(.nonce, at: now))
        else { return .failure(.useDPoPNonce(currentNonce())) }
        let digest = Array(SHA256.hash(data: Array("\(proof.thumbprint)\0\(proof.id)".utf8)))
        return .success(CheckedProof(thumbprint: proof.thumbprint, digest: digest))
    }
}

extension ProofOfPossession {
    /// What a proof for a path must name; read once for the paths that there are.
    private func target(of path: String) -> HTTPTarget? {
        context.targets[path] ?? (try? HTTPTarget(context.settings.issuer.url(path: path)))
    }

    /// What proofs for the endpoints must name, by path.
    static func targets(of issuer: Issuer) -> [String: HTTPTarget] {
        Endpoints.all.reduce(into: [:]) { targets, endpoint in
            targets[endpoint.path] = try? HTTPTarget(issuer.url(path: endpoint.path))
        }
    }
}

/// The present nonce, made once for its span instead of twice for every request with a proof.
final class PresentNonce: Sendable {
    private struct Made: Sendable {
        var span: Int64
        var key: KeyID
        var text: String
    }

    private let made = Mutex<Made?>(nil)

    func nonce(at now: Timestamp, key: DataKey) -> String {
        let span = DPoPNonces.spanNumber(now)
        return made.withLock { made in
            if let made, made.span == span, made.key == key.id { return made.text }
            let text = DPoPNonces.nonce(at: now, key: key)
            made = Made(span: span, key: key.id, text: text)
            return text
        }
    }
}

/// A proof that holds for its request. Whether it was used before is for whoever has nothing else that is single-use.
struct CheckedProof: Sendable, Hashable {
    /// The key's thumbprint.
    let thumbprint: JWKThumbprint
    /// Names the proof: its key and its `jti`. Never its signature, which has more than one good form.
    let digest: [UInt8]
}
