internal import AuthCore
internal import AuthStore
internal import Synchronization
internal import WalletAuthWire

/// Clients by id, kept in memory for a moment: they are needed by every request and change rarely.
///
/// A change made through this process counts at once; one made by another counts when the entry has run out.
final class ClientDirectory: Sendable {
    private struct Entry {
        var client: RegisteredClient
        var readAt: Timestamp
    }

    private let database: any Database
    private let lifetime: Duration
    private let entries = Mutex<[ClientID: Entry]>([:])
    /// More clients than any operator registers; beyond it the cache begins anew.
    private static let capacity = 4096

    init(database: any Database, lifetime: Duration) {
        self.database = database
        self.lifetime = lifetime
    }

    /// The client of an id, unless there is none or it was deleted.
    func find(_ id: ClientID, now: Timestamp) async throws -> RegisteredClient? {
        if let entry = entries.withLock({ $0[id] }), now - entry.readAt < lifetime, now >= entry.readAt {
            return entry.client
        }
        let record = try await database.read { try Clients.find(id.rawValue, on: $0) }
        guard let record else {
            // Not remembered: ids that nobody registered would fill the memory.
            entries.withLock { $0[id] = nil }
            return nil
        }
        let client = try RegisteredClient(record)
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[id] = Entry(client: client, readAt: now)
        }
        return client
    }

    /// Forgets a client that was changed here.
    func forget(_ id: ClientID) {
        entries.withLock { $0[id] = nil }
    }
}
