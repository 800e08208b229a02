/// How many codes may be sent before the next one has to wait.
///
/// The limits protect mailboxes, and operators who pay for SMS. A sandbox has neither, and someone who tries it out signs in again and
/// again.
package enum CodeLimits: Sendable, Hashable {
    /// What each flow allows.
    case production
    /// Out of reach of a person, but not of a program that runs wild.
    case sandbox

    /// How many times as many as in production.
    private static let factor: Int64 = 1000

    /// The limit of a flow, which counts messages with codes and not guesses.
    package func applied(to policy: AttemptPolicy) -> AttemptPolicy {
        guard self == .sandbox else { return policy }
        var (free, afterwards) = (policy.free * Self.factor, policy.afterwards)
        // After a single code, the delay keeps a form that is posted twice from sending two. It remains, but does not grow.
        if policy.free == 1, case .delay(let first, _) = policy.afterwards {
            (free, afterwards) = (1, .delay(first: first, longest: first))
        }
        return AttemptPolicy(
            free: free, afterwards: afterwards, forgottenAfter: policy.forgottenAfter, since: policy.beginning)
    }
}
