import Crypto
import Foundation
import WalletAuthWire

/// One account's entries in the secure store, whose values have a few kilobytes each: the newest entries are in the
/// head, which also lists the pages with the older ones. All calls need ``lock``.
struct HistoryPages: Sendable {
    let store: any SecureStore
    let lock: SecureStoreLock
    private let name: String

    /// How long an entry is kept.
    static let lifetime = Duration.seconds(90 * 86_400)
    /// The maximum number of entries.
    static let most = pageSize + mostPages * pageSize
    private static let pageSize = 8
    private static let mostPages = 24
    /// One more than there are pages, so that a new page overwrites none that the stored head lists.
    private static let slots = 0...mostPages

    /// The stored forms. The version lets later releases recognize what they read.
    private struct Head: Codable {
        struct Listed: Codable {
            var slot: Int
            /// The time of its newest entry.
            var endsAt: Instant
        }

        var version = 1
        /// Oldest first.
        var pages: [Listed] = []
        /// Oldest first.
        var entries: [HistoryEntry] = []
    }

    private struct Page: Codable {
        var version = 1
        var entries: [HistoryEntry]
    }

    init(store: any SecureStore, namespace: String, account: AccountID) {
        // An account's id is any text.
        let digest = SHA256.hash(data: Data(account.rawValue.utf8)).prefix(9)
        self.store = store
        name = "\(namespace).history.\(Base64URL.encode(Array(digest)))"
        lock = SecureStoreLock(name)
    }

    private var headKey: SecureStoreKey { SecureStoreKey(name) }
    private func key(_ slot: Int) -> SecureStoreKey { SecureStoreKey("\(name).\(slot)") }

    /// All entries that are not too old, newest first.
    func entries(at now: Instant) async throws -> [HistoryEntry] {
        let head = try await head()
        var entries: [HistoryEntry] = []
        for page in head.pages { entries += try await read(Page.self, key(page.slot))?.entries ?? [] }
        let oldest = (now - Self.lifetime).date
        return (entries + head.entries).reversed().filter { $0.date >= oldest }
    }

    /// Adds an entry, which replaces a former one of the same transaction. An approval stays, and that the time ran out
    /// here does not mean that a signature on its way came too late.
    func add(_ entry: HistoryEntry, at now: Instant) async throws {
        var head = try await head()
        if let former = head.entries.firstIndex(where: { $0.id == entry.id && $0.kind == entry.kind }) {
            let outcome = head.entries[former].outcome
            guard outcome != .approved, outcome != .unconfirmed || entry.outcome != .expired else { return }
            head.entries.remove(at: former)
        }
        head.entries.append(entry)
        if head.entries.count > Self.pageSize { try await turn(&head) }
        try await prune(&head, at: now)
        try await store.put(encoding: head, for: headKey)
    }

    /// Gives an unconfirmed entry its outcome.
    /// - Parameter outcome: nil if it was not signed.
    func settle(_ transaction: TransactionID, _ outcome: HistoryEntry.Outcome?) async throws {
        var head = try await head()
        guard
            let index = head.entries.firstIndex(where: {
                $0.id == transaction.rawValue && $0.kind == .transaction && $0.outcome == .unconfirmed
            })
        else { return }
        if let outcome { head.entries[index].outcome = outcome } else { head.entries.remove(at: index) }
        try await store.put(encoding: head, for: headKey)
    }

    func removeAll() async throws {
        // The head last: until then, a removal that failed can be repeated.
        for slot in Self.slots { try await store.remove(key(slot)) }
        try await store.remove(headKey)
    }

    /// Moves the oldest entries of the head to a page. The head is stored afterwards, so a crash loses none.
    private func turn(_ head: inout Head) async throws {
        let entries = Array(head.entries.prefix(Self.pageSize))
        let listed = Set(head.pages.map(\.slot))
        guard let slot = Self.slots.first(where: { !listed.contains($0) }),
            let endsAt = entries.map({ Instant($0.date) }).max()
        else { return }
        try await store.put(encoding: Page(entries: entries), for: key(slot))
        head.entries.removeFirst(entries.count)
        head.pages.append(Head.Listed(slot: slot, endsAt: endsAt))
    }

    private func prune(_ head: inout Head, at now: Instant) async throws {
        let oldest = now - Self.lifetime
        head.entries.removeAll { $0.date < oldest.date }
        while let first = head.pages.first, head.pages.count > Self.mostPages || first.endsAt < oldest {
            try await store.remove(key(first.slot))
            head.pages.removeFirst()
        }
    }

    /// A head that cannot be read is replaced by an empty one: no decision depends on the history.
    private func head() async throws -> Head { try await read(Head.self, headKey) ?? Head() }

    private func read<Form: Decodable>(_ form: Form.Type, _ key: SecureStoreKey) async throws -> Form? {
        do {
            return try await store.get(key).flatMap { try? JSONDecoder().decode(form, from: $0) }
        } catch let failure as SecureStoreFailure where failure.kind == .damaged {
            return nil
        }
    }
}
