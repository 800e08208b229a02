package import Core

/// The decision on a genuine refresh token, presented by its client with its key.
package enum RefreshDecision: Sendable, Hashable {
    /// It is the current token. Rotate, and answer with its successor.
    case rotate
    /// The successor was created for this request, and the answer was lost. Answer with the same successor; change
    /// nothing.
    case repeatAnswer
    /// It was spent before, so there is a copy. Revoke the session and notify the holder.
    case reuse
    case refuse(Reason)

    /// Why a token is refused without consequences.
    package enum Reason: String, Sendable, Hashable {
        /// The session has expired or was revoked.
        case ended
        /// The generation is beyond the row's: the database was restored from a copy.
        case ahead
    }
}

/// The part of a session that a refresh depends on.
package struct RefreshFacts: Sendable, Hashable {
    /// The generation of the current token.
    package var generation: UInt32
    /// When the current token replaced its predecessor; `nil` for the first.
    package var rotatedAt: Timestamp?
    /// SHA-256 of the `attempt` that rotated; `nil` if the client sent none.
    package var attemptHash: [UInt8]?
    /// The end unless the session is used.
    package var expiresAt: Timestamp
    /// The end even if the session is used.
    package var absoluteExpiresAt: Timestamp
    package var isRevoked: Bool
}

/// The rules of refreshing, so that a lost answer signs no one out.
package enum RefreshRules {
    /// How long a client that sends no `attempt` may repeat a refresh whose answer was lost.
    package static let grace = Duration.seconds(30)

    /// Decides on a token whose MAC, client and key proof were verified. Anything less must not change state, and must
    /// not get here.
    /// - Parameters:
    ///   - presented: the token's generation.
    ///   - attemptHash: SHA-256 of the request's `attempt`; `nil` if it has none.
    package static func decide(
        _ facts: RefreshFacts, presented: UInt32, attemptHash: [UInt8]?, now: Timestamp
    ) -> RefreshDecision {
        if presented > facts.generation { return .refuse(.ahead) }
        if facts.isRevoked || facts.expiresAt <= now || facts.absoluteExpiresAt <= now { return .refuse(.ended) }
        // The largest generation has no successor.
        if presented == facts.generation { return presented == .max ? .refuse(.ended) : .rotate }
        guard presented + 1 == facts.generation, let rotatedAt = facts.rotatedAt else { return .reuse }
        switch (facts.attemptHash, attemptHash) {
        case (let stored?, let sent?):
            // Both sides know the attempt, so a repetition is distinguished from a theft at any time.
            return stored == sent ? .repeatAnswer : .reuse
        case (nil, nil):
            // Processes read their clocks at different moments, so the rotation may lie slightly ahead of this request.
            // But a clock set far back must not extend the grace period forever.
            return (Duration.zero - grace...grace).contains(now - rotatedAt) ? .repeatAnswer : .reuse
        case (nil, _?), (_?, nil):
            // The SDK repeats its attempt, and a standard client sends none. A mixed pair is not from the client that
            // rotated.
            return .reuse
        }
    }

    /// The new sliding end of a session used now.
    package static func slidingEnd(now: Timestamp, idle: Duration, absoluteEnd: Timestamp) -> Timestamp {
        min(now + idle, absoluteEnd)
    }
}
