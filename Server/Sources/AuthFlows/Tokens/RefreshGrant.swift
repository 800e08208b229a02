internal import AuthCore
internal import AuthStore
internal import Crypto
internal import Logging
internal import WalletAuthWire

/// Renewing a session: one point read and one guarded write.
struct RefreshGrant: Sendable {
    let context: ServerContext

    func refresh(_ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCall) async throws -> TokenOutcome {
        guard let presented = PresentedRefreshToken(token.reveal()),
            var record = try await RefreshTokenLookup(context: context)
                .find(presented, client: call.client, now: call.now)
        else { return .refused(.invalidGrant) }
        let session = record.facts
        // From here on token and client are genuine. Still nothing may change before the key is proved as well, or a
        // thief without the key could end the holder's session.
        if let bound = session.dpopThumbprint {
            guard let proof = call.proof else { return .refused(.invalidDPoPProof("The session is bound to a key.")) }
            guard ConstantTime.equal(proof.thumbprint.bytes, bound) else { return .refused(.invalidGrant) }
        }
        let granted = try Scope(session.scope)
        let scope = call.scope ?? granted
        guard scope.isSubset(of: granted) else { return .refused(.invalidScope) }
        guard let audience = audience(of: session, call: call) else { return .refused(.invalidTarget) }
        let attemptHash = attempt.map { Array(SHA256.hash(data: Array($0.reveal().utf8))) }
        let wanted = { (generation: UInt32) in
            TokenMint.SessionTokens(session: session, generation: generation, audience: audience, scope: scope)
        }
        // The second round is for whoever lost a race, and sees what the winner left.
        for _ in 0..<2 {
            let decision = RefreshRules.decide(
                RefreshFacts(record), presented: presented.generation, attemptHash: attemptHash, now: call.now)
            // Whoever gets tokens, new ones or the same again, still has to be admitted.
            if decision == .rotate || decision == .repeatAnswer {
                guard try await admitsMerchant(session) else {
                    try await end(session, because: .administrator)
                    return .refused(.invalidGrant)
                }
            }
            switch decision {
            case .rotate:
                if try await advance(session, presented, attemptHash: attemptHash, call: call) {
                    let generation = presented.generation + (call.client.rotatesRefreshTokens ? 1 : 0)
                    return .issued(try await TokenMint(context: context).tokens(wanted(generation), call: call))
                }
            case .repeatAnswer:
                // Nothing is written here that would name the account's state in its guard, so it is asked.
                guard try await lives(session.id, now: call.now) else { return .refused(.invalidGrant) }
                return .issued(
                    try await TokenMint(context: context).tokens(wanted(presented.generation + 1), call: call))
            case .reuse:
                try await punishReuse(of: session, call: call)
                return .refused(.invalidGrant)
            case .refuse(let reason):
                if reason == .ahead {
                    context.logger.notice("a refresh token is ahead of its session: was the database restored?")
                }
                return .refused(.invalidGrant)
            }
            guard let current = try await context.database.read({ try Sessions.find(session.id, on: $0) }),
                current.generation != record.generation
            else { return .refused(.invalidGrant) }
            record = current
        }
        return .refused(.invalidGrant)
    }

    /// The single-use gate: of any number of callers with the same generation one gets `true`.
    private func advance(
        _ session: NewSession, _ presented: PresentedRefreshToken, attemptHash: [UInt8]?, call: TokenCall
    ) async throws -> Bool {
        let generation = Int64(presented.generation)
        let expiresAt = RefreshRules.slidingEnd(
            now: call.now, idle: call.client.idleLifetime, absoluteEnd: session.absoluteExpiresAt)
        let rotates = call.client.rotatesRefreshTokens
        let (id, now) = (session.id, call.now)
        return try await context.database.write { connection in
            rotates
                ? try Sessions.rotate(
                    id, from: generation, attemptHash: attemptHash, now: now, expiresAt: expiresAt, on: connection)
                : try Sessions.extend(id, at: generation, now: now, expiresAt: expiresAt, on: connection)
        }
    }

    private func lives(_ id: UniqueID, now: Timestamp) async throws -> Bool {
        try await context.database.read { try Sessions.living(id, now: now, on: $0) != nil }
    }

    /// What the new access token is meant for: what the request names, within what the sign-in granted and the client
    /// still has (RFC 8707 §2.2). `nil` where it asks for more, or nothing of it is left.
    private func audience(of session: NewSession, call: TokenCall) -> [String]? {
        let issuer = context.settings.issuer
        let granted = session.audience.split(separator: " ").map(String.init)
        guard call.resources.isEmpty else {
            guard call.resources.allSatisfy(granted.contains) else { return nil }
            return call.client.audience(for: call.resources, issuer: issuer)
        }
        let left = granted.filter { call.client.audience(for: [$0], issuer: issuer) != nil }
        return left.isEmpty ? nil : left
    }

    /// Whether the merchant still employs the person and has the client installed that the person signed in to.
    private func admitsMerchant(_ session: NewSession) async throws -> Bool {
        guard let merchant = session.merchantID else { return true }
        return try await context.database.read { connection in
            try Merchants.admission(
                of: session.accountID, client: session.grantedTo ?? session.clientID, merchant: merchant, on: connection
            ) == .admitted
        }
    }

    private func end(_ session: NewSession, because why: SessionEnd) async throws {
        let now = context.clock.now()
        _ = try await context.database.write { try Sessions.end(session.id, because: why, now: now, on: $0) }
    }

    /// A spent token came again, with everything that only its owner should have: somebody has a copy of the store.
    /// Nobody can tell which of the two is the holder, so the session ends and the holder is told.
    private func punishReuse(of session: NewSession, call: TokenCall) async throws {
        let entry = try Journal(context: context).entry(
            .refreshReuse, account: session.accountID, client: session.clientID, origin: call.origin, now: call.now,
            message: .refreshReuse)
        try await context.database.write { connection in
            guard try Sessions.end(session.id, because: .refreshReuse, now: call.now, on: connection) else { return }
            try entry.write(on: connection)
        }
    }
}

extension RefreshFacts {
    /// The session as its row stands.
    init(_ record: SessionRecord) {
        self.init(
            generation: UInt32(clamping: record.generation), rotatedAt: record.rotatedAt,
            attemptHash: record.attemptHash, expiresAt: record.facts.expiresAt,
            absoluteExpiresAt: record.facts.absoluteExpiresAt, isRevoked: record.ended != nil)
    }
}
