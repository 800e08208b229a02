import Foundation
import WalletAuthWire

/// This process's view of the session, in memory behind a lock, so that reading a valid token needs neither an actor
/// nor the store. Deadlines use uptime, a clock that no one can change.
struct LiveSession: Sendable {
    private(set) var state: State = .notLoaded
    /// The sign-out that could not be written to the store yet.
    private(set) var owedSignOut: SessionGeneration?

    enum State: Sendable {
        case notLoaded
        case signedOut(WalletError.SignOutReason, SessionGeneration)
        case signedIn(Holding)
    }

    /// A session in use.
    struct Holding: Sendable {
        var generation: SessionGeneration
        var session: Session
        var origin: Origin
        var schedule: RenewalSchedule
    }

    /// Which side renews the token.
    enum Origin: Sendable, Hashable {
        /// The SDK, from the store.
        case stored
        /// The app, with `updateToken`; `record` is the generation of the stored record at that time.
        case external(record: SessionGeneration)
    }

    var holding: Holding? {
        if case .signedIn(let holding) = state { holding } else { nil }
    }

    var generation: SessionGeneration? {
        switch state {
        case .notLoaded: nil
        case .signedOut(_, let generation): generation
        case .signedIn(let holding): holding.generation
        }
    }

    /// The reason a former generation ended.
    var supersededReason: WalletError.SignOutReason {
        if case .signedOut(let reason, _) = state { reason } else { .replacedByAnotherSignIn }
    }
}

extension LiveSession {
    /// The state of the token for a caller that needs one.
    enum Reading: Sendable {
        case notLoaded
        case signedOut(WalletError.SignOutReason)
        /// Valid.
        case fresh(Ticket)
        /// Valid, but old enough to be renewed in the background.
        case aging(Ticket)
        /// Must be renewed first.
        case expired(Ticket)
    }

    /// A token and its session.
    struct Ticket: Sendable {
        var generation: SessionGeneration
        var accessToken: AccessToken
        var keyThumbprint: JWKThumbprint?
        var origin: Origin
    }

    func read(at uptime: Duration) -> Reading {
        switch state {
        case .notLoaded: return .notLoaded
        case .signedOut(let reason, _): return .signedOut(reason)
        case .signedIn(let holding):
            let ticket = holding.ticket
            if uptime < holding.schedule.renewFrom { return .fresh(ticket) }
            return uptime < holding.schedule.expiresAt ? .aging(ticket) : .expired(ticket)
        }
    }
}

extension LiveSession.Holding {
    var ticket: LiveSession.Ticket {
        LiveSession.Ticket(
            generation: generation, accessToken: session.accessToken, keyThumbprint: session.keyThumbprint,
            origin: origin)
    }
}

// MARK: - Transitions

extension LiveSession {
    /// Adopts the state in the store.
    /// - Returns: what changed for the app, or nil.
    mutating func adopt(_ record: StoredRecord, schedule: (Session) -> RenewalSchedule) -> TokenChange? {
        // Signed out while this change was being written: the next change signs out what it wrote.
        if owedSignOut == record.generation { return nil }
        owedSignOut = nil
        if case .signedIn(let holding) = state, case .external(let known) = holding.origin, known == record.generation {
            return nil
        }
        let former = state
        switch record.state {
        case .signedOut(let reason):
            state = .signedOut(reason, record.generation)
            guard case .signedIn = former else { return nil }
            return reason == .loggedOut ? .deleted : .invalidated(reason)
        case .signedIn(let session):
            if case .signedIn(let holding) = former, holding.generation == record.generation {
                // A server may extend the life of the same token.
                let isSame =
                    holding.session.accessToken == session.accessToken && holding.session.life == session.life
                guard !isSame else {
                    // The refresh token may differ.
                    var same = holding
                    same.session = session
                    state = .signedIn(same)
                    return nil
                }
            }
            state = .signedIn(
                Holding(generation: record.generation, session: session, origin: .stored, schedule: schedule(session)))
            return switch former {
            case .notLoaded: nil
            case .signedIn(let holding) where holding.generation == record.generation: .refreshed
            case .signedIn, .signedOut: .new
            }
        }
    }

    /// Begins or renews a session whose token the app supplies.
    mutating func hold(_ holding: Holding) -> TokenChange {
        let renewed = self.holding.map { $0.generation == holding.generation } ?? false
        state = .signedIn(holding)
        return renewed ? .refreshed : .new
    }

    /// Forgets the session in memory before the store is asked, so that a sign-out takes effect whatever the store
    /// does.
    mutating func signOutInMemory() -> TokenChange? {
        guard case .signedIn(let holding) = state else { return nil }
        if case .stored = holding.origin { owedSignOut = holding.generation }
        state = .signedOut(.loggedOut, holding.generation)
        return .deleted
    }

    /// The server no longer accepts `token`, whatever its expiry says.
    mutating func expire(_ token: AccessToken) {
        guard case .signedIn(var holding) = state, holding.session.accessToken == token else { return }
        holding.schedule.renewFrom = .zero
        holding.schedule.expiresAt = .zero
        state = .signedIn(holding)
    }
}

/// When a token is renewed, in uptime.
struct RenewalSchedule: Hashable, Sendable {
    /// From here on, calls trigger a renewal in the background.
    var renewFrom: Duration
    /// From here on, calls wait for the renewal.
    var expiresAt: Duration

    /// Schedules the renewal of a token that is valid for `remaining`.
    ///
    /// Renewal begins in the last fifth of the lifetime, at most a minute before the end, moved forward by up to half
    /// of that so that apps that started together do not renew together. A token counts as expired a moment early (a
    /// twentieth, at most five seconds), because its request takes time to arrive.
    /// - Parameters:
    ///   - remaining: the remaining validity; nil if the server never said it, so that only a 401 tells.
    ///   - lifetime: the whole lifetime, if known.
    ///   - jitter: from 0 to 1.
    init(remaining: Duration?, lifetime: Duration?, now: Duration, jitter: Double) {
        guard let remaining else {
            renewFrom = .seconds(Int64.max / 4)
            expiresAt = renewFrom
            return
        }
        let whole = max(lifetime ?? remaining, .zero)
        let margin = min(.seconds(5), whole / 20)
        let window = min(.seconds(60), whole / 5)
        expiresAt = now + remaining - margin
        renewFrom = expiresAt - window * (1 - 0.5 * min(max(jitter, 0), 1))
    }
}
