internal import AuthCore
internal import AuthStore
internal import Crypto
internal import Synchronization
internal import WalletAuthWire

/// Every key of the server, unwrapped once and kept in memory: data keys by purpose, and the signing keys.
///
/// The store holds the truth. What is here is a copy that other processes' rotations make stale: it is read anew every
/// minute, and at once when a key id shows up that it does not know.
final class KeyRing: Sendable {
    /// The keys as they were read at one moment.
    struct Snapshot: Sendable {
        var dataKeys: [KeyPurpose: [KeyID: DataKey]] = [:]
        var active: [KeyPurpose: DataKey] = [:]
        var signing: [(record: SigningKeyRecord, key: SigningKey)] = []
        var readAt: Timestamp
    }

    /// The keys that have to be there are not, or do not open.
    struct Incomplete: Error, CustomStringConvertible {
        var description: String
    }

    private let database: any Database
    private let masterKey: MasterKey
    private let current: Mutex<Snapshot>
    private static let staleAfter = Duration.seconds(60)
    private static let leastInterval = Duration.seconds(1)

    init(database: any Database, masterKey: MasterKey, now: Timestamp) async throws {
        self.database = database
        self.masterKey = masterKey
        current = Mutex(try await Self.read(database, masterKey: masterKey, now: now))
    }

    /// The key that seals for a purpose now.
    func active(_ purpose: KeyPurpose) throws -> DataKey {
        guard let key = current.withLock({ $0.active[purpose] }) else {
            throw Incomplete(description: "no data key for \(purpose.rawValue)")
        }
        return key
    }

    /// The key of an id, retired ones included.
    func key(_ purpose: KeyPurpose, _ id: KeyID) -> DataKey? {
        current.withLock { $0.dataKeys[purpose]?[id] }
    }

    /// Every key of a purpose, the active one first: where what they made names none.
    func keys(_ purpose: KeyPurpose) -> [DataKey] {
        let (active, all) = current.withLock { ($0.active[purpose], $0.dataKeys[purpose] ?? [:]) }
        guard let active else { return [] }
        return [active] + all.values.filter { $0.id != active.id }
    }

    /// The key of an id; reads the store when this process does not know it yet.
    func key(_ purpose: KeyPurpose, _ id: KeyID, now: Timestamp) async throws -> DataKey? {
        if let key = key(purpose, id) { return key }
        // Forged ids must not turn into a read each.
        guard isOlder(than: Self.leastInterval, now: now) else { return nil }
        try await reload(now: now)
        return key(purpose, id)
    }

    /// The key that signs by an algorithm now.
    func signer(_ algorithm: SigningAlgorithm) throws -> SigningKey {
        let signing = current.withLock { $0.signing }
        guard let entry = signing.first(where: { $0.record.state == .active && $0.key.algorithm == algorithm }) else {
            throw Incomplete(description: "no active signing key for \(algorithm.rawValue)")
        }
        return entry.key
    }

    /// The published key of an id.
    func signingKey(_ id: String) -> SigningKey? {
        current.withLock { $0.signing.first { $0.key.id == id }?.key }
    }

    /// The public halves of every published key, those to come included.
    func publishedKeys() -> JWKSet {
        JWKSet(current.withLock { $0.signing.map(\.key.publicKey) })
    }

    /// Reads the keys anew when the copy is a minute old.
    func refreshIfStale(now: Timestamp) async throws {
        guard isOlder(than: Self.staleAfter, now: now) else { return }
        try await reload(now: now)
    }

    /// Reads the keys anew.
    func reload(now: Timestamp) async throws {
        let snapshot = try await Self.read(database, masterKey: masterKey, now: now)
        current.withLock { $0 = snapshot }
    }

    private func isOlder(than age: Duration, now: Timestamp) -> Bool {
        let readAt = current.withLock { $0.readAt }
        return now - readAt >= age || now < readAt
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
            snapshot.dataKeys[purpose, default: [:]][key.id] = key
            if record.retiredAt == nil { snapshot.active[purpose] = key }
        }
        for record in signingKeys {
            guard let algorithm = SigningAlgorithm(rawValue: record.algorithm), let sealed = record.sealedPrivate else {
                continue
            }
            guard let id = Sealing.keyID(of: sealed), let key = snapshot.dataKeys[.signing]?[id],
                let privateBytes = Sealing.open(sealed, with: key, context: Self.context(signingKey: record.kid))
            else { throw Incomplete(description: "signing key \(record.kid) does not open") }
            snapshot.signing.append(
                (record, try SigningKey(algorithm, id: record.kid, privateBytes: privateBytes)))
        }
        return snapshot
    }

    static func context(signingKey kid: String) -> String { "signing_keys|sealed_private|\(kid)" }
}
