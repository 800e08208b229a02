import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Revokes, at the server, the sessions that ended on this device, as soon as the server can be reached.
///
/// The queue is in the store, which other wallets of this process and other processes share. Each of them may send any
/// entry and remove it, one request of the queue at a time. So an entry that is no longer queued says nothing about the server's
/// answer to it.
struct Revoker: Sendable {
    /// The server's answer to a revocation, which is the outcome of its sign-out: revoked, refused or not offered.
    typealias Outcome = Wallet.LogoutOutcome

    /// How one request for a revocation ended.
    private enum Delivery: Sendable {
        case answered(Outcome)
        /// Nothing was sent: another wallet of this store has sent it meanwhile, or a sign-out holds it back.
        case skipped
        /// No answer to this one, which says nothing about the others.
        case failed
        /// Nothing can be delivered right now.
        case unavailable
    }

    let keeper: SessionKeeper
    let endpoint: TokenEndpointClient
    let log: DiagnosticsLog
    private let flight = SingleFlight<Bool>(.outlivesItsCallers)
    /// The requests under way: a sign-out and the queue share the request for the same token.
    private let deliveries = LockedValue<[PresentedToken: SingleFlight<Delivery>]>([:])
    private let hold = SendingHold()
    /// The revocations that the last sign-out found dropped.
    private let droppedRevocations = LockedValue(0)
    /// The newest answers, for the sign-outs that wait for them.
    private let answers = LockedValue<[(token: PresentedToken, outcome: Outcome)]>([])
    private let lastRefusal = LockedValue<WalletError?>(nil)

    /// The server's last refusal of a revocation; nil if there was none.
    var refusal: WalletError? { lastRefusal.withLock { $0 } }

    /// How many revocations the last sign-out in this process found dropped for lack of room.
    var dropped: Int { droppedRevocations.withLock { $0 } }

    /// Takes the number of dropped revocations out of the store, for a sign-out to report.
    func countDropped() async {
        let count = (try? await keeper.change { $0.takeDroppedRevocations() }) ?? 0
        droppedRevocations.withLock { $0 = count }
    }

    /// The server's answer to a revocation in this process; nil if there was none.
    func answer(to revocation: StoredRecord.QueuedRevocation) -> Outcome? {
        answers.withLock { $0.last { $0.token == revocation.token }?.outcome }
    }

    /// Sends the queue.
    /// - Parameter asked: tokens that have just been sent.
    /// - Returns: whether the server has learned of everything, and refused nothing.
    func send(except asked: Set<PresentedToken> = []) async throws -> Bool {
        var hasRefused = false
        // A run already under way may have read the queue before the newest entry, so run again.
        for _ in 0..<2 {
            hasRefused = try await flight.run { [self] in await sendQueued(except: asked) } || hasRefused
            // A refusal without a reason is not repeated immediately.
            let left = try await keeper.change { $0.sendableRevocations }
            if left.allSatisfy({ $0.refusals > 0 }) { return !hasRefused && left.isEmpty }
        }
        return false
    }

    /// Sends one entry before anything else that waits, and then the queue. For the result, see ``answer(to:)``.
    ///
    /// It is sent even if it is no longer queued: its answer may have gone to another process. A second revocation of
    /// the same token is harmless (RFC 7009 §2.2).
    func send(_ revocation: StoredRecord.QueuedRevocation) async {
        // Asked twice if need be: a connection may break.
        for _ in 0..<2 where answer(to: revocation) == nil {
            do {
                try await hold.waitForEnd()
                // Another process may have signed in to the same session of the server meanwhile.
                let endsAnother = try await keeper.change { record in
                    record.session.map { revocation.mayEnd($0) } ?? false
                }
                if endsAnother { return }
                if case .unavailable = try await deliver(revocation) { return }
            } catch { return }
        }
        if answer(to: revocation) != nil { _ = try? await send(except: [revocation.token]) }
    }

    /// Sends a revocation that did not fit in the queue.
    func sendUnqueued(_ revocation: StoredRecord.QueuedRevocation) async -> Outcome? {
        guard let answer = try? await endpoint.revoke(revocation) else { return nil }
        return note(answer, to: revocation)
    }

    /// Sends nothing while `work` runs.
    func holding<T>(_ work: () async -> T) async -> T {
        hold.begin()
        defer { hold.finish() }
        return await work()
    }

    /// Sends the queue in the background, if there is one.
    func sendInBackground() {
        flight.start { [self] in await sendQueued() }
    }

    /// Sends the queue. Failures stay queued and are never thrown.
    /// - Returns: whether the server refused one of them, or offers no revocation.
    private func sendQueued(except asked: Set<PresentedToken> = []) async -> Bool {
        var hasRefused = false
        var asked = asked
        // Read again after each: entries queued meanwhile go with this run.
        while let due = try? await dueRevocations() {
            guard let revocation = due.first(where: { !asked.contains($0.token) }) else { return hasRefused }
            asked.insert(revocation.token)
            guard !hold.isOn, let delivery = try? await deliverQueued(revocation) else { return hasRefused }
            switch delivery {
            case .answered(.revoked), .skipped: continue
            case .answered: hasRefused = true
            // It does not keep the others from being sent.
            case .failed: continue
            case .unavailable: return hasRefused
            }
        }
        return hasRefused
    }

    /// The revocations to send now: those that may be sent, and were not refused a moment ago.
    private func dueRevocations() async throws -> [StoredRecord.QueuedRevocation] {
        try await keeper.change { [clock = keeper.clock] record -> [StoredRecord.QueuedRevocation] in
            // Reading the record may have corrected the clock.
            let now = clock.now
            return record.sendableRevocations.filter { !$0.isPaused(at: now) }
        }
    }

    /// Sends one revocation, or joins the request for it that is under way. The answer is recorded even if the caller
    /// is cancelled.
    private func deliver(_ revocation: StoredRecord.QueuedRevocation) async throws -> Delivery {
        let delivery = deliveries.withLock { deliveries -> SingleFlight<Delivery> in
            let delivery = deliveries[revocation.token] ?? SingleFlight(.outlivesItsCallers)
            deliveries[revocation.token] = delivery
            return delivery
        }
        return try await delivery.run { [self] in
            defer { deliveries.withLock { $0[revocation.token] = nil } }
            return await deliverOnce(revocation)
        }
    }

    /// Sends an entry of the queue once no other wallet of this store sends its own, if it is still due then: the server gets
    /// each revocation once. A sign-out's own does not wait for that, since another wallet's request may be slow.
    private func deliverQueued(_ revocation: StoredRecord.QueuedRevocation) async throws -> Delivery {
        do {
            return try await keeper.withRevocationLock { [self] () async throws -> Delivery in
                let isDue = try await dueRevocations().contains { $0.token == revocation.token }
                guard isDue, !hold.isOn else { return .skipped }
                return try await deliver(revocation)
            }
        } catch let failure as SecureStoreFailure where failure.kind == .full {
            // A full disk may have no room for a lock. The sign-out matters more than a request too many.
            return try await deliver(revocation)
        }
    }

    private func deliverOnce(_ revocation: StoredRecord.QueuedRevocation) async -> Delivery {
        let answer: TokenEndpointClient.RevocationAnswer
        if self.answer(to: revocation) == .revoked {
            // The queue was read before the sign-out that waited for this one had its answer.
            answer = .revoked
        } else {
            do { answer = try await endpoint.revoke(revocation) } catch { return .unavailable }
        }
        let now = keeper.clock.now
        guard let outcome = note(answer, to: revocation) else {
            guard case .failed = answer else { return .unavailable }
            try? await keeper.change { $0.revocationFailed(revocation, at: now) }
            return .failed
        }
        let isFinal = if case .refused(_, let isFinal) = answer { isFinal } else { true }
        let change: Void? = try? await keeper.change {
            if isFinal { $0.revocationAnswered(revocation) } else { $0.revocationRefused(revocation, at: now) }
        }
        // A store that cannot record this answer would have the same entries sent over and over.
        return change == nil ? .unavailable : .answered(outcome)
    }

    /// Returns nil if the server cannot be reached right now.
    private func note(
        _ answer: TokenEndpointClient.RevocationAnswer, to revocation: StoredRecord.QueuedRevocation
    ) -> Outcome? {
        let outcome: Outcome
        switch answer {
        case .failed, .unavailable: return nil
        case .revoked: outcome = .revoked
        case .notOffered: outcome = .notOffered
        case .refused(let error, _):
            log.note(error)
            lastRefusal.withLock { $0 = error }
            outcome = .refused
        }
        answers.withLock { answers in
            answers.append((revocation.token, outcome))
            answers.removeFirst(max(0, answers.count - 16))
        }
        return outcome
    }
}
