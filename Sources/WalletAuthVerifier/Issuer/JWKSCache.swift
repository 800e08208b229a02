internal import WalletAuthWire

/// An issuer's cached keys, and the rules for fetching them. The type is pure: callers pass the time in.
struct JWKSCache: Sendable {
    /// A usable key set.
    struct Keys: Sendable {
        /// The verifiers of the ES256 and EdDSA keys.
        let verifiers: [any JWSVerifier]
        /// Changes whenever the keys change.
        let generation: Int
        /// Whether the server may have newer keys, because it could not be reached.
        var isUncertain = false
    }

    /// The step before a token can be verified.
    enum Need: Hashable {
        /// None: the cached keys decide.
        case nothing
        /// The cached keys decide, and a fetch runs in the background.
        case fetchInBackground
        /// Wait for the fetch.
        case wait
    }

    private struct Kept {
        var keys: Keys
        var set: JWKSet
        var fetchedAt: Duration
        var lifetime: Duration
    }

    private var kept: Kept?
    /// Whether a fetch is running that callers can share.
    private var isFetching = false
    private var attemptedAt: Duration?
    private var failures = 0
    private var lastFailure = "the keys have not been fetched yet"

    /// The keys, unless they are too old even for an outage.
    func usable(at now: Duration, _ settings: TrustedIssuer.Settings) -> Keys? {
        guard var keys = kept?.keys, !keys.verifiers.isEmpty, let kept,
            now - kept.fetchedAt < kept.lifetime + settings.outageTolerance
        else { return nil }
        keys.isUncertain = failures > 0
        return keys
    }

    /// The error if there are no keys.
    var unavailable: IssuerUnavailable { IssuerUnavailable(reason: "no keys of the issuer: \(lastFailure)") }

    /// Decides whether to fetch before verifying a token.
    ///
    /// - Parameters:
    ///   - keyID: the key that a token names.
    ///   - now: the current time.
    ///   - settings: lifetimes and intervals.
    func need(of keyID: String?, now: Duration, settings: TrustedIssuer.Settings) -> Need {
        let mayAttempt = isFetching || pauseIsOver(now)
        guard let kept, let keys = usable(at: now, settings) else { return mayAttempt ? .wait : .nothing }
        if let keyID, !keys.verifiers.contains(where: { $0.keyID == keyID }) {
            // While the server is considered unreachable, only the request that starts a fetch waits for it. Otherwise
            // made-up key ids would hold up one request after another.
            if isFetching { return failures > 0 ? .nothing : .wait }
            let isDue = failures > 0 || attemptedAt.map { now - $0 >= settings.unknownKeyInterval } ?? true
            return isDue && mayAttempt ? .wait : .nothing
        }
        let age = now - kept.fetchedAt
        guard age * 5 >= kept.lifetime * 4, mayAttempt else { return .nothing }
        // Expired keys are fetched once before they are used. If that fails, the server is considered unreachable and
        // requests no longer wait for it.
        return age >= kept.lifetime && failures == 0 ? .wait : .fetchInBackground
    }

    /// Pauses after failures: one second, then two, then four, up to thirty.
    private func pauseIsOver(_ now: Duration) -> Bool {
        guard failures > 0, let attemptedAt else { return true }
        return now - attemptedAt >= min(.seconds(30), .seconds(1) * (1 << min(failures - 1, 5)))
    }

    /// Starts a fetch. None may be running.
    mutating func begin(at now: Duration) {
        isFetching = true
        attemptedAt = now
    }

    /// Ends the fetch.
    mutating func end(_ outcome: Result<IssuerDocuments.KeyDocument, IssuerUnavailable>, at now: Duration) {
        isFetching = false
        switch outcome {
        case .failure(let failure):
            failures += 1
            lastFailure = failure.reason
        case .success(let document):
            let isSame = kept?.set == document.set
            let generation = (kept?.keys.generation ?? 0) + (isSame ? 0 : 1)
            kept = Kept(
                keys: Keys(verifiers: document.verifiers, generation: generation), set: document.set, fetchedAt: now,
                lifetime: document.lifetime)
            guard document.verifiers.isEmpty else {
                failures = 0
                return
            }
            // The issuer's answer is authoritative and not an outage: keys that it has withdrawn verify nothing from
            // now on. The next fetches are paced as after a failure.
            failures += 1
            lastFailure = "it publishes none for ES256 or EdDSA"
        }
    }
}
