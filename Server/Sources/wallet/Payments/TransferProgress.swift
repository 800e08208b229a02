import Programs
import Synchronization
import WalletAuth

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

    private let transfer: BegunTransfer
    private let begun: BegunTransfers
    /// The profile, unless it is the default one.
    private let profile: String?
    private let state = Mutex(Stage.sent)

    /// - Parameter transfer: already in the list, and not sent yet.
    init(_ transfer: BegunTransfer, in begun: BegunTransfers, of profile: String?) {
        self.transfer = transfer
        self.begun = begun
        self.profile = profile
        announce(transfer)
    }

    var stage: Stage { state.withLock { $0 } }

    /// Notes that the backend asks for approval. If this cannot be written, the transfer stays one that may have been paid.
    func ask() {
        state.withLock { stage in
            guard stage != .unapproved, let asked = try? kept() else { return }
            stage = .unapproved
            announce(asked)
        }
    }

    private func kept() throws -> BegunTransfer {
        if let kept = try begun.ask(transfer.key) { return kept }
        var unpaid = transfer
        unpaid.openRequests = 0
        return unpaid
    }

    /// Notes that the request is about to be sent, once it can have been approved.
    /// - Throws: `TransportFailure` if this cannot be written. The request must not be sent then.
    func send() throws {
        try state.withLock { stage in
            guard stage == .unapproved else { return }
            do { try begun.approve(transfer) } catch {
                throw TransportFailure(.unreachable, reason: "the list of begun transfers cannot be written")
            }
            stage = .approved
            announce(transfer)
        }
    }

    /// Notes that this command has paid nothing.
    func withdraw() { try? begun.withdraw(transfer.key, isSent: stage != .unapproved) }

    private func announce(_ transfer: BegunTransfer) {
        InterruptNotice.set(transfer.interruption(of: profile).escapedForOneLine)
    }
}
