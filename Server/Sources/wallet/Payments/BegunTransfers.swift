import Foundation
import WalletAuth
import WalletAuthWire

/// A transfer that was about to be sent, and whose result this wallet does not know.
///
/// While its backend waits for the person's approval, nothing can have been paid, and it is kept for other commands only.
struct BegunTransfer: Codable, Equatable {
    let key: String
    let backend: URL
    /// The account that pays; empty if its server does not name accounts.
    let subject: String
    let payee: String
    let amount: Money
    let begunAt: Date
    /// Whether its backend takes it no more, since the person has signed in again since.
    var isInterrupted: Bool?
    /// How many commands may have sent a request that pays it, and do not know that it paid nothing; nil if that was not counted.
    var openRequests: Int? = 1
    /// The processes that ask the person to approve it.
    var approvals: [Int32]?

    /// Whether it may have been paid.
    var mayBePaid: Bool { openRequests != 0 }

    /// Whether a running command asks the person to approve it.
    var waitsForApproval: Bool { approvals?.contains { kill($0, 0) == 0 || errno == EPERM } ?? false }

    /// How long a backend remembers its response to a key. After that, a repetition would be another payment.
    static let lifetime: TimeInterval = 86_400

    /// Whether a person would take another transfer for this one.
    func isLike(_ other: BegunTransfer) -> Bool {
        backend == other.backend && amount == other.amount
            && payee.compare(other.payee, options: [.caseInsensitive, .widthInsensitive]) == .orderedSame
    }

    /// What is known of it, as a part of a sentence.
    private var words: String {
        let state = mayBePaid ? "may have been paid" : "waits for your approval in another terminal"
        return "transfer of \(amount.words) to \(payee) was begun at \(begunAt.formatted(.iso8601)) and \(state)"
    }

    private var nextStep: String {
        guard mayBePaid else { return "approve it or cancel it there" }
        let step = isInterrupted == true ? "check wallet balance, then" : "\(Failure.repetition(with: key)); or"
        return "\(step) forget it with: wallet status --forget \(key)"
    }

    /// What there is to do about it.
    /// - Parameter profile: the profile, unless it is the default one.
    func nextStep(of profile: String?) -> String { profile.map { Failure.naming($0, in: nextStep) } ?? nextStep }

    /// The sentence for a person, who may know nothing of it any more.
    /// - Parameter profile: the profile, unless it is the default one.
    func notice(of profile: String?) -> String { "A \(words): \(nextStep(of: profile))." }

    /// What a person reads after Ctrl-C.
    /// - Parameter profile: the profile, unless it is the default one.
    func interruption(of profile: String?) -> String {
        mayBePaid
            ? notice(of: profile)
            : "\(cancellation). It may still be approved on your other device for up to 15 minutes."
    }

    /// What a person reads once it is stopped; a sentence without its full stop.
    var cancellation: String { "The transfer of \(amount.words) to \(payee) is cancelled; nothing was paid" }

    /// What there is to do about it after a sign-out, which ends its repetition.
    /// - Parameter profile: the profile, unless it is the default one.
    func stepAfterSignOut(of profile: String?) -> String {
        let step = "sign in again, check wallet balance, then forget it with: wallet status --forget \(key)"
        return profile.map { Failure.naming($0, in: step) } ?? step
    }

    /// The sentence for a person who signs out.
    /// - Parameter profile: the profile, unless it is the default one.
    func noticeOfSignOut(of profile: String?) -> String {
        "A \(words), and cannot be repeated after this sign-out: \(stepAfterSignOut(of: profile))."
    }

    /// Why another transfer like this one is not sent.
    var refusal: Failure {
        Failure(
            code: "transfer_begun", message: "a \(words)", advice: "\(nextStep); or pay once more with --again")
    }
}

/// The transfers of a profile whose results are unknown, in a file that concurrent commands change in turn.
struct BegunTransfers {
    let folder: URL

    private var file: SavedFile {
        SavedFile(folder: folder, name: "transfers.json", recovery: "check wallet balance before you pay again")
    }

    /// Those of an account that may have been paid, oldest first.
    func all(of subject: String) throws -> [BegunTransfer] {
        try living().filter { $0.subject == subject && $0.mayBePaid }
    }

    /// Adds a transfer before it is sent. The same key is the same transfer.
    /// - Parameter again: whether it may be like another one whose result is unknown.
    /// - Returns: whether its key is new.
    /// - Throws: ``Failure`` `transfer_begun` if it may have been paid under another key, or waits for approval in another terminal.
    func begin(_ transfer: BegunTransfer, again: Bool, by process: Int32 = getpid()) throws -> Bool {
        try locked {
            var begun = try living()
            // A process that has ended may have had this one's number.
            for index in begun.indices { begun[index].approvals?.removeAll { $0 == process } }
            begun.removeAll { !$0.isLiving }
            let own = begun.filter { $0.subject == transfer.subject }
            if own.contains(where: { $0.key == transfer.key }) {
                begun.change(transfer.key) { $0.openRequests? += 1 }
                try file.save(begun)
                return false
            }
            if !again, let other = own.last(where: transfer.isLike) { throw other.refusal }
            try file.save(begun + [transfer])
            return true
        }
    }

    /// Keeps that the backend answered a command's request with the demand for approval: that request paid nothing.
    /// - Returns: the transfer, which may have been paid by another command with its key; nil if the person has had it forgotten.
    func ask(_ key: String, by process: Int32 = getpid()) throws -> BegunTransfer? {
        try locked {
            var begun = try living()
            begun.change(key) { transfer in
                transfer.closeRequest()
                transfer.approvals = (transfer.approvals ?? []).filter { $0 != process } + [process]
            }
            try file.save(begun)
            return begun.first { $0.key == key }
        }
    }

    /// Keeps that a command is about to send the person's approval, which pays. A transfer that is no longer in the list is added again.
    func approve(_ transfer: BegunTransfer, by process: Int32 = getpid()) throws {
        try locked {
            var begun = try living()
            if begun.contains(where: { $0.key == transfer.key }) {
                begun.change(transfer.key) { transfer in
                    transfer.openRequests? += 1
                    transfer.approvals?.removeAll { $0 == process }
                }
            } else {
                begun.append(transfer)
            }
            try file.save(begun)
        }
    }

    /// Keeps that a command paid nothing. The transfer goes unless another command with its key may have paid it.
    /// - Parameter isSent: whether a request of the command counts as one that may have paid.
    func withdraw(_ key: String, isSent: Bool, by process: Int32 = getpid()) throws {
        try locked {
            var begun = try living()
            begun.change(key) { transfer in
                if isSent { transfer.closeRequest() }
                transfer.approvals?.removeAll { $0 == process }
            }
            try file.save(begun.filter(\.isLiving))
        }
    }

    /// Keeps that a transfer cannot be repeated any more.
    func interrupt(_ key: String) throws {
        try locked {
            var begun = try living()
            begun.change(key) { $0.isInterrupted = true }
            try file.save(begun)
        }
    }

    /// Removes a transfer whose result is known.
    /// - Returns: whether there was one.
    @discardableResult
    func forget(_ key: String) throws -> Bool {
        try locked {
            let begun = try living()
            let others = begun.filter { $0.key != key }
            guard others.count < begun.count else { return false }
            try file.save(others)
            return true
        }
    }

    /// Removes a transfer that is paid. A failure to do so does not undo the payment, so it is only reported.
    /// - Parameter profile: the profile, unless it is the default one.
    /// - Returns: the sentence for the person if it could not be removed.
    func settle(_ key: String, of profile: String?) -> String? {
        do {
            try forget(key)
            return nil
        } catch {
            let remark = "It is paid, but could not be struck from the list: wallet status --forget \(key)"
            return profile.map { Failure.naming($0, in: remark) } ?? remark
        }
    }

    private func living() throws -> [BegunTransfer] {
        let begun: [BegunTransfer] = try file.load() ?? []
        return begun.filter(\.isLiving)
    }

    /// Runs `body` while no other command of this profile does. The lock of a command that is killed is free at once.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw Failure(notWriting: folder) }
        let descriptor = open(folder.appendingPathComponent("transfers.lock").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(notWriting: folder) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Failure(notWriting: folder) }
        }
        return try body()
    }
}

extension BegunTransfer {
    /// Whether it matters to a person or to another command.
    fileprivate var isLiving: Bool {
        Date().timeIntervalSince(begunAt) < Self.lifetime && (mayBePaid || waitsForApproval)
    }

    fileprivate mutating func closeRequest() { openRequests = openRequests.map { max(0, $0 - 1) } }
}

extension [BegunTransfer] {
    fileprivate mutating func change(_ key: String, _ body: (inout BegunTransfer) -> Void) {
        for index in indices where self[index].key == key { body(&self[index]) }
    }
}
