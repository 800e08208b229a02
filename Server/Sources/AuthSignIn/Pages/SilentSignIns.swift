internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Limits the sign-ins that a signed-in browser gets without a credential. Each is an entry of the audit log, and may become a session;
/// an app that redirects in a circle would make a hundred of them a second.
struct SilentSignIns: Sendable {
    let context: ServerContext
    let now: Timestamp

    /// After the free ones, an app that renews silently every ten seconds still can.
    private var policy: AttemptPolicy {
        AttemptPolicy(
            free: Int64(context.settings.sessions.silentSignIns),
            afterwards: .delay(first: .seconds(10), longest: .seconds(10)), forgottenAfter: .minutes(10))
    }

    /// Counts one. Returns the seconds to wait if there were too many.
    func count(in session: BrowserSessionRecord) async throws -> Int64? {
        let subject = Digests.of("silent-sign-ins", session.idHash)
        let limit = policy
        let counted = try await context.database.write { connection in
            try Attempts.count(subject, under: limit, now: now, on: connection)
        }
        return switch counted {
        case .compare: nil
        case .refuse(let until): RetryAfter.seconds(until: until, now: now)
        }
    }
}
