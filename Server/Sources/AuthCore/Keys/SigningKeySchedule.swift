/// When a signing key is published, when it signs and when it goes.
package struct SigningKeySchedule: Sendable, Hashable {
    /// How long a new key is published before it signs. Default 2 hours: longer than any client may cache the key set.
    package var publicationLead: Duration
    /// How long a key stays published after it signed last. Default 25 hours: longer than the longest token it signed
    /// lives, ID tokens and long access tokens of backends included.
    package var retirementLag: Duration
    /// How long the key set may be cached by whoever fetched it; has to be shorter than the lead. Default 10 minutes.
    package var keySetMaximumAge: Duration

    /// The defaults named at each property.
    package init() {
        publicationLead = .hours(2)
        retirementLag = .hours(25)
        keySetMaximumAge = .minutes(10)
    }

    /// Whether a key that was published at a time may begin to sign: every copy of the key set now holds it.
    /// - Parameters:
    ///   - publishedAt: when the key first stood in the key set.
    ///   - now: the present moment.
    package func maySign(publishedAt: Timestamp, now: Timestamp) -> Bool {
        now >= publishedAt + publicationLead
    }

    /// Keys that signed last before this time may go: nothing that they signed is alive.
    package func removable(now: Timestamp) -> Timestamp {
        now - retirementLag
    }
}
