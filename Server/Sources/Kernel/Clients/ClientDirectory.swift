package import Core
package import Store
internal import Synchronization
package import WalletAuthWire

/// Clients by id, cached briefly: every request needs one, and they rarely change.
///
/// A change by this process applies at once. Another process gets a notice, and its entry also expires.
///
/// This folder owns registered clients and their cache. It does not authenticate them (`Kernel/Callers`), and the operator's
/// commands that create and change them are in `Operations`.
package final class ClientDirectory: Sendable {
    private struct Entry {
        var client: RegisteredClient
        var readAt: Timestamp
    }

    private struct Memory {
        var entries: [ClientID: Entry] = [:]
        /// Number of invalidations. A client read before the latest one may be outdated.
        var forgettings = 0
        /// The apps that open links to this server, and the time they were read.
        var apps: (linked: LinkedApps, readAt: Timestamp)?
    }

    private let database: any Database
    private let lifetime: Duration
    private let memory = Mutex(Memory())
    /// More than any operator registers. A full cache is emptied.
    private static let capacity = 4096

    package init(database: any Database, lifetime: Duration) {
        self.database = database
        self.lifetime = lifetime
    }

    /// Returns `nil` if the client does not exist or was deleted.
    package func find(_ id: ClientID, now: Timestamp) async throws -> RegisteredClient? {
        if let client = remembered(id, now: now) { return client }
        let forgettings = memory.withLock { $0.forgettings }
        // Unknown ids are not cached: they would fill the memory.
        guard let client = try await database.read({ try Clients.registered(id.rawValue, now: now, on: $0) }) else {
            memory.withLock { $0.entries[id] = nil }
            return nil
        }
        memory.withLock { memory in
            guard memory.forgettings == forgettings else { return }
            if memory.entries.count >= Self.capacity { memory.entries.removeAll() }
            memory.entries[id] = Entry(client: client, readAt: now)
        }
        return client
    }

    /// Finds a client inside a transaction. The result is not cached: it may never be committed, or be older than a later
    /// change.
    package func find(_ id: ClientID, now: Timestamp, on connection: any SQLConnection) throws -> RegisteredClient? {
        if let client = remembered(id, now: now) { return client }
        return try Clients.registered(id.rawValue, now: now, on: connection)
    }

    /// The apps of all clients that open links to this server.
    package func linkedApps(now: Timestamp) async throws -> LinkedApps {
        let (known, forgettings) = memory.withLock { ($0.apps, $0.forgettings) }
        if let known, !now.isApart(from: known.readAt, by: lifetime) { return known.linked }
        var apps = LinkedApps()
        var last = ""
        while true {
            let page = try await database.read { [last] in try Clients.list(after: last, limit: 500, on: $0) }
            for record in page { apps.add(try RegisteredClient(record)) }
            guard page.count == 500, let end = page.last?.id else { break }
            last = end
        }
        memory.withLock { [apps] memory in
            if memory.forgettings == forgettings { memory.apps = (apps, now) }
        }
        return apps
    }

    private func remembered(_ id: ClientID, now: Timestamp) -> RegisteredClient? {
        guard let entry = memory.withLock({ $0.entries[id] }), !now.isApart(from: entry.readAt, by: lifetime) else {
            return nil
        }
        return entry.client
    }

    /// Call after changing a client.
    package func forget(_ id: ClientID) {
        drop(id)
        database.group?.announce(.client(id.rawValue))
    }

    /// Another process changed a client.
    func drop(_ id: ClientID) {
        memory.withLock { memory in
            // What apps that describe themselves may do depends on another client.
            memory.entries = memory.entries.filter { $0.key != id && !$0.value.client.settings.selfDescribed }
            memory.apps = nil
            memory.forgettings += 1
        }
    }

    /// Other processes may have changed any client.
    func dropAll() {
        memory.withLock { memory in
            memory.entries.removeAll()
            memory.apps = nil
            memory.forgettings += 1
        }
    }
}
