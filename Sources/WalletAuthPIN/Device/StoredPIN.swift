import Foundation
import WalletAuthWire

/// This device's record of one enrollment's PIN. Nothing in it is derived from the PIN.
struct StoredPIN: Hashable, Sendable, Codable {
    /// Lets a later version recognize the format.
    private(set) var version = Self.currentVersion
    /// E and r, in the format of ``DeviceShare/stored``.
    var share: Data
    /// The server's key for the epoch that the server confirmed as in use.
    private(set) var pinned: PinnedKey?
    /// The server's keys for epochs that this device asked to activate, oldest first. The answer was lost, or was a
    /// refusal that a repeated request can get as well, so any of them may be in use by now. The server knows which.
    private(set) var candidates: [PinnedKey] = []
    /// Whether the server reported that the PIN is locked.
    private(set) var isLocked = false
    /// The server's reason for the lock; nil if it sent none.
    private(set) var lockReason: PINLockReason?

    private static let currentVersion = 1
    /// A limit that no realistic series of lost answers reaches.
    private static let mostCandidates = 4

    init(share: Data) { self.share = share }

    /// The keys that may be in use, the likeliest first.
    var known: [PinnedKey] { (pinned.map { [$0] } ?? []) + candidates.reversed() }

    /// Records a key before the request to activate its epoch is sent.
    mutating func propose(_ key: PinnedKey) {
        candidates.append(key)
        candidates.removeFirst(max(0, candidates.count - Self.mostCandidates))
    }

    /// Removes a key that is not in use and never will be: its assertion had the wrong PIN.
    mutating func withdraw(_ key: PinnedKey) { candidates.removeAll { $0 == key } }

    /// Records that the server confirmed this epoch as in use, and therefore no other.
    mutating func confirm(_ key: PinnedKey) {
        pinned = key
        candidates = candidates.filter { $0.epoch > key.epoch }
    }

    /// Records that the PIN was activated, or was right.
    mutating func unlock() { (isLocked, lockReason) = (false, nil) }

    /// Records that the server reported a lock, with its reason.
    mutating func lock(_ reason: PINLockReason?) { (isLocked, lockReason) = (true, reason) }

    /// Decodes a record.
    ///
    /// - Returns: nil if the data is not a valid record; the device's share is then lost.
    static func read(_ data: Data) -> StoredPIN? {
        guard let record = try? JSONDecoder().decode(StoredPIN.self, from: data), record.version == currentVersion
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
