import Foundation
import WalletAuthTransport
import WalletAuthWire

/// What was signed, agreed to or rejected on this device, for each of its enrolled accounts. It survives sign-outs, and
/// is removed with the enrollment.
///
/// A store that fails never fails a signature: the failure is noted in the diagnostics.
struct ApprovalHistory: Sendable {
    let enrollments: EnrollmentStore
    let namespace: String
    let clock: ServerClock
    let log: DiagnosticsLog
    /// The last write of this process.
    private let lastWrite = LockedValue<Task<Void, Never>?>(nil)

    private static let operation = WalletError.Operation.transactionHistory

    /// The time for entries.
    var now: Instant { clock.now }

    /// Records how something ended, if this device is enrolled for its account.
    func note(_ entry: HistoryEntry) async {
        await write(entry.account) { [clock] in try await $0.add(entry, at: clock.now) }
    }

    /// Records how a transaction ended that an earlier flow signed without learning its end.
    func settle(_ transaction: TransactionID, _ status: TransactionStatus?, of account: AccountID) async {
        let outcome: HistoryEntry.Outcome? =
            switch status {
            case .signed: .approved
            case .rejected: .rejected
            case .expired: .expired
            default: nil
            }
        guard status != nil else { return }
        await write(account) { try await $0.settle(transaction, outcome) }
    }

    /// Returns the entries of an account, or of all accounts of this device, newest first.
    func entries(of account: AccountID?) async throws -> [HistoryEntry] {
        await lastWrite.withLock { $0 }?.value
        let enrolled = try await enrollments.all().map(\.account)
        var found: [HistoryEntry] = []
        for each in enrolled where account == nil || each == account {
            let pages = pages(of: each)
            let now = clock.now
            found += try await enrollments.store.withExclusiveLock(pages.lock) { try await pages.entries(at: now) }
        }
        return found.sorted { $0.date > $1.date }
    }

    /// Runs the removal of an account's enrollment and entries, between which no process adds an entry. It runs to the end even if
    /// the caller is cancelled.
    func whileUnwritten<T: Sendable>(
        of account: AccountID, _ removal: @escaping @Sendable (HistoryPages) async throws -> T
    ) async throws -> T {
        let pages = pages(of: account)
        return try await Task { [enrollments] in
            try await enrollments.store.withExclusiveLock(pages.lock) { try await removal(pages) }
        }.value
    }

    private func pages(of account: AccountID) -> HistoryPages {
        HistoryPages(store: enrollments.store, namespace: namespace, account: account)
    }

    private func write(
        _ account: AccountID, _ change: @escaping @Sendable (HistoryPages) async throws -> Void
    ) async {
        let pages = pages(of: account)
        // The end of a flow waits for its entry: an app may be killed as soon as it has shown the end.
        await inOrder { [enrollments] in
            try await enrollments.store.withExclusiveLock(pages.lock) {
                // The device may have been removed while the flow ran.
                guard try await enrollments.find(account) != nil else { return }
                try await change(pages)
            }
        }.value
    }

    /// Runs after the earlier writes, and to the end even if the caller is cancelled.
    private func inOrder(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        lastWrite.withLock { last in
            let former = last
            let task = Task { [log] in
                await former?.value
                do { try await work() } catch { log.note(WalletError.wrap(error, Self.operation)) }
            }
            last = task
            return task
        }
    }
}
