import Foundation
import WalletAuthWire

/// Tells the server of the sessions that were ended on this device, as soon as it can be reached.
final class Revoker: Sendable {
    private let keeper: SessionKeeper
    private let endpoint: TokenEndpoint
    private let flight = SingleFlight<Bool>(.outlivesItsCallers)

    init(keeper: SessionKeeper, endpoint: TokenEndpoint) {
        self.keeper = keeper
        self.endpoint = endpoint
    }

    /// Sends what is queued, once each.
    /// - Returns: whether nothing is left.
    func send() async throws -> Bool {
        try await flight.run { [self] in await sendQueued() }
    }

    /// Sends what is queued beside the caller, if there is anything.
    func sendBeside() {
        flight.start { [self] in await sendQueued() }
    }

    /// Never throws: what fails stays queued.
    private func sendQueued() async -> Bool {
        guard let queued = try? await keeper.change({ $0.revocations }) else { return false }
        for revocation in queued {
            guard (try? await endpoint.revoke(revocation, policy: .once)) == true,
                (try? await keeper.change { $0.revocationAnswered(revocation) }) != nil
            else { return false }
        }
        return true
    }
}
