/// When a signing key is published, when it signs and when it goes: by time alone, so that every process agrees
/// without talking.
public struct SigningKeySchedule: Sendable, Hashable {
    /// How long a new key is published before it signs. Default 2 hours: longer than any client may cache the key set.
    public var publicationLead: Duration
    /// How long a key stays published after its successor began to sign. Default 25 hours: longer than the longest
    /// token it signed lives, ID tokens and long access tokens of backends included.
    public var retirementLag: Duration
    /// How long the key set may be cached by whoever fetched it; never longer than the lead. Default 10 minutes.
    public var keySetMaximumAge: Duration

    /// The defaults named at each property.
    public init() {
        publicationLead = .hours(2)
        retirementLag = .hours(25)
        keySetMaximumAge = .minutes(10)
    }
}

extension SigningKeySchedule {
    /// The moments of one key.
    public struct Moments: Sendable, Hashable {
        /// From when on it is in the key set.
        public var publishedAt: Timestamp
        /// From when on it may sign.
        public var activatesAt: Timestamp
        /// From when on it is gone; `nil` while nothing has taken its place.
        public var retiresAt: Timestamp?

        /// The moments of one key.
        public init(publishedAt: Timestamp, activatesAt: Timestamp, retiresAt: Timestamp?) {
            self.publishedAt = publishedAt
            self.activatesAt = activatesAt
            self.retiresAt = retiresAt
        }

        /// Whether the key belongs into the published set, and verifies.
        public func isPublished(at now: Timestamp) -> Bool {
            publishedAt <= now && retiresAt.map { now < $0 } ?? true
        }
    }

    /// The moments of the very first key of an algorithm: nobody can have cached a set without it, so it signs at once.
    public func first(now: Timestamp) -> Moments {
        Moments(publishedAt: now, activatesAt: now, retiresAt: nil)
    }

    /// The moments of a successor made now, and when its predecessor goes.
    public func successor(now: Timestamp) -> (moments: Moments, predecessorRetiresAt: Timestamp) {
        let activatesAt = now + publicationLead
        return (
            Moments(publishedAt: now, activatesAt: activatesAt, retiresAt: nil), activatesAt + retirementLag
        )
    }

    /// The index of the key that signs: the one that activated last, of those that have.
    public func signer(among keys: [Moments], now: Timestamp) -> Int? {
        keys.indices
            .filter { keys[$0].activatesAt <= now && keys[$0].isPublished(at: now) }
            .max { keys[$0].activatesAt < keys[$1].activatesAt }
    }
}
