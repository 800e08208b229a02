import WalletAuthTransport

/// The last events, for the diagnostics. It holds only operations, error codes and trace ids, and no text written by a
/// person or a server.
final class DiagnosticsLog: Sendable {
    private let clock: ServerClock
    private let entries = LockedValue<[Wallet.Diagnostics.Event]>([])

    init(clock: ServerClock) { self.clock = clock }

    var events: [Wallet.Diagnostics.Event] { entries.withLock { $0 } }

    func note(_ operation: WalletError.Operation, _ result: String, traceID: String? = nil) {
        let event = Wallet.Diagnostics.Event(at: clock.now.date, operation: operation, result: result, traceID: traceID)
        entries.withLock { entries in
            entries.append(event)
            entries.removeFirst(max(0, entries.count - 32))
        }
    }

    func note(_ error: any Error) {
        guard let error = error as? WalletError else { return }
        note(error.operation, error.code.rawValue, traceID: error.traceID)
    }

    /// Runs one call: its errors are ``WalletError``s of this operation, and are recorded.
    func during<T>(_ operation: WalletError.Operation, _ work: () async throws -> T) async throws -> T {
        do { return try await WalletError.during(operation, work) } catch {
            note(error)
            throw error
        }
    }
}
