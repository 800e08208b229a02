import Foundation
import WalletAuthWire

/// Revokes, at the server, the sessions that ended on this device, as soon as the server can be reached.
final class Revoker: Sendable {
    /// The server's answer to a revocation.
    enum Outcome: Sendable, Hashable {
        case revoked
        case refused
        case notOffered
    }

    private let keeper: SessionKeeper
    private let endpoint: TokenEndpointClient
    private let diagnosticsLog: DiagnosticsLog
    private let flight = SingleFlight<Bool>(.outlivesItsCallers)
    /// The number of sign-outs at a point where nothing may be sent yet.
    private let holds = LockedValue(0)
    /// The newest answers, for the sign-outs that wait for them.
    private let answers = LockedValue<[(token: PresentedToken, outcome: Outcome)]>([])
    private let lastRefusal = LockedValue<WalletError?>(nil)

    init(keeper: SessionKeeper, endpoint: TokenEndpointClient, diagnosticsLog: DiagnosticsLog) {
        self.keeper = keeper
        self.endpoint = endpoint
        self.diagnosticsLog = diagnosticsLog
    }

    /// The server's last refusal of a revocation; nil if there was none.
    var refusal: WalletError? { lastRefusal.withLock { $0 } }

    /// Sends the queue.
    /// - Returns: whether the server has learned of everything.
    func send() async throws -> Bool {
        var isKnown = true
        // A run already under way may have read the queue before the newest entry, so run again.
        for _ in 0..<2 {
            isKnown = try await flight.run { [self] in await sendQueued() } && isKnown
            // A refusal without a reason is not repeated immediately.
            let left = try await keeper.change { $0.revocations }
            if left.allSatisfy({ $0.refusals != nil }) { return isKnown && left.isEmpty }
        }
        return false
    }

    /// Sends the queue, and returns the answer to one entry.
    /// - Returns: nil if the server has not learned of it yet.
    func send(_ revocation: StoredSessions.QueuedRevocation) async -> Outcome? {
        _ = try? await send()
        return answers.withLock { $0.last { $0.token == revocation.token }?.outcome }
    }

    /// Sends a revocation that did not fit in the queue.
    func sendUnqueued(_ revocation: StoredSessions.QueuedRevocation) async -> Outcome? {
        guard let answer = try? await endpoint.revoke(revocation) else { return nil }
        return note(answer, to: revocation)
    }

    /// Sends nothing while `work` runs.
    func holding<T>(_ work: () async -> T) async -> T {
        holds.withLock { $0 += 1 }
        defer { holds.withLock { $0 -= 1 } }
        return await work()
    }

    /// Sends the queue in the background, if there is one.
    func sendBeside() {
        flight.start { [self] in await sendQueued() }
    }

    /// Sends the queue. Failures stay queued and are never thrown.
    /// - Returns: whether the server has ended everything it was told of.
    private func sendQueued() async -> Bool {
        var isKnown = true
        var asked: Set<PresentedToken> = []
        // Read again after each: entries queued meanwhile go with this run.
        while let queued = try? await keeper.change({ $0.revocations }) {
            guard let revocation = queued.first(where: { !asked.contains($0.token) }) else { return isKnown }
            asked.insert(revocation.token)
            guard holds.withLock({ $0 }) == 0, let answer = try? await endpoint.revoke(revocation) else { return false }
            guard let outcome = note(answer, to: revocation) else {
                guard case .failed = answer else { return false }
                // It does not keep the others from being sent.
                isKnown = false
                continue
            }
            if outcome != .revoked { isKnown = false }
            let isFinal = if case .refused(_, let isFinal) = answer { isFinal } else { true }
            let change: Void? = try? await keeper.change {
                if isFinal { $0.revocationAnswered(revocation) } else { $0.revocationRefused(revocation) }
            }
            guard change != nil else { return false }
        }
        return false
    }

    /// Returns nil if the server cannot be reached right now.
    private func note(
        _ answer: TokenEndpointClient.RevocationAnswer, to revocation: StoredSessions.QueuedRevocation
    ) -> Outcome? {
        let outcome: Outcome
        switch answer {
        case .failed, .unavailable: return nil
        case .revoked: outcome = .revoked
        case .notOffered: outcome = .notOffered
        case .refused(let error, _):
            diagnosticsLog.note(error)
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
