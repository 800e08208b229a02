package import Core
package import Store
internal import WalletAuthWire

/// The life of keys: created at the first start, rotated by an operator, advanced by time. Other processes get a notice of each change.
package struct KeyRotation: Sendable {
    package let database: any Database
    package let masterKeys: MasterKeys
    package let schedule: SigningKeySchedule
    package let random: any RandomBytes

    package init(
        database: any Database, masterKeys: MasterKeys, schedule: SigningKeySchedule, random: any RandomBytes
    ) {
        self.database = database
        self.masterKeys = masterKeys
        self.schedule = schedule
        self.random = random
    }

    /// Creates missing keys: one data key for each purpose and one signing key for each algorithm.
    /// - Parameter mayLackKeys: whether a database whose keys are not wrapped alike, so that none can be added, is left as it is.
    /// - Throws: ``MasterKeyFault`` if the master keys do not open the keys; ``MixedMasterKeys`` if a missing one cannot be added.
    package func establish(now: Timestamp, mayLackKeys: Bool = false) async throws {
        let present = try await database.read { connection in
            (
                Set(try DataKeys.all(on: connection).map(\.purpose)),
                Set(try SigningKeys.published(on: connection).filter { $0.state == .active }.map(\.algorithm))
            )
        }
        for purpose in KeyPurpose.allCases where !present.0.contains(purpose.rawValue) {
            // If another process is first, its key wins; this one was never used.
            do { try await addDataKey(purpose, id: KeyID(1), now: now) } catch is MixedMasterKeys where mayLackKeys {
                break
            }
        }
        // Master keys that do not fit are refused here, before anything else is written.
        _ = try await KeyRing(database: database, masterKeys: masterKeys, now: now)
        for algorithm in SigningAlgorithm.allCases where !present.1.contains(algorithm.rawValue) {
            // Without this key, no cached key set exists yet, so the first key signs at once.
            let key = try newSigningKey(algorithm)
            let isAdded = try await database.write { connection in
                try SigningKeys.add(try seal(key, state: .active, now: now, on: connection), on: connection)
            }
            if isAdded { database.group?.announce(.keys) }
        }
    }

    /// Writes the audit log's entry about new keys, given their ids, in the transaction that adds them.
    package typealias Recording = @Sendable (_ ids: [String], _ connection: any SQLConnection) throws -> Void

    /// Creates a new key for a purpose; old keys still open what they sealed.
    /// - Returns: its id; `nil` if another process rotated at the same moment.
    package func rotate(
        _ purpose: KeyPurpose, now: Timestamp, recording: @escaping Recording
    ) async throws -> KeyID? {
        let newest = try await database.read { connection in
            try DataKeys.all(on: connection).filter { $0.purpose == purpose.rawValue }.map(\.kid).max() ?? 0
        }
        guard let id = UInt32(exactly: newest + 1) else { return nil }
        return try await addDataKey(purpose, id: KeyID(id), now: now, recording: recording) ? KeyID(id) : nil
    }

    /// Publishes a successor for each algorithm. It signs once every cached key set contains it.
    /// - Returns: the ids of the new keys. An algorithm with a published successor gets no other.
    package func rotateSigningKeys(now: Timestamp, recording: @escaping Recording) async throws -> [String] {
        let keys = try SigningAlgorithm.allCases.map(newSigningKey)
        let ids = try await database.write { connection -> [String] in
            let added = try keys.map { try seal($0, state: .next, now: now, on: connection) }
                .filter { try SigningKeys.add($0, on: connection) }.map(\.kid)
            if !added.isEmpty { try recording(added, connection) }
            return added
        }
        if !ids.isEmpty { database.group?.announce(.keys) }
        return ids
    }

    /// What a revocation changed.
    package struct Revocation: Sendable, Hashable {
        package var revoked: [String]
        /// The keys that took the place of those that signed, or of published successors.
        package var successors: [String]
    }

    /// Publishes a successor for each algorithm, and withdraws those that were published before: after a leak they may be known.
    /// - Parameter recording: writes the audit log's entry in the same transaction.
    package func replaceSuccessors(
        now: Timestamp,
        recording: @escaping @Sendable (Revocation, _ connection: any SQLConnection) throws -> Void
    ) async throws -> Revocation {
        let keys = try SigningAlgorithm.allCases.map(newSigningKey)
        let change = try await database.write { connection -> Revocation in
            let former = try SigningKeys.published(on: connection).filter { $0.state == .next }.map(\.kid)
            for kid in former { _ = try SigningKeys.revoke(kid, now: now, on: connection) }
            let added = try keys.map { try seal($0, state: .next, now: now, on: connection) }
                .filter { try SigningKeys.add($0, on: connection) }.map(\.kid)
            let change = Revocation(revoked: former, successors: added)
            try recording(change, connection)
            return change
        }
        database.group?.announce(.keys)
        return change
    }

    /// Withdraws published signing keys at once, and replaces those that sign: by the published successor, which verifiers may know
    /// already, or else by a new key.
    /// - Parameter recording: writes the audit log's entry in the same transaction.
    /// - Returns: `nil` if one of the ids is of no published key; nothing was written then.
    package func revokeSigningKeys(
        _ ids: Set<String>, now: Timestamp,
        recording: @escaping @Sendable (Revocation, _ connection: any SQLConnection) throws -> Void
    ) async throws -> Revocation? {
        // Made before the transaction, as an RSA key takes long. Those that are not needed are forgotten.
        let spares = try SigningAlgorithm.allCases.map(newSigningKey)
        let revocation = try await database.write { connection -> Revocation? in
            let published = try SigningKeys.published(on: connection)
            let named = published.filter { ids.contains($0.kid) }
            guard named.count == ids.count else { return nil }
            for key in named { _ = try SigningKeys.revoke(key.kid, now: now, on: connection) }
            let successors = try named.filter { $0.state == .active }.map { former in
                let next = published.first {
                    $0.algorithm == former.algorithm && $0.state == .next && !ids.contains($0.kid)
                }
                if let next, try SigningKeys.activate(next.kid, now: now, on: connection) { return next.kid }
                guard let spare = spares.first(where: { $0.algorithm.rawValue == former.algorithm }),
                    try SigningKeys.add(try seal(spare, state: .active, now: now, on: connection), on: connection)
                else { throw InvariantViolation() }
                return spare.id
            }
            let revocation = Revocation(revoked: named.map(\.kid), successors: successors)
            try recording(revocation, connection)
            return revocation
        }
        if revocation != nil { database.group?.announce(.keys) }
        return revocation
    }

    /// Activates published keys when they are due, and removes keys whose signatures have all expired.
    /// - Returns: whether anything changed.
    package func advance(now: Timestamp) async throws -> Bool {
        let schedule = schedule
        let due = try await database.read { connection in
            let keys = try SigningKeys.published(on: connection)
            let removable = keys.contains { $0.retiredAt.map { $0 < schedule.removable(now: now) } ?? false }
            let ready = keys.filter { $0.state == .next && schedule.maySign(publishedAt: $0.publishedAt, now: now) }
            return (ready: ready.map(\.kid), removable: removable)
        }
        guard !due.ready.isEmpty || due.removable else { return false }
        try await database.write { connection in
            for kid in due.ready { _ = try SigningKeys.activate(kid, now: now, on: connection) }
            try SigningKeys.remove(retiredBefore: schedule.removable(now: now), now: now, on: connection)
        }
        database.group?.announce(.keys)
        return true
    }

    @discardableResult
    private func addDataKey(
        _ purpose: KeyPurpose, id: KeyID, now: Timestamp, recording: @escaping Recording = { _, _ in }
    ) async throws -> Bool {
        let (bytes, kid) = (random.bytes(32), Int64(id.value))
        while true {
            let present = try await database.read { try DataKeys.all(on: $0) }
            let wrapping = try masterKeys.wrapping(besides: present)
            let wrapped = try wrapping.key.wrap(
                bytes, purpose: purpose.rawValue, kid: kid, as: wrapping.id, nonce: random.bytes(Sealing.nonceLength))
            let record = DataKeyRecord(purpose: purpose.rawValue, kid: kid, wrapped: wrapped, createdAt: now)
            let addition = try await database.write { connection in
                let addition = try DataKeys.add(record, on: connection)
                if addition == .added { try recording([String(id.value)], connection) }
                return addition
            }
            switch addition {
            case .added:
                database.group?.announce(.keys)
                return true
            case .taken: return false
            case .wrappedDifferently: continue
            }
        }
    }

    /// A key that is not sealed yet. An RSA key takes long, so none is made within a transaction.
    private func newSigningKey(_ algorithm: SigningAlgorithm) throws -> SigningKey {
        try SigningKey.generate(algorithm, id: Base64URL.encode(random.bytes(12)))
    }

    /// Seals a key in the transaction that adds it, under the newest data key there, even while that one settles: every process reads
    /// data keys and signing keys in one read (``KeyRing``). After a leak, the active one may still be the leaked one.
    private func seal(
        _ key: SigningKey, state: SigningKeyState, now: Timestamp, on connection: any SQLConnection
    ) throws -> SigningKeyRecord {
        let records = try DataKeys.all(on: connection).filter { $0.purpose == KeyPurpose.signing.rawValue }
        guard let sealingKey = try masterKeys.unwrap(Array(records.suffix(1))).first else {
            throw KeyRing.Incomplete(description: "no data key for \(KeyPurpose.signing.rawValue)")
        }
        let sealed = try Sealing.seal(
            key.privateBytes, with: sealingKey, context: KeyRing.context(signingKey: key.id),
            nonce: random.bytes(Sealing.nonceLength))
        return SigningKeyRecord(
            kid: key.id, algorithm: key.algorithm.rawValue, state: state, sealedPrivate: sealed,
            publicJWK: String(decoding: key.publicKey.json.bytes, as: UTF8.self), publishedAt: now,
            activatedAt: state == .active ? now : nil)
    }
}
