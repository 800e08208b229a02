import Foundation
import WalletAuth
import WalletAuthWire

/// What this device keeps of one enrollment's PIN. Nothing here is derived from the PIN.
struct KeptPIN: Hashable, Sendable, Codable {
    /// So that a later version can tell what it reads.
    private(set) var version = Self.currentVersion
    /// E and r, as ``DeviceShare/stored`` has them.
    var share: Data
    /// The server's key of the epoch that the server said is in use.
    private(set) var pinned: PinnedKey?
    /// The server's keys of epochs that were asked to be put into use, oldest first. Their answer did not come, or was a refusal that
    /// a repetition gets as well: any of them may be in use by now. Which one is, the server says.
    private(set) var candidates: [PinnedKey] = []
    /// Whether the server said that the PIN is locked.
    private(set) var isLocked = false
    /// Why, as the server said; nil also in a record that was written before it said so.
    private(set) var lockReason: PINLockReason?

    private static let currentVersion = 1
    /// Nobody loses more answers than that and goes on.
    private static let mostCandidates = 4

    init(share: Data) { self.share = share }

    /// The keys that may be in use, the likeliest first.
    var known: [PinnedKey] { (pinned.map { [$0] } ?? []) + candidates.reversed() }

    /// A request to put an epoch into use is about to be sent.
    mutating func propose(_ key: PinnedKey) {
        candidates.append(key)
        candidates.removeFirst(max(0, candidates.count - Self.mostCandidates))
    }

    /// It is not in use and never will be: its assertion had the wrong PIN.
    mutating func withdraw(_ key: PinnedKey) { candidates.removeAll { $0 == key } }

    /// The server said that this epoch is in use, and so every other one is not.
    mutating func confirm(_ key: PinnedKey) {
        pinned = key
        candidates = candidates.filter { $0.epoch > key.epoch }
    }

    /// The PIN was put into use, or was right.
    mutating func unlock() { (isLocked, lockReason) = (false, nil) }

    /// The server said that it is locked, and why.
    mutating func lock(_ reason: PINLockReason?) { (isLocked, lockReason) = (true, reason) }

    /// Reads what was kept.
    /// - Returns: nil if it is not what is kept here: the device's share is lost then.
    static func read(_ data: Data) -> KeptPIN? {
        guard let record = try? JSONDecoder().decode(KeptPIN.self, from: data), record.version == currentVersion
        else {
            return nil
        }
        return record
    }

    func written() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}
