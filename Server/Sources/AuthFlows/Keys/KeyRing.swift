package import AuthCore
internal import AuthStore
internal import Crypto
internal import Synchronization
internal import WalletAuthWire

/// Every key of the server, unwrapped once and kept in memory: data keys by purpose, and the signing keys.
///
/// The store holds the truth. What is here is a copy that other processes' rotations make stale: it is read anew every
/// minute, and at once when a key id shows up that it does not know.
package final class KeyRing: Sendable {
    /// The keys as they were read at one moment.
    struct Snapshot: Sendable {
        var dataKeys: [KeyPurpose: [KeyID: Opening]] = [:]
        var active: [KeyPurpose: DataKey] = [:]
        var signing: [(record: SigningKeyRecord, key: SigningKey)] = []
        var readAt: Timestamp
    }

    /// A data key, and until when it opens.
    struct Opening: Sendable {
        var key: DataKey
        var until: Timestamp?

        func key(at now: Timestamp) -> DataKey? {
            until.map { now < $0 } ?? true ? key : nil
        }
    }

    /// What is known, and who is finding out.
    private struct State {
        var snapshot: Snapshot
        /// The read that callers are waiting for.
        var loading: Task<Void, any Error>?
        /// When the last one of those began.
        var triedAt: Timestamp
        /// Reads begun, and the latest of them whose result is here: an older one must not take its place.
        var begun = 0
        var applied = 0
    }

    /// The keys that have to be there are not, or do not open.
    struct Incomplete: Error, CustomStringConvertible {
        var description: String
    }

    private let database: any Database
    private let masterKey: MasterKey
    private let state: Mutex<State>
    private static let staleAfter = Duration.seconds(60)
    private static let leastInterval = Duration.seconds(1)

    init(database: any Database, masterKey: MasterKey, now: Timestamp) async throws {
        self.database = database
        self.masterKey = masterKey
        let snapshot = try await Self.read(database, masterKey: masterKey, now: now)
        state = Mutex(State(snapshot: snapshot, triedAt: now))
    }

    /// The key that seals for a purpose now.
    package func active(_ purpose: KeyPurpose) throws -> DataKey {
        guard let key = state.withLock({ $0.snapshot.active[purpose] }) else {
            throw Incomplete(description: "no data key for \(purpose.rawValue)")
        }
        return key
    }

    /// The key of an id, retired ones included as long as they open.
    func key(_ purpose: KeyPurpose, _ id: KeyID, at now: Timestamp) -> DataKey? {
        state.withLock { $0.snapshot.dataKeys[purpose]?[id] }?.key(at: now)
    }

    /// Every key of a purpose that opens, the active one first: where what they made names none.
    func keys(_ purpose: KeyPurpose, at now: Timestamp) -> [DataKey] {
        let (active, all) = state.withLock { ($0.snapshot.active[purpose], $0.snapshot.dataKeys[purpose] ?? [:]) }
        guard let active else { return [] }
        return [active] + all.values.compactMap { $0.key(at: now) }.filter { $0.id != active.id }
    }

    /// The key of an id; reads the store when this process does not know it yet.
    func key(_ purpose: KeyPurpose, _ id: KeyID, now: Timestamp) async throws -> DataKey? {
        let isKnown = state.withLock { $0.snapshot.dataKeys[purpose]?[id] != nil }
        if !isKnown { try await loadOnce(now: now) { _ in true } }
        return key(purpose, id, at: now)
    }

    /// The key that signs by an algorithm now.
    func signer(_ algorithm: SigningAlgorithm) throws -> SigningKey {
        let signing = state.withLock { $0.snapshot.signing }
        guard let entry = signing.first(where: { $0.record.state == .active && $0.key.algorithm == algorithm }) else {
            throw Incomplete(description: "no active signing key for \(algorithm.rawValue)")
        }
        return entry.key
    }

    /// The published key of an id.
    func signingKey(_ id: String) -> SigningKey? {
        // By place: an entry is a dozen references to count, and this is asked at every token.
        state.withLock { state in
            let place = state.snapshot.signing.indices.first { state.snapshot.signing[$0].key.id == id }
            return place.map { state.snapshot.signing[$0].key }
        }
    }

    /// The public halves of every published key, those to come included.
    func publishedKeys() -> JWKSet {
        JWKSet(state.withLock { $0.snapshot.signing.map(\.key.publicKey) })
    }

    /// Reads the keys anew when the copy is a minute old.
    func refreshIfStale(now: Timestamp) async throws {
        try await loadOnce(now: now) { Self.lie($0.readAt, now, apart: Self.staleAfter) }
    }

    /// Reads the keys anew, also while another read is under way: that one may have begun before what was just written.
    func reload(now: Timestamp) async throws {
        let ticket = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        let snapshot = try await Self.read(database, masterKey: masterKey, now: now)
        state.withLock { state in
            guard ticket > state.applied else { return }
            state.applied = ticket
            state.snapshot = snapshot
        }
    }

    /// Reads the keys anew where somebody needs it: one read for all who ask while it is under way, and none within a
    /// second of the last, so that forged ids do not turn into a read each.
    private func loadOnce(now: Timestamp, where isNeeded: (Snapshot) -> Bool) async throws {
        let loading = state.withLock { state -> Task<Void, any Error>? in
            guard isNeeded(state.snapshot) else { return nil }
            if let loading = state.loading { return loading }
            guard Self.lie(state.triedAt, now, apart: Self.leastInterval) else { return nil }
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

    /// Whether two moments lie so far apart, in whichever order: a clock that was moved back counts once, and requests
    /// that read the clock a moment apart do not.
    private static func lie(_ one: Timestamp, _ other: Timestamp, apart distance: Duration) -> Bool {
        other - one >= distance || one - other >= distance
    }

    private static func read(_ database: any Database, masterKey: MasterKey, now: Timestamp) async throws -> Snapshot {
        let (dataKeys, signingKeys) = try await database.read { connection in
            (try DataKeys.all(on: connection), try SigningKeys.published(on: connection))
        }
        var snapshot = Snapshot(readAt: now)
        for record in dataKeys {
            // A purpose that this version does not know belongs to a newer one, which left a database it can share.
            guard let purpose = KeyPurpose(rawValue: record.purpose) else { continue }
            let key = try masterKey.unwrap(record)
            let life = purpose.opensAfterRetirement
            let until = record.retiredAt.flatMap { retiredAt in life.map { retiredAt + $0 } }
            snapshot.dataKeys[purpose, default: [:]][key.id] = Opening(key: key, until: until)
            if record.retiredAt == nil { snapshot.active[purpose] = key }
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
