internal import Core
internal import Kernel
internal import Store
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

    /// Of all browsers of an account: each sign-in by password begins another, with its own free ones.
    private var accountPolicy: AttemptPolicy {
        AttemptPolicy(
            free: Int64(context.settings.sessions.silentSignIns) * 10,
            afterwards: .delay(first: .seconds(1), longest: .seconds(1)), forgottenAfter: .minutes(10))
    }

    /// Counts one. Returns the seconds to wait if there were too many.
    func count(in session: BrowserSessionRecord) async throws -> Int64? {
        let limits = [
            (Digests.of("silent-sign-ins", session.idHash), policy),
            (Digests.of("silent-sign-ins-of-account", session.accountID.bytes), accountPolicy),
        ]
        return try await context.database.write { connection in
            for (subject, limit) in limits {
                if case .refuse(let until) = try Attempts.count(subject, under: limit, now: now, on: connection) {
                    return RetryAfter.seconds(until: until, now: now)
                }
            }
            return nil
        }
    }
}
