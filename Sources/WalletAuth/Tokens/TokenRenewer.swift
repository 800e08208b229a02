import Foundation
import WalletAuthWire

/// Keeps the access token alive: one refresh at a time for all tasks and all processes of this store.
final class TokenRenewer: Sendable {
    private let keeper: SessionKeeper
    private let endpoint: TokenEndpoint
    private let grants: SessionGrant
    private let binding: DeviceBinding
    private let time: any TimeSource
    private let journal: Journal
    private let flight = SingleFlight<Void>(.outlivesItsCallers)
    private let pause = Protected(Pause())
    /// A pair that was answered and could not be stored. Nobody has got it; it is stored before anything else is sent.
    private let unstored = Protected<Unstored?>(nil)

    private struct Unstored: Sendable {
        var generation: SessionGeneration
        var sent: RefreshToken
        var session: Session
    }

    /// After a failure nothing is sent for a while, however many callers there are.
    private struct Pause: Sendable {
        var until: Duration = .zero
        var error: WalletError?
        var proactiveUntil: Duration = .zero
    }

    init(
        keeper: SessionKeeper, endpoint: TokenEndpoint, grants: SessionGrant, binding: DeviceBinding,
        time: any TimeSource, journal: Journal
    ) {
        self.keeper = keeper
        self.endpoint = endpoint
        self.grants = grants
        self.binding = binding
        self.time = time
        self.journal = journal
    }

    /// Renews the session of `ticket`, unless somebody has already; shares a renewal that is under way. Cancelling the
    /// caller ends its waiting, never the renewal.
    func renew(_ ticket: LiveSession.Ticket) async throws {
        if let error = pausedError { throw error }
        try await flight.run { [self] in try await fly(ticket) }
    }

    /// Renews beside a call whose token still serves. Whether it works is of no concern to that call.
    func renewBeside(_ ticket: LiveSession.Ticket) {
        guard !flight.isFlying, pausedError == nil, time.uptime() >= pause.withLock({ $0.proactiveUntil }) else {
            return
        }
        flight.start { [self] in try await fly(ticket) }
    }

    private var pausedError: WalletError? {
        let now = time.uptime()
        return pause.withLock { $0.until > now ? $0.error : nil }
    }

    private func fly(_ ticket: LiveSession.Ticket) async throws {
        do {
            try await WalletError.during(.refresh) {
                try await keeper.withRenewalLock { [self] in try await renewUnderLock(ticket) }
            }
            pause.withLock { $0 = Pause() }
            journal.note(.refresh, "done")
        } catch {
            journal.note(error)
            let now = time.uptime()
            pause.withLock { pause in
                pause.proactiveUntil = now + .seconds(5)
                guard let error = error as? WalletError, error.reachedServer,
                    case .temporarilyUnavailable(let retryAfter) = error.outcome
                else { return }
                // A server in trouble is left alone; never for longer than a minute, so that a wrong header does no harm.
                pause.until = now + min(retryAfter ?? .seconds(1), .seconds(60))
                pause.error = error
            }
            throw error
        }
    }

    private func renewUnderLock(_ ticket: LiveSession.Ticket) async throws {
        try await storeWhatIsUnstored()
        let attempt = try RefreshAttempt(Randomness.token())
        // The attempt is in the store before anything is sent: whoever comes after a kill repeats it.
        let start = try await keeper.change {
            $0.beginRenewal(of: ticket.generation, spent: ticket.accessToken, newAttempt: attempt)
        }
        switch start {
        case .alreadyRenewed: return
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh)
        case .nothingToRenewWith: try await nothingToRenewWith(ticket.generation)
        case .send(let token, let attempt, let session):
            let key = try await key(of: session, ticket.generation)
            switch try await endpoint.refresh(token, attempt: attempt, key: key) {
            case .granted(let response, let receivedAt):
                let renewed = try grants.renewed(session, from: response, at: receivedAt)
                try await store(Unstored(generation: ticket.generation, sent: token, session: renewed))
            case .refused:
                try await refused(ticket.generation, token)
            }
        }
    }

    private func store(_ answered: Unstored) async throws {
        unstored.withLock { $0 = answered }
        if let superseded = try await finish(answered) {
            throw WalletError.signedOut(superseded, .refresh, reachedServer: true)
        }
    }

    /// Of a session that is over by now the pair is revoked; that is no concern of the session that is renewed next.
    private func storeWhatIsUnstored() async throws {
        guard let answered = unstored.withLock({ $0 }) else { return }
        _ = try await finish(answered)
    }

    private func finish(_ answered: Unstored) async throws -> WalletError.SignOutReason? {
        let superseded = try await keeper.change {
            $0.finishRenewal(of: answered.generation, sent: answered.sent, with: answered.session)
        }
        unstored.withLock { $0 = nil }
        return superseded
    }

    private func refused(_ generation: SessionGeneration, _ token: RefreshToken) async throws {
        switch try await keeper.change({ $0.refuseRenewal(of: generation, sent: token) }) {
        case .alreadyRenewed: return
        case .ended: throw WalletError.signedOut(.sessionEnded, .refresh, reachedServer: true)
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh, reachedServer: true)
        }
    }

    private func key(of session: Session, _ generation: SessionGeneration) async throws -> BoundKey? {
        guard let thumbprint = session.keyThumbprint else { return nil }
        if let key = try await binding.key(thumbprint: thumbprint) { return key }
        try await keyLost(generation)
        return nil
    }

    /// Ends the session whose key is gone.
    /// - Throws: always; ``WalletError`` with the outcome `keyLost`.
    func keyLost(_ generation: SessionGeneration) async throws {
        try await keeper.change { if $0.generation == generation { $0.endSession(.keyLost) } }
        throw WalletError(
            .keyLost, .keyLost(recovery: .signInAgain), during: .refresh,
            reason: "the key that the session is bound to is not on this device")
    }

    /// Without a refresh token the session ends with its access token, not before.
    private func nothingToRenewWith(_ generation: SessionGeneration) async throws {
        guard case .expired = keeper.reading() else {
            throw WalletError(
                .unsupportedByServer, .refused, during: .refresh, reason: "the server gave no refresh token")
        }
        try await keeper.change { if $0.generation == generation { $0.endSession(.tokenExpired) } }
        throw WalletError.signedOut(.tokenExpired, .refresh)
    }
}
