package import Core
package import Store
internal import Synchronization
package import WalletAuthWire

/// Every key of the server, unwrapped once and kept in memory: data keys by purpose, and signing keys.
///
/// The store is authoritative. Rotations by other processes make this copy stale: it is reloaded every minute, at a notice, and at
/// once for a refresh token's unknown key id.
///
/// What a new data key sealed can be opened only by a process that has the key. If several processes share the database, they
/// therefore seal with it only ``settling`` after its creation, when each has reloaded its keys, with or without a notice.
///
/// This folder owns creation, rotation and use of keys. It does not own the keys of devices or
/// those of identity providers.
package final class KeyRing: Sendable {
    /// The keys as read at one moment.
    struct Snapshot: Sendable {
        var dataKeys: [KeyPurpose: [KeyID: LimitedDataKey]] = [:]
        var active: [KeyPurpose: DataKey] = [:]
        var signing: [(record: SigningKeyRecord, key: SigningKey)] = []
        var readAt: Timestamp
    }

    /// A data key, and the time until which it opens.
    struct LimitedDataKey: Sendable {
        var key: DataKey
        var until: Timestamp?

        func key(at now: Timestamp) -> DataKey? {
            until.map { now < $0 } ?? true ? key : nil
        }
    }

    /// The current copy, and the read in progress.
    private struct State {
        var snapshot: Snapshot
        /// The read that callers wait for.
        var loading: Task<Void, any Error>?
        /// Start of the latest shared read.
        var triedAt: Timestamp
        /// Numbers of reads started, and of the newest read whose result was kept. An older read must not replace a newer one.
        var begun = 0
        var applied = 0
    }

    /// Required keys are missing or do not open.
    package struct Incomplete: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) { self.description = description }
    }

    private let database: any Database
    private let masterKeys: MasterKeys
    private let state: Mutex<State>
    private static let staleAfter = Duration.seconds(60)
    private static let leastInterval = Duration.seconds(1)
    /// Longer than a copy of the keys lives, and the difference of two clocks.
    package static let settling = Duration.seconds(90)
    /// How long a retired key may still seal, and so opens longer: until its successor is used, from a copy as old as any.
    private static let handover = Duration.minutes(3)

    package init(database: any Database, masterKeys: MasterKeys, now: Timestamp) async throws {
        self.database = database
        self.masterKeys = masterKeys
        let snapshot = try await Self.read(database, masterKeys: masterKeys, now: now)
        state = Mutex(State(snapshot: snapshot, triedAt: now))
    }

    /// The key that seals for this purpose now.
    package func active(_ purpose: KeyPurpose) throws -> DataKey {
        guard let key = state.withLock({ $0.snapshot.active[purpose] }) else {
            throw Incomplete(description: "no data key for \(purpose.rawValue)")
        }
        return key
    }

    /// The key of an id; retired ones too, as long as they open.
    package func key(_ purpose: KeyPurpose, _ id: KeyID, at now: Timestamp) -> DataKey? {
        state.withLock { $0.snapshot.dataKeys[purpose]?[id] }?.key(at: now)
    }

    /// Every key of a purpose that opens, the active one first. For values that do not name their key.
    package func keys(_ purpose: KeyPurpose, at now: Timestamp) -> [DataKey] {
        let (active, all) = state.withLock { ($0.snapshot.active[purpose], $0.snapshot.dataKeys[purpose] ?? [:]) }
        guard let active else { return [] }
        return [active] + all.values.compactMap { $0.key(at: now) }.filter { $0.id != active.id }
    }

    /// The key of an id; reads the store if this process does not know it yet.
    package func findKey(_ purpose: KeyPurpose, _ id: KeyID, now: Timestamp) async throws -> DataKey? {
        let isKnown = state.withLock { $0.snapshot.dataKeys[purpose]?[id] != nil }
        if !isKnown { try await loadOnce(now: now) { _ in true } }
        return key(purpose, id, at: now)
    }

    /// The key that signs with an algorithm now.
    package func signer(_ algorithm: SigningAlgorithm) throws -> SigningKey {
        let signing = state.withLock { $0.snapshot.signing }
        guard let entry = signing.first(where: { $0.record.state == .active && $0.key.algorithm == algorithm }) else {
            throw Incomplete(description: "no active signing key for \(algorithm.rawValue)")
        }
        return entry.key
    }

    /// The published key of an id.
    package func signingKey(_ id: String) -> SigningKey? {
        // By index: copying an entry counts a dozen references, and every token asks for one.
        state.withLock { state in
            let place = state.snapshot.signing.indices.first { state.snapshot.signing[$0].key.id == id }
            return place.map { state.snapshot.signing[$0].key }
        }
    }

    /// Public halves of every published key, including successors.
    package func publishedKeys() -> JWKSet {
        JWKSet(state.withLock { $0.snapshot.signing.map(\.key.publicKey) })
    }

    /// Reloads the keys if the copy is a minute old.
    package func refreshIfStale(now: Timestamp) async throws {
        try await loadOnce(now: now) { $0.readAt.isApart(from: now, by: Self.staleAfter) }
    }

    /// Reloads the keys even while another read is in progress: that one may have begun before the latest write.
    package func reload(now: Timestamp) async throws {
        let ticket = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        let snapshot = try await Self.read(database, masterKeys: masterKeys, now: now)
        state.withLock { state in
            guard ticket > state.applied else { return }
            state.applied = ticket
            state.snapshot = snapshot
        }
    }

    /// Reloads the keys if needed. Concurrent callers share one read, and none starts within a second of the last: forged ids
    /// must not cause one read each.
    private func loadOnce(now: Timestamp, where isNeeded: (Snapshot) -> Bool) async throws {
        let loading = state.withLock { state -> Task<Void, any Error>? in
            guard isNeeded(state.snapshot) else { return nil }
            if let loading = state.loading { return loading }
            guard state.triedAt.isApart(from: now, by: Self.leastInterval) else { return nil }
            state.triedAt = now
            let task = Task {
                defer { self.state.withLock { $0.loading = nil } }
                try await self.reload(now: now)
            }
            state.loading = task
            return task
        }
        try await loading?.value
    }

    private static func read(_ database: any Database, masterKeys: MasterKeys, now: Timestamp) async throws -> Snapshot
    {
        let (dataKeys, signingKeys) = try await database.read { connection in
            (try DataKeys.all(on: connection), try SigningKeys.published(on: connection))
        }
        var snapshot = Snapshot(readAt: now)
        let isShared = database.group != nil
        // An unknown purpose belongs to a newer version, which may share this database.
        let known = dataKeys.filter { KeyPurpose(rawValue: $0.purpose) != nil }
        // By purpose and id: a later one is newer.
        for (record, key) in zip(known, try masterKeys.unwrap(known)) {
            guard let purpose = KeyPurpose(rawValue: record.purpose) else { continue }
            let life = purpose.opensAfterRetirement
            let until = record.retiredAt.flatMap { retiredAt in
                life.map { retiredAt + $0 + (isShared ? handover : .zero) }
            }
            snapshot.dataKeys[purpose, default: [:]][key.id] = LimitedDataKey(key: key, until: until)
            let seals =
                isShared
                ? snapshot.active[purpose] == nil || record.createdAt + settling <= now : record.retiredAt == nil
            if seals { snapshot.active[purpose] = key }
        }
        for record in signingKeys {
            guard let algorithm = SigningAlgorithm(rawValue: record.algorithm), let sealed = record.sealedPrivate else {
                continue
            }
            guard let id = Sealing.keyID(of: sealed), let key = snapshot.dataKeys[.signing]?[id]?.key,
                let privateBytes = Sealing.open(sealed, with: key, context: Self.context(signingKey: record.kid))
            else { throw Incomplete(description: "signing key \(record.kid) does not open") }
            snapshot.signing.append(
                (record, try SigningKey(algorithm, id: record.kid, privateBytes: privateBytes)))
        }
        return snapshot
    }

    static func context(signingKey kid: String) -> String { "signing_keys|sealed_private|\(kid)" }
}
