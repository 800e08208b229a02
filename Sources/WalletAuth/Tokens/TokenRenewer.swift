import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Provides a valid access token: from memory or, if that is not enough, from the store or a renewal. One refresh at a time
/// runs across all tasks and all processes of this store.
struct TokenRenewer: Sendable {
    let keeper: SessionKeeper
    let endpoint: TokenEndpointClient
    let grants: SessionGrant
    let binding: DeviceBinding
    let time: any TimeSource
    let log: DiagnosticsLog
    let revoker: Revoker
    private let flight = SingleFlight<Run>(.outlivesItsCallers)
    private let pause = LockedValue(Pause())
    /// A judged answer that could not be stored. It has not been returned to anyone, and is stored before anything else
    /// is sent.
    private let unstored = LockedValue<Unstored?>(nil)
    /// The error of this process's last renewal; nil once one has succeeded.
    private let lastFailure = LockedValue<(generation: SessionGeneration, error: WalletError)?>(nil)

    /// A renewal that has ended.
    private struct Run: Sendable {
        var generation: SessionGeneration
        var result: Result<Void, any Error>
    }

    private struct Unstored: Sendable {
        var generation: SessionGeneration
        var sent: RefreshToken
        var owner: TokenOwner
        var verdict: RenewalVerdict
    }

    /// This many answers in a row with neither tokens nor a reason are no accident.
    static let mostUnexplained = 3

    /// After a failure, nothing is sent for a while, however many callers there are.
    private struct Pause: Sendable {
        var until: Duration = .zero
        var error: WalletError?
        var proactiveUntil: Duration = .zero
    }

    /// The error of the last attempt to renew the session of `generation`.
    func failure(of generation: SessionGeneration) -> WalletError? {
        lastFailure.withLock { $0.flatMap { $0.generation == generation ? $0.error : nil } }
    }

    /// Returns a token that is valid now. Reads only memory for as long as it can.
    /// - Parameter generation: the session in which the call began; a token of another session is not returned.
    func ticket(
        of generation: SessionGeneration?, during operation: WalletError.Operation
    ) async throws -> LiveSession.Ticket {
        var expected = generation
        // Another process may overtake a renewal a few times; a broken clock or server must not loop forever.
        for _ in 0..<4 {
            switch keeper.reading() {
            case .fresh(let ticket):
                return try check(ticket, expected, operation)
            case .aging(let ticket):
                let checked = try check(ticket, expected, operation)
                if ticket.origin == .stored { renewInBackground(ticket) }
                return checked
            case .expired(let ticket):
                _ = try check(ticket, expected, operation)
                guard ticket.origin == .stored else { throw WalletError.signedOut(.tokenExpired, operation) }
                expected = ticket.generation
                try await renew(ticket)
            case .notLoaded:
                try await WalletError.during(operation) { try await keeper.load() }
            case .signedOut(let reason):
                throw WalletError.signedOut(reason, operation)
            }
        }
        throw WalletError(
            .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation, reachedServer: true,
            reason: "the server's tokens expire before they can be used")
    }

    /// Returns the signed-in person's session, renewed if its token has ended.
    /// - Throws: ``WalletError``, with the reason if no one is signed in.
    func holding(during operation: WalletError.Operation) async throws -> LiveSession.Holding {
        let ticket = try await ticket(of: nil, during: operation)
        guard let holding = keeper.snapshot.holding, holding.generation == ticket.generation else {
            throw WalletError.signedOut(keeper.snapshot.supersededReason, operation)
        }
        return holding
    }

    private func check(
        _ ticket: LiveSession.Ticket, _ expected: SessionGeneration?, _ operation: WalletError.Operation
    ) throws -> LiveSession.Ticket {
        if let expected, expected != ticket.generation {
            throw WalletError.signedOut(.replacedByAnotherSignIn, operation)
        }
        return ticket
    }

    /// Renews the session of `ticket`, unless that has already happened; joins a renewal under way. Cancelling the
    /// caller ends its wait, never the renewal.
    func renew(_ ticket: LiveSession.Ticket) async throws {
        while true {
            if let error = pausedError { throw error }
            let run = try await flight.run { [self] in await fly(ticket) }
            // The renewal under way may be of a session that a sign-in has replaced. It says nothing about this one.
            if run.generation == ticket.generation { return try run.result.get() }
        }
    }

    /// Renews in the background of a call whose token is still valid. The result does not affect that call.
    func renewInBackground(_ ticket: LiveSession.Ticket) {
        guard !flight.isFlying, pausedError == nil, time.uptime() >= pause.withLock({ $0.proactiveUntil }) else {
            return
        }
        flight.start { [self] in await fly(ticket) }
    }

    private var pausedError: WalletError? {
        let now = time.uptime()
        return pause.withLock { $0.until > now ? $0.error : nil }
    }

    private func fly(_ ticket: LiveSession.Ticket) async -> Run {
        do {
            try await WalletError.during(.refresh) {
                try await keeper.withRenewalLock { [self] in try await renewUnderLock(ticket) }
            }
            pause.withLock { $0 = Pause() }
            lastFailure.withLock { $0 = nil }
            log.note(.refresh, "done")
            return Run(generation: ticket.generation, result: .success(()))
        } catch {
            log.note(error)
            if let error = error as? WalletError { lastFailure.withLock { $0 = (ticket.generation, error) } }
            let now = time.uptime()
            pause.withLock { pause in
                pause.proactiveUntil = now + .seconds(5)
                guard let error = error as? WalletError, error.reachedServer else { return }
                let wait: Duration
                switch error.outcome {
                case .signedOut, .keyLost: return
                case .temporarilyUnavailable(let retryAfter?): wait = retryAfter
                default: wait = .seconds(1)
                }
                // Leave a struggling server alone, but for at most a minute, so that a wrong header does no harm.
                pause.until = now + min(wait, .seconds(60))
                pause.error = error
            }
            return Run(generation: ticket.generation, result: .failure(error))
        }
    }

    private func renewUnderLock(_ ticket: LiveSession.Ticket) async throws {
        try await storeWhatIsUnstored()
        let attempt = try RefreshAttempt(Randomness.token())
        // The attempt is stored before anything is sent: after a kill, the next run repeats it.
        let start = try await keeper.change {
            $0.beginRenewal(of: ticket.generation, spent: ticket.accessToken, newAttempt: attempt)
        }
        switch start {
        case .alreadyRenewed: return
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh)
        case .nothingToRenewWith: try await nothingToRenewWith(ticket)
        case .send(let token, let attempt, let session):
            let key = try await key(of: session, ticket.generation)
            switch try await endpoint.refresh(token, attempt: attempt, key: key) {
            case .answered(let object, let answer):
                let verdict = grants.judge(object, renewing: session, sent: token, at: answer.receivedAt)
                try await store(
                    Unstored(
                        generation: ticket.generation, sent: token, owner: session.owner, verdict: verdict.from(answer))
                )
            case .refused(let error): try await refused(ticket, token, error)
            case .unexplained(let error):
                let times = try await keeper.change { $0.countUnexplained(of: ticket.generation, sent: token) }
                // Another process has renewed meanwhile: its token is valid.
                guard let times else { return }
                throw Self.notUsable(error, times: times)
            }
        }
    }

    private func store(_ answered: Unstored) async throws {
        unstored.withLock { $0 = answered }
        switch try await finish(answered) {
        case .goesOn: return
        case .notUsable(let error, let times): throw Self.notUsable(error, times: times)
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh, reachedServer: true)
        }
    }

    /// If the session has ended by now, the new tokens are revoked, which does not affect the session renewed next.
    private func storeWhatIsUnstored() async throws {
        guard let answered = unstored.withLock({ $0 }) else { return }
        _ = try await finish(answered)
    }

    private func finish(_ answered: Unstored) async throws -> StoredRecord.RenewalEnd {
        let (end, owesRevocations) = try await keeper.change { record in
            let end = record.finishRenewal(
                of: answered.generation, sent: answered.sent, owner: answered.owner, with: answered.verdict)
            return (end, !record.sendableRevocations.isEmpty)
        }
        unstored.withLock { $0 = nil }
        if owesRevocations { revoker.sendInBackground() }
        return end
    }

    /// The session stays. The refusal, which leads to signing in again, comes only once waiting clearly does not help.
    private static func notUsable(_ error: WalletError, times: Int) -> WalletError {
        guard times >= mostUnexplained else { return error }
        return error.turned(
            into: .renewalRefused, .refused,
            reason: "\(error.reason); \(times) unusable responses in a row")
    }

    private func refused(
        _ ticket: LiveSession.Ticket, _ token: RefreshToken, _ error: WalletError
    ) async throws {
        let refusal = try await keeper.change {
            $0.refuseRenewal(of: ticket.generation, sent: token, spent: ticket.accessToken)
        }
        switch refusal {
        case .alreadyRenewed: return
        case .ended:
            let ended = WalletError.signedOut(.sessionEnded, .refresh, reachedServer: true)
            throw error.turned(into: ended.code, ended.outcome, reason: "\(ended.reason) (\(error.words))")
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh, reachedServer: true)
        }
    }

    private func key(of session: Session, _ generation: SessionGeneration) async throws -> BoundKey? {
        guard let thumbprint = session.keyThumbprint else { return nil }
        if let key = try await binding.key(thumbprint: thumbprint) { return key }
        try await keyLost(generation)
    }

    /// Ends the session whose key is gone.
    /// - Throws: always; ``WalletError`` with the outcome `keyLost`.
    func keyLost(_ generation: SessionGeneration) async throws -> Never {
        try await keeper.change { if $0.generation == generation { $0.endSession(.keyLost) } }
        throw WalletError(
            .keyLost, .keyLost(recovery: .signInAgain), during: .refresh,
            reason: "the key that the session is bound to is not on this device")
    }

    /// Without a refresh token, the session ends with its access token, not before.
    private func nothingToRenewWith(_ ticket: LiveSession.Ticket) async throws {
        guard case .expired = keeper.reading() else {
            throw WalletError(
                .unsupportedByServer, .refused, during: .refresh,
                reason: "the server issued no refresh token; many servers issue one for the scope offline_access")
        }
        let end = try await keeper.change {
            $0.endWithoutRefreshToken(of: ticket.generation, spent: ticket.accessToken)
        }
        switch end {
        case .alreadyRenewed: return
        case .ended: throw WalletError.signedOut(.tokenExpired, .refresh)
        case .superseded(let reason): throw WalletError.signedOut(reason, .refresh)
        }
    }
}

extension RenewalVerdict {
    /// The same verdict, with the URL of the answer in its error.
    fileprivate func from(_ answer: ServerAnswer) -> RenewalVerdict {
        func named(_ error: WalletError) -> WalletError {
            var error = error
            error.answeredBy = answer.url
            error.isFromWalletAuth = answer.isOwnKind
            return error
        }
        return switch self {
        case .renewed: self
        case .flawed(let token, let isUnjudged, let error): .flawed(token, isUnjudged: isUnjudged, named(error))
        case .another(let revocation, let error): .another(revocation, named(error))
        }
    }
}
