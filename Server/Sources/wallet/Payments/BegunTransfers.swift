import Foundation
import WalletAuth
import WalletAuthWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A transfer that was about to be sent, and whose result this wallet does not know.
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

    /// How long a backend remembers its response to a key. After that, a repetition would be another payment.
    static let lifetime: TimeInterval = 86_400

    /// Whether a person would take another transfer for this one.
    func isLike(_ other: BegunTransfer) -> Bool {
        backend == other.backend && amount == other.amount
            && payee.compare(other.payee, options: [.caseInsensitive, .widthInsensitive]) == .orderedSame
    }

    /// What is known of it, as a part of a sentence.
    private var words: String {
        "transfer of \(amount.words) to \(payee) was begun at \(begunAt.formatted(.iso8601)) and may have been paid"
    }

    private var nextStep: String {
        let step = isInterrupted == true ? "check wallet balance, then" : "\(Failure.repetition(with: key)); or"
        return "\(step) forget it with: wallet status --forget \(key)"
    }

    /// The sentence for a person, who may know nothing of it any more.
    /// - Parameter profile: the profile, unless it is the default one.
    func notice(of profile: String?) -> String {
        "A \(words): \(profile.map { Failure.naming($0, in: nextStep) } ?? nextStep)."
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

    /// Those of an account, oldest first.
    func all(of subject: String) throws -> [BegunTransfer] { try living().filter { $0.subject == subject } }

    /// Adds a transfer before it is sent. The same key is the same transfer.
    /// - Parameter again: whether it may be like another one whose result is unknown.
    /// - Returns: whether its key is new.
    /// - Throws: ``Failure`` `transfer_begun` if it may have been paid under another key.
    func begin(_ transfer: BegunTransfer, again: Bool) throws -> Bool {
        try locked {
            let begun = try living()
            let own = begun.filter { $0.subject == transfer.subject }
            if own.contains(where: { $0.key == transfer.key }) { return false }
            if !again, let other = own.last(where: transfer.isLike) { throw other.refusal }
            try file.save(begun + [transfer])
            return true
        }
    }

    /// Keeps that a transfer cannot be repeated any more.
    func interrupt(_ key: String) throws {
        try locked {
            try file.save(
                living().map { transfer in
                    var transfer = transfer
                    if transfer.key == key { transfer.isInterrupted = true }
                    return transfer
                })
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
        return begun.filter { Date().timeIntervalSince($0.begunAt) < BegunTransfer.lifetime }
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
