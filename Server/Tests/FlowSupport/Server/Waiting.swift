package import Store
import Synchronization
import TestSupport
package import WalletAuthWire

@testable package import Kernel
@testable import SignIn

extension CommittedChanges {
    /// Lets no wait end because its time is up: a busy machine may take as long for what a test does meanwhile.
    package static let stoppedTime: Sleep = { _ in try await hangUntilCancelled() }

    /// The same, but requests still look at their rows every few seconds.
    package static let timeForLooks: Sleep = { duration in
        guard duration == CommittedChanges.lookInterval else { return try await hangUntilCancelled() }
        try await Task.sleep(for: duration)
    }

    /// Comes back once a request waits for a transaction.
    package func whenWaited(for id: TransactionID) async throws {
        guard let id = UniqueID(uuid: id.rawValue) else {
            throw NativeSignInOutcome.Unexpected(what: "not a UUID")
        }
        await whenWaited(for: id)
    }

    /// Comes back once a request waits for a row.
    package func whenWaited(for id: UniqueID) async {
        while state.withLock({ $0.waiting[id] == nil }) { await Task.yield() }
    }

    /// Whether no request waits.
    package var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }
}
