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

/// The repositories that are asked for the passwords of imported accounts, by brand, cached briefly: every wrong password needs to know
/// whether its brand has one, and hardly any has.
///
/// A change by this process applies at once. Another process gets a notice, and its entry also expires.
package final class AdoptingRepositories: Sendable {
    private struct Entry {
        /// `nil` if the brand has none.
        var provider: IdentityProvider?
        var readAt: Timestamp
    }

    private struct Memory {
        var entries: [BrandID: Entry] = [:]
        /// Number of invalidations. What was read before the latest one may be outdated.
        var forgettings = 0
    }

    private let database: any Database
    private let vault: ProviderVault
    private let lifetime: Duration
    private let memory = Mutex(Memory())
    /// More brands than any operator has. A full cache is emptied.
    private static let capacity = 4096

    init(database: any Database, vault: ProviderVault, lifetime: Duration) {
        self.database = database
        self.vault = vault
        self.lifetime = lifetime
    }

    /// The repository of a brand that is asked now; `nil` if there is none.
    package func find(
        _ brand: BrandID, now: Timestamp
    ) async throws -> (provider: IdentityProvider, settings: RepositorySettings)? {
        let (entry, forgettings) = memory.withLock { ($0.entries[brand], $0.forgettings) }
        let provider: IdentityProvider?
        if let entry, !now.isApart(from: entry.readAt, by: lifetime) {
            provider = entry.provider
        } else {
            provider = try await database.read { try IdentityProviders.adopting(in: brand.rawValue, on: $0)?.record }
                .map(vault.open)
            memory.withLock { memory in
                guard memory.forgettings == forgettings else { return }
                if memory.entries.count >= Self.capacity { memory.entries.removeAll() }
                memory.entries[brand] = Entry(provider: provider, readAt: now)
            }
        }
        guard let provider, case .repository(let settings) = provider.kind, let until = settings.adoptsUntil,
            now < until
        else { return nil }
        return (provider, settings)
    }

    /// Call after a provider was added or removed, here or by another process.
    package func forget() {
        memory.withLock { memory in
            memory.entries.removeAll()
            memory.forgettings += 1
        }
    }
}
