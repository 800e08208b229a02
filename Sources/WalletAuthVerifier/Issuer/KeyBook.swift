internal import WalletAuthWire

/// What is known of an issuer's keys, and when they have to be fetched: pure, the time is passed in.
struct KeyBook: Sendable {
    /// Keys that may be used.
    struct Keys: Sendable {
        /// The keys that signatures are verified by here: ES256 and EdDSA.
        let verifiers: [any JWSVerifier]
        /// Another number, other keys.
        let generation: Int
        /// Whether the server may have keys that are not here, since it could not be reached.
        var isUncertain = false
    }

    /// What has to happen before a token is verified.
    enum Need: Hashable {
        /// Nothing: the keys at hand decide.
        case nothing
        /// The keys at hand decide, and a fetch runs beside.
        case fetchBeside
        /// The fetch is waited for.
        case toWait
    }

    private struct Kept {
        var keys: Keys
        var set: JWKSet
        var fetchedAt: Duration
        var lifetime: Duration
    }

    private var kept: Kept?
    /// Whether a fetch is under way, which one may as well wait for.
    private var isFetching = false
    private var attemptedAt: Duration?
    private var failures = 0
    private var lastFailure = "the keys were not fetched yet"

    /// The keys, unless they are too old even for an outage.
    func usable(at now: Duration, _ settings: TrustedIssuer.Settings) -> Keys? {
        guard var keys = kept?.keys, !keys.verifiers.isEmpty, let kept,
            now - kept.fetchedAt < kept.lifetime + settings.outageTolerance
        else { return nil }
        keys.isUncertain = failures > 0
        return keys
    }

    /// What to say where there are none.
    var unavailable: IssuerUnavailable { IssuerUnavailable(reason: "no keys of the issuer: \(lastFailure)") }

    /// - Parameters:
    ///   - keyID: the key that a token names.
    ///   - now: the present moment.
    ///   - settings: how long things are good for.
    func need(of keyID: String?, now: Duration, settings: TrustedIssuer.Settings) -> Need {
        let mayAttempt = isFetching || pauseIsOver(now)
        guard let kept, let keys = usable(at: now, settings) else { return mayAttempt ? .toWait : .nothing }
        if let keyID, !keys.verifiers.contains(where: { $0.keyID == keyID }) {
            // While the server counts as out of reach only whoever begins a fetch waits for it: anybody can invent keys, and
            // would have one request after another hang on it.
            if isFetching { return failures > 0 ? .nothing : .toWait }
            let isDue = failures > 0 || attemptedAt.map { now - $0 >= settings.unknownKeyInterval } ?? true
            return isDue && mayAttempt ? .toWait : .nothing
        }
        let age = now - kept.fetchedAt
        guard age * 5 >= kept.lifetime * 4, mayAttempt else { return .nothing }
        // Past their time the keys are fetched before they are used, once more. After that the server counts as out of
        // reach, and nobody waits for it.
        return age >= kept.lifetime && failures == 0 ? .toWait : .fetchBeside
    }

    /// After a failure the next attempt waits: a second, two, four, up to thirty.
    private func pauseIsOver(_ now: Duration) -> Bool {
        guard failures > 0, let attemptedAt else { return true }
        return now - attemptedAt >= min(.seconds(30), .seconds(1) * (1 << min(failures - 1, 5)))
    }

    /// A fetch begins; none is under way.
    mutating func begin(at now: Duration) {
        isFetching = true
        attemptedAt = now
    }

    /// It ended.
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
            // It is the issuer's word, and no outage: what it has withdrawn verifies nothing from now on. It is asked again as one
            // in trouble is.
            failures += 1
            lastFailure = "it publishes none by ES256 or EdDSA"
        }
    }
}
