package import Core
internal import Foundation
package import Store
internal import Synchronization
package import WalletAuthWire

extension IdentityProviders {
    /// The repository of a brand that is asked for the passwords of imported accounts now; `nil` if there is none.
    package static func adopting(
        in brand: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> IdentityProviderRecord? {
        try adopting(in: brand, on: connection).flatMap { now < $0.until ? $0.record : nil }
    }

    /// The one that is asked for longest, also if its last day is over.
    fileprivate static func adopting(
        in brand: String, on connection: any SQLConnection
    ) throws -> (record: IdentityProviderRecord, until: Timestamp)? {
        try list(brand: brand, limit: 1000, on: connection).compactMap {
            record -> (record: IdentityProviderRecord, until: Timestamp)? in
            guard record.kind == IdentityProvider.Kind.repositoryName else { return nil }
            let settings = try JSONDecoder().decode(RepositorySettings.self, from: Data(record.settings.utf8))
            return settings.adoptsUntil.map { (record, $0) }
        }.max { $0.until < $1.until }
    }
}

/// The systems that the people of a brand come from: the repository that is asked for the passwords of imported accounts, and those whose
/// refresh tokens are exchanged. Every wrong password and every exchange needs them, and hardly any brand has one.
///
/// A change by this process applies at once. Another process gets a notice, and what is cached also expires.
package final class FormerSystems: Sendable {
    private let vault: ProviderVault
    private let repositories: BrandCache<IdentityProvider?>
    private let introspections: BrandCache<[IdentityProvider]>

    init(database: any Database, vault: ProviderVault, lifetime: Duration) {
        self.vault = vault
        repositories = BrandCache(database: database, lifetime: lifetime)
        introspections = BrandCache(database: database, lifetime: lifetime)
    }

    /// The repository of a brand that is asked now; `nil` if there is none.
    package func repository(
        of brand: BrandID, now: Timestamp
    ) async throws -> (provider: IdentityProvider, settings: RepositorySettings)? {
        let provider = try await repositories.value(of: brand, now: now) { [vault] connection in
            try IdentityProviders.adopting(in: brand.rawValue, on: connection).map { try vault.open($0.record) }
        }
        guard let provider, case .repository(let settings) = provider.kind, let until = settings.adoptsUntil,
            now < until
        else { return nil }
        return (provider, settings)
    }

    /// The system of a brand whose refresh tokens a client may exchange now; `nil` if there is none.
    package func introspection(
        for client: String, in brand: BrandID, now: Timestamp
    ) async throws -> (provider: IdentityProvider, settings: IntrospectionSettings, secret: ClientSecret?)? {
        let providers = try await introspections.value(of: brand, now: now) { [vault] connection in
            try IdentityProviders.list(brand: brand.rawValue, limit: 1000, on: connection)
                .filter { $0.kind == IdentityProvider.Kind.introspectionName }
                .map { try vault.open($0) }
        }
        for provider in providers {
            guard case .introspection(let settings, let secret) = provider.kind, now < settings.until,
                settings.clients.contains(client)
            else { continue }
            return (provider, settings, secret)
        }
        return nil
    }

    /// Call after a provider was added or removed, here or by another process.
    package func forget() {
        repositories.forget()
        introspections.forget()
    }
}

/// What was read of each brand, kept briefly.
private final class BrandCache<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var readAt: Timestamp
    }

    private struct Memory {
        var entries: [BrandID: Entry] = [:]
        /// Number of invalidations. What was read before the latest one may be outdated.
        var forgettings = 0
    }

    private let database: any Database
    private let lifetime: Duration
    private let memory = Mutex(Memory())
    /// More brands than any operator has. A full cache is emptied.
    private static var capacity: Int { 4096 }

    init(database: any Database, lifetime: Duration) {
        self.database = database
        self.lifetime = lifetime
    }

    func value(
        of brand: BrandID, now: Timestamp, read: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let (entry, forgettings) = memory.withLock { ($0.entries[brand], $0.forgettings) }
        if let entry, !now.isApart(from: entry.readAt, by: lifetime) { return entry.value }
        let value = try await database.read(read)
        memory.withLock { memory in
            guard memory.forgettings == forgettings else { return }
            if memory.entries.count >= Self.capacity { memory.entries.removeAll() }
            memory.entries[brand] = Entry(value: value, readAt: now)
        }
        return value
    }

    func forget() {
        memory.withLock { memory in
            memory.entries.removeAll()
            memory.forgettings += 1
        }
    }
}
