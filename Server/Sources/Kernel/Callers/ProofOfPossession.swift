package import Core
internal import Crypto
internal import Logging
internal import Store
internal import Synchronization
package import WalletAuthWire

/// The server side of DPoP (RFC 9449): nonces, which limit how long a proof can be replayed, and the verification of proofs.
///
/// A class, because every flow that asks for a proof has it: one reference to count.
package final class ProofOfPossession: Sendable {
    private let issuer: Issuer
    /// The base of the administration's URLs.
    private let administration: Issuer
    /// The URLs that proofs for the endpoints must name, by path.
    private let targets: [String: HTTPTarget]
    private let keyRing: KeyRing
    private let used: ReplayMemory
    private let present = PresentNonce()
    private let clock: any Clock
    private let logger: Logger

    init(
        issuer: Issuer, administration: Issuer, keyRing: KeyRing, used: ReplayMemory, clock: any Clock, logger: Logger
    ) {
        self.issuer = issuer
        self.administration = administration
        targets = issuer.proofTargets
        self.keyRing = keyRing
        self.used = used
        self.clock = clock
        self.logger = logger
    }

    /// The nonce for the `DPoP-Nonce` header of every response to a request with a proof. It is stateless, valid for a few minutes, and
    /// the same for all clients.
    package func currentNonce() -> String {
        nonce(at: clock.now())
    }

    /// Whether a nonce is one of this server's and still valid. Nearly every one is the current nonce, which needs no
    /// MAC to recognize.
    package func isGood(_ nonce: String, at now: Timestamp) -> Bool {
        nonce == self.nonce(at: now) || DPoPNonces.isGood(nonce, at: now, keys: keyRing.keys(.nonce, at: now))
    }

    private func nonce(at now: Timestamp) -> String {
        guard let key = try? keyRing.active(.nonce) else { return "" }
        return present.nonce(at: now, key: key)
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
            let difference = DPoPProof.difference(in: header, refusedFor: error, expected: expected)
            logger.debug("refused a DPoP proof", metadata: ["reason": "\(difference ?? "\(error)")"])
            return .failure(.invalidDPoPProof(DPoPProof.sentence(about: error)))
        }
        guard let text = proof.nonce?.rawValue, isGood(text, at: now) else {
            return .failure(.useDPoPNonce(currentNonce()))
        }
        if let fault = proof.clockFault(at: NumericDate(clamping: now.seconds)) {
            return .failure(.invalidDPoPProof(fault))
        }
        let digest = Array(SHA256.hash(data: Array("\(proof.thumbprint)\0\(proof.id)".utf8)))
        return .success(CheckedProof(thumbprint: proof.thumbprint, issuedAt: proof.issuedAt, digest: digest))
    }

    /// Uses up a proof if nothing else in its request is single-use: it is good for one request.
    /// - Returns: the refusal of a proof that was used before.
    package func use(_ proof: CheckedProof, now: Timestamp) async throws -> OAuthRefusal? {
        try await used.remember(proof.digest, life: DPoPNonces.life, now: now)
            ? nil : .invalidDPoPProof("The proof has already been used.")
    }

    /// The target that a proof for a path must name; parsed once per known path.
    package func target(of path: String) -> HTTPTarget? {
        if let target = targets[path] { return target }
        let base = path.hasPrefix(ServerSettings.adminPath + "/") ? administration : issuer
        return try? HTTPTarget(base.url(path: path))
    }
}

/// A proof that is valid for its request. It may have been used before (``ProofOfPossession/use(_:now:)``).
package struct CheckedProof: Sendable, Hashable {
    package let thumbprint: JWKThumbprint
    /// By its sender's clock, which may be minutes off.
    let issuedAt: NumericDate
    /// Identifies the proof by its key and `jti`. Not by its signature, which has more than one valid form.
    package let digest: [UInt8]
}

/// The unverified proof of possession in a request (RFC 9449 §4).
package struct PresentedProof: Sendable, Hashable {
    /// The `DPoP` header; `nil` if there was none. The edge refuses more than one.
    package var header: String?
    /// The request's method, which `htm` must match.
    package var method: String
    /// The request's path without query, percent-encoded as received. With the issuer before it, or the base of the administration,
    /// `htu` must match it.
    package var path: String

    package init(header: String?, method: String, path: String) {
        self.header = header
        self.method = method
        self.path = path
    }
}

extension Issuer {
    /// The targets that DPoP proofs for the endpoints must name, by path.
    var proofTargets: [String: HTTPTarget] {
        Endpoints.all.reduce(into: [:]) { targets, endpoint in
            targets[endpoint.path] = try? HTTPTarget(url(path: endpoint.path))
        }
    }
}

/// Nonces for DPoP proofs (RFC 9449 §8). A nonce is a MAC over a period of time, so that nothing is stored and all
/// processes agree.
package enum DPoPNonces {
    /// The period in which a nonce is issued.
    package static let span = Duration.minutes(2)

    /// The longest time for which a process accepts a nonce: its span, one more, and one before, since another process whose clock
    /// is ahead may have issued it.
    package static let life = Duration.minutes(6)

    package static func nonce(at now: Timestamp, key: DataKey) -> String {
        nonce(ofSpan: spanNumber(now), key: key)
    }

    /// Whether a nonce was issued in this span or the one before. The next span is accepted as well, because another
    /// process's clock may be slightly ahead.
    /// - Parameter keys: the server's keys, including retired ones.
    package static func isGood(_ nonce: String, at now: Timestamp, keys: [DataKey]) -> Bool {
        let current = spanNumber(now)
        return keys.contains { key in
            // The likeliest first, since each costs a MAC.
            [0, -1, 1].contains { ConstantTime.equal(Self.nonce(ofSpan: current + $0, key: key), nonce) }
        }
    }

    /// The number of the span that contains a moment.
    package static func spanNumber(_ now: Timestamp) -> Int64 {
        now.milliseconds / span.wholeMilliseconds
    }

    private static func nonce(ofSpan number: Int64, key: DataKey) -> String {
        var writer = ByteWriter()
        writer.label("dpop-nonce")
        writer.integer(number)
        let mac = Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: key.key))
        return Base64URL.encode(mac.prefix(16))
    }
}

/// Caches the current nonce, which would otherwise be computed twice for every request with a proof.
package final class PresentNonce: Sendable {
    private struct Made: Sendable {
        var span: Int64
        var key: KeyID
        var text: String
    }

    private let made = Mutex<Made?>(nil)

    package func nonce(at now: Timestamp, key: DataKey) -> String {
        let span = DPoPNonces.spanNumber(now)
        return made.withLock { made in
            if let made, made.span == span, made.key == key.id { return made.text }
            let text = DPoPNonces.nonce(at: now, key: key)
            made = Made(span: span, key: key.id, text: text)
            return text
        }
    }
}

/// Remembers used proofs, for requests that are not single-use otherwise: native sign-in, client credentials, and calls with an
/// access token. A change of a factor also records its proof, in its own write.
///
/// If several processes share the database, used proofs are also in a table of theirs, because a proof used at one of them must
/// not work at another. Otherwise memory is enough, and a request costs no write.
///
/// Two generations, each remembered for at least one lifetime of a nonce and dropped as a whole. The size is bounded. If more proofs
/// arrive within a lifetime, the older generation is dropped early, and only the nonce limits a replay.
final class ReplayMemory: Sendable {
    private struct State {
        var current: Set<[UInt8]> = []
        var previous: Set<[UInt8]> = []
        var turnedAt: Timestamp?
    }

    private let state = Mutex(State())
    /// `nil` if this process is the only one.
    private let shared: (any Database)?
    private static let capacity = 65_536
    private static let label = "dpop-proof"

    /// - Parameter shared: the database, if several processes use it.
    init(shared: (any Database)?) {
        self.shared = shared
    }

    /// Records a proof.
    /// - Parameters:
    ///   - digest: of the key and the proof's `jti`.
    ///   - life: how long such a proof can be presented.
    /// - Returns: whether it was new.
    func remember(_ digest: [UInt8], life: Duration, now: Timestamp) async throws -> Bool {
        guard rememberHere(digest, life: life, now: now) else { return false }
        guard let shared else { return true }
        // A change of a factor records the same proof in that table, under its own name.
        let name = Digests.of(Self.label, digest)
        return try await shared.write(isolation: .guardedStatement) {
            try SeenJTIs.remember(name, until: now + life, on: $0)
        }
    }

    private func rememberHere(_ digest: [UInt8], life: Duration, now: Timestamp) -> Bool {
        state.withLock { state in
            if state.turnedAt.map({ now.isApart(from: $0, by: life) }) ?? true || state.current.count >= Self.capacity {
                state.previous = state.current
                state.current = []
                state.turnedAt = now
            }
            guard !state.previous.contains(digest) else { return false }
            return state.current.insert(digest).inserted
        }
    }
}
