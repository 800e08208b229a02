/// When a signing key is published, begins to sign and is removed.
package struct SigningKeySchedule: Sendable, Hashable {
    /// The time a new key is published before it signs. Default 2 hours, longer than any client may cache the key set.
    package var publicationLead: Duration
    /// The time a key stays published after its last signature. Default 25 hours, longer than the lifetime of any
    /// token, including ID tokens and backends' long access tokens.
    package var retirementLag: Duration
    /// How long clients may cache the key set. It must be shorter than the lead. Default 10 minutes.
    package var keySetMaximumAge: Duration

    package init() {
        publicationLead = .hours(2)
        retirementLag = .hours(25)
        keySetMaximumAge = .minutes(10)
    }

    /// Whether a key may begin to sign, since every cached copy of the key set includes it by now.
    package func maySign(publishedAt: Timestamp, now: Timestamp) -> Bool {
        now >= publishedAt + publicationLead
    }

    /// Keys whose last signature is older than this may be removed: no token of theirs is valid.
    package func removable(now: Timestamp) -> Timestamp {
        now - retirementLag
    }
}
