/// What becomes of a genuine refresh token, presented by the right client with the right key.
package enum RefreshDecision: Sendable, Hashable {
    /// It is the living one: rotate, answer its successor.
    case rotate
    /// Its successor was made for this very request, and the answer was lost: answer the same successor, change nothing.
    case repeatAnswer
    /// It was spent before: somebody has a copy. Revoke the session, tell the holder.
    case reuse
    /// Refused without consequence.
    case refuse(Reason)

    /// Why without consequence.
    package enum Reason: String, Sendable, Hashable {
        /// The session has ended, by time or by revocation.
        case ended
        /// A generation that the row has not reached: the database was restored from a copy.
        case ahead
    }
}

/// A session as a refresh sees it.
package struct RefreshFacts: Sendable, Hashable {
    /// The generation of the living token.
    package var generation: UInt32
    /// When the living token took its predecessor's place; `nil` for the first.
    package var rotatedAt: Timestamp?
    /// SHA-256 of the `attempt` that rotated; `nil` when the client sent none.
    package var attemptHash: [UInt8]?
    /// The end if unused.
    package var expiresAt: Timestamp
    /// The end in any case.
    package var absoluteExpiresAt: Timestamp
    /// Whether it was ended.
    package var isRevoked: Bool

    /// A session as a refresh sees it.
    package init(
        generation: UInt32, rotatedAt: Timestamp?, attemptHash: [UInt8]?, expiresAt: Timestamp,
        absoluteExpiresAt: Timestamp, isRevoked: Bool
    ) {
        self.generation = generation
        self.rotatedAt = rotatedAt
        self.attemptHash = attemptHash
        self.expiresAt = expiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.isRevoked = isRevoked
    }
}

/// The rules of refreshing without losing anybody.
package enum RefreshRules {
    /// How long a client that sends no `attempt` may repeat a refresh whose answer was lost.
    package static let grace = Duration.seconds(30)

    /// Decides about a token whose MAC, client and key proof were checked: a token with anything less changes nothing,
    /// and must not come here.
    /// - Parameters:
    ///   - facts: the session's row.
    ///   - presented: the token's generation.
    ///   - attemptHash: SHA-256 of the request's `attempt`; `nil` when it sent none.
    ///   - now: the present moment.
    package static func decide(
        _ facts: RefreshFacts, presented: UInt32, attemptHash: [UInt8]?, now: Timestamp
    ) -> RefreshDecision {
        if presented > facts.generation { return .refuse(.ahead) }
        if facts.isRevoked || facts.expiresAt <= now || facts.absoluteExpiresAt <= now { return .refuse(.ended) }
        // The last number that a token can name has no successor.
        if presented == facts.generation { return presented == .max ? .refuse(.ended) : .rotate }
        guard presented + 1 == facts.generation, let rotatedAt = facts.rotatedAt else { return .reuse }
        switch (facts.attemptHash, attemptHash) {
        case (let stored?, let sent?):
            // Both ends know the attempt: it tells a repetition from a theft at any time.
            return stored == sent ? .repeatAnswer : .reuse
        case (nil, nil):
            // Two processes or two requests read the clock apart: the rotation may lie a little ahead of this request.
            // A clock that was moved far back must not turn grace into forever.
            return (Duration.zero - grace...grace).contains(now - rotatedAt) ? .repeatAnswer : .reuse
        case (nil, _?), (_?, nil):
            // The SDK repeats its attempt and a standard client has none: whoever differs is not who rotated.
            return .reuse
        }
    }

    /// The sliding end after use now.
    /// - Parameters:
    ///   - now: the present moment.
    ///   - idle: how long a session lives unused.
    ///   - absoluteEnd: when it ends in any case.
    package static func slidingEnd(now: Timestamp, idle: Duration, absoluteEnd: Timestamp) -> Timestamp {
        min(now + idle, absoluteEnd)
    }
}
