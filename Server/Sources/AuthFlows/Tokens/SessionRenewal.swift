internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What one refresh does in the store: find the session, check the token against it, decide, and rotate, all in one body.
///
/// One body is one hand-over to the store's writing thread and one wait for its commit. A read first and a write after it
/// cost two hand-overs each, and a third of the request's processor time. Nothing is lost by it: a body that writes
/// nothing costs no wait for the disk, and whatever is refused before the decision returns without having written.
///
/// The body may run more than once and has no clock, randomness or key store: everything that it needs is here.
struct SessionRenewal: Sendable {
    let presented: PresentedRefreshToken
    /// The data key that the token names.
    let key: DataKey
    let client: RegisteredClient
    /// The thumbprint of the key that the request proved to hold.
    let thumbprint: JWKThumbprint?
    let scope: Scope?
    let resources: [String]
    /// SHA-256 of the request's `attempt`.
    let attemptHash: [UInt8]?
    let issuer: Issuer
    /// After how long without activity what a sign-in proved counts for no payment any more.
    let idleLimit: Duration
    let now: Timestamp

    /// What came of it. Every refusal is an answer, so that what goes with it (a session that ends) commits.
    enum Outcome: Sendable {
        /// Answer tokens of this generation.
        case renewed(NewSession, generation: UInt32, scope: Scope, audience: [String])
        /// A spent token came again with everything that only its owner should have; the session is still as it was.
        case reused(NewSession)
        /// The token is ahead of its session, as after a restore.
        case ahead
        case refused(OAuthRefusal)
    }

    func run(on connection: any SQLConnection) throws -> Outcome {
        guard let id = UniqueID(bytes: presented.session.bytes),
            var record = try Sessions.find(id, on: connection), isGenuine(for: record)
        else { return .refused(.invalidGrant) }
        let session = record.facts
        // From here on token and client are genuine. Still nothing may change before the key is proved as well, or a
        // thief without the key could end the holder's session.
        if let bound = session.dpopThumbprint {
            guard let thumbprint else { return .refused(.invalidDPoPProof("The session is bound to a key.")) }
            guard ConstantTime.equal(thumbprint.bytes, bound) else { return .refused(.invalidGrant) }
        } else if session.requiresProof, thumbprint == nil {
            // Its keys may change (RFC 9449 §5). Without any, what was issued bound would go on as a bearer token.
            return .refused(.invalidDPoPProof("The session was opened with a proof, so every renewal needs one."))
        } else if client.kind == .public, client.requiresDPoP {
            // The client did without DPoP when the session was opened. A key that comes now may be a thief's.
            return .refused(.invalidGrant)
        }
        let granted = try Scope(session.scope)
        // Clients repeat what they once asked for, also where less was granted. What they get never widens.
        let scope = scope?.intersection(granted) ?? granted
        guard !scope.isEmpty || granted.isEmpty else { return .refused(.invalidScope) }
        guard let audience = audience(of: session) else { return .refused(.invalidTarget) }
        // The second round is for whoever lost a race, and sees what the winner left: possible where several writers
        // work at once.
        for _ in 0..<2 {
            let decision = RefreshRules.decide(
                RefreshFacts(record), presented: presented.generation, attemptHash: attemptHash, now: now)
            // Whoever gets tokens, new ones or the same again, still has to be admitted.
            if decision == .rotate || decision == .repeatAnswer, try !admitsMerchant(session, on: connection) {
                // Who left a merchant is still who they were: it says nothing of the account's other keys and browsers.
                _ = try Sessions.end(
                    session.id, because: .administrator, distrusting: .session, now: now, on: connection)
                return .refused(.invalidGrant)
            }
            switch decision {
            case .rotate:
                if try advance(session, on: connection) {
                    let generation = presented.generation + (client.rotatesRefreshTokens ? 1 : 0)
                    return .renewed(session, generation: generation, scope: scope, audience: audience)
                }
            case .repeatAnswer:
                // Nothing is written here that would name the account's state in its guard, so it is asked.
                guard try Sessions.living(session.id, now: now, on: connection) != nil else {
                    return .refused(.invalidGrant)
                }
                return .renewed(session, generation: presented.generation + 1, scope: scope, audience: audience)
            case .reuse: return .reused(session)
            case .refuse(.ahead): return .ahead
            case .refuse(.ended): return .refused(.invalidGrant)
            }
            guard let current = try Sessions.find(session.id, on: connection),
                current.generation != record.generation
            else { return .refused(.invalidGrant) }
            record = current
        }
        return .refused(.invalidGrant)
    }

    private func isGenuine(for record: SessionRecord) -> Bool {
        record.facts.clientID == client.id.rawValue && record.facts.macKeyID == Int64(presented.keyID.value)
            && presented.isGenuine(under: key, client: client.id, rowSecret: record.facts.secret)
    }

    /// The single-use gate: of any number of callers with the same generation one gets `true`.
    private func advance(_ session: NewSession, on connection: any SQLConnection) throws -> Bool {
        let generation = Int64(presented.generation)
        let expiresAt = RefreshRules.slidingEnd(
            now: now, idle: client.idleLifetime, absoluteEnd: session.absoluteExpiresAt)
        return client.rotatesRefreshTokens
            ? try Sessions.rotate(
                session.id, from: generation, attemptHash: attemptHash, now: now, expiresAt: expiresAt,
                countingUntil: now + idleLimit, on: connection)
            : try Sessions.extend(
                session.id, at: generation, now: now, expiresAt: expiresAt, countingUntil: now + idleLimit,
                on: connection)
    }

    /// What the new access token is meant for: what the request names, within what the sign-in granted and the client
    /// still has (RFC 8707 §2.2). `nil` where it asks for more, or nothing of it is left.
    private func audience(of session: NewSession) -> [String]? {
        let granted = session.audience.split(separator: " ").map(String.init)
        guard resources.isEmpty else {
            guard resources.allSatisfy(granted.contains) else { return nil }
            return client.audience(for: resources, issuer: issuer)
        }
        let left = granted.filter { client.audience(for: [$0], issuer: issuer) != nil }
        return left.isEmpty ? nil : left
    }

    /// Whether the merchant still employs the person and has the client installed that the person signed in to.
    private func admitsMerchant(_ session: NewSession, on connection: any SQLConnection) throws -> Bool {
        guard let merchant = session.merchantID else { return true }
        return try Merchants.admission(
            of: session.accountID, client: session.grantedTo ?? session.clientID, merchant: merchant, on: connection
        ) == .admitted
    }
}

extension RefreshFacts {
    /// The session as its row stands.
    fileprivate init(_ record: SessionRecord) {
        self.init(
            generation: UInt32(clamping: record.generation), rotatedAt: record.rotatedAt,
            attemptHash: record.attemptHash, expiresAt: record.facts.expiresAt,
            absoluteExpiresAt: record.facts.absoluteExpiresAt, isRevoked: record.ended != nil)
    }
}
