import Foundation
import WalletAuthWire

/// Tells the server of the sessions that were ended on this device, as soon as it can be reached.
final class Revoker: Sendable {
    private let keeper: SessionKeeper
    private let endpoint: TokenEndpoint
    private let flight = SingleFlight<Bool>(.outlivesItsCallers)
    /// How many sign-outs are at a point where nothing may be sent yet.
    private let holds = Protected(0)

    init(keeper: SessionKeeper, endpoint: TokenEndpoint) {
        self.keeper = keeper
        self.endpoint = endpoint
    }

    /// Sends what is queued.
    /// - Returns: whether nothing is left.
    func send() async throws -> Bool {
        // A run that was under way may have read the queue before the newest entry: then another one is made.
        for _ in 0..<2 {
            _ = try await flight.run { [self] in await sendQueued() }
            if try await keeper.change({ $0.revocations.isEmpty }) { return true }
        }
        return false
    }

    /// Sends one that there was no room to queue.
    func send(_ session: Session) async -> Bool {
        var record = SessionRecord()
        record.queueRevocation(of: session)
        guard let revocation = record.revocations.first else { return true }
        return (try? await endpoint.revoke(revocation, policy: .once)) ?? false
    }

    /// Sends nothing while `work` runs.
    func holding<T>(_ work: () async -> T) async -> T {
        holds.withLock { $0 += 1 }
        defer { holds.withLock { $0 -= 1 } }
        return await work()
    }

    /// Sends what is queued beside the caller, if there is anything.
    func sendBeside() {
        flight.start { [self] in await sendQueued() }
    }

    /// Never throws: what fails stays queued.
    private func sendQueued() async -> Bool {
        // Read again after each: what was queued meanwhile goes with this run.
        while let queued = try? await keeper.change({ $0.revocations }) {
            guard let revocation = queued.first else { return true }
            guard holds.withLock({ $0 }) == 0, (try? await endpoint.revoke(revocation, policy: .once)) == true,
                (try? await keeper.change { $0.revocationAnswered(revocation) }) != nil
            else { return false }
        }
        return false
    }
}
