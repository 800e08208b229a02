import Programs
import Synchronization
import WalletAuth
import WalletAuthWire

/// What a transfer's command knows before it has an answer. Whether a request of it may have paid is kept before that request is sent, and
/// taken back only after the backend has said that it paid nothing: the command may be killed at any moment.
final class TransferProgress: Sendable {
    enum Stage: Sendable {
        /// The request may have been sent. A small payment needs no approval.
        case sent
        /// The backend asked for approval, which was not sent to it.
        case unapproved
        /// The request may have been repeated with the approval.
        case approved
    }

    /// The person ended the command with Ctrl-C while nothing could have been paid.
    struct Interrupted: Error {}

    private struct State {
        var stage = Stage.sent
        var isInterrupted = false
        var onInterrupt: (@Sendable () -> Void)?
    }

    private let transfer: BegunTransfer
    private let begun: BegunTransfers
    /// The profile, unless it is the default one.
    private let profile: String?
    private let state = Mutex(State())

    /// - Parameter transfer: already in the list, and not sent yet.
    init(_ transfer: BegunTransfer, in begun: BegunTransfers, of profile: String?) {
        self.transfer = transfer
        self.begun = begun
        self.profile = profile
        announce(transfer)
    }

    var stage: Stage { state.withLock { $0.stage } }

    /// Runs the call that pays. While it waits for approval, Ctrl-C cancels it, so that the command can withdraw the transfer.
    /// - Throws: ``Interrupted`` after that; what `call` throws.
    func interruptible(_ call: @escaping @Sendable () async throws -> JSONObject) async throws -> JSONObject {
        let task = Task(operation: call)
        let isInterrupted = state.withLock { state in
            state.onInterrupt = { task.cancel() }
            return state.isInterrupted
        }
        if isInterrupted { task.cancel() }
        defer { InterruptNotice.release() }
        do { return try await task.value } catch {
            if state.withLock({ $0.isInterrupted }) { throw Interrupted() }
            throw error
        }
    }

    /// Cancels the call of ``interruptible(_:)`` after Ctrl-C.
    func interrupt() {
        let cancel: (@Sendable () -> Void)? = state.withLock { state in
            guard state.stage == .unapproved else { return nil }
            state.isInterrupted = true
            return state.onInterrupt
        }
        cancel?()
    }

    /// Notes that the backend asks for approval. If this cannot be written, the transfer stays one that may have been paid.
    func ask() {
        state.withLock { state in
            guard state.stage != .unapproved, let asked = try? kept() else { return }
            state.stage = .unapproved
            announce(asked)
            // Another command with its key may have paid it: then Ctrl-C says so at once.
            if !asked.mayBePaid { InterruptNotice.take { self.interrupt() } }
        }
    }

    private func kept() throws -> BegunTransfer {
        if let kept = try begun.ask(transfer.key) { return kept }
        var unpaid = transfer
        unpaid.openRequests = 0
        return unpaid
    }

    /// Notes that the request is about to be sent, once it can have been approved.
    /// - Throws: `TransportFailure` if this cannot be written; `CancellationError` after Ctrl-C. The request must not be sent then.
    func send() throws {
        try state.withLock { state in
            guard state.stage == .unapproved else { return }
            if state.isInterrupted { throw CancellationError() }
            InterruptNotice.release()
            do { try begun.approve(transfer) } catch {
                throw TransportFailure(.unreachable, reason: "the list of begun transfers cannot be written")
            }
            state.stage = .approved
            announce(transfer)
        }
    }

    /// Notes that the person stopped it.
    /// - Returns: what they read.
    func stop(after withdrawal: Withdrawal) -> String {
        guard withdrawal != .over else {
            keepOpen()
            return transfer.notice(of: profile)
        }
        withdraw()
        return "\(transfer.cancellation)\(withdrawal.remark.map { "; \($0)" } ?? "")."
    }

    /// Notes that it may have been paid, by another command with its key.
    func keepOpen() { try? begun.approve(transfer) }

    /// Notes that this command has paid nothing.
    func withdraw() { try? begun.withdraw(transfer.key, isSent: stage != .unapproved) }

    private func announce(_ transfer: BegunTransfer) {
        InterruptNotice.set(transfer.interruption(of: profile).escapedForOneLine)
    }
}
