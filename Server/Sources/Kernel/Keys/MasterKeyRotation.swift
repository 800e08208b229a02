package import Core
package import Store

/// What became of a rotation of the master key.
package enum MasterKeyRotation: Sendable, Hashable {
    /// Every data key is wrapped under the first configured key now.
    case rotated(Change)
    /// It was so before.
    case isCurrent
    /// Some servers would not open the keys any more. Nothing was changed.
    case unknown(to: [ServingProcess])

    package struct Change: Sendable, Hashable {
        package let key: KeyID
        /// The keys that wrapped them before; ``MasterKey/unnamed`` from before keys had ids.
        package let former: [KeyID]
        /// How many were wrapped again.
        package let dataKeys: Int
    }
}

extension KeyRotation {
    /// Wraps every data key under the first configured master key. They stay the same keys, so nothing else is sealed again.
    ///
    /// This is one write of a few dozen short rows: there is no moment in which some are wrapped under one key and some under the
    /// other, and nothing to continue after a crash.
    /// - Parameter recording: writes the audit log's entry in the same transaction.
    /// - Throws: ``MasterKeyFault`` if a data key opens under none of the keys; nothing was changed then.
    package func rotateMasterKey(
        now: Timestamp,
        recording: @escaping @Sendable (MasterKeyRotation.Change, _ connection: any SQLConnection) throws -> Void
    ) async throws -> MasterKeyRotation {
        let target = masterKeys.first
        while true {
            let present = try await database.read { try DataKeys.all(on: $0) }
            let outdated = present.filter { $0.wrappingID != target.id }
            guard !outdated.isEmpty else { return .isCurrent }
            let keys = outdated.map { ($0, masterKeys.opened($0)) }
            let lost = keys.filter { $0.1 == nil }.map(\.0)
            guard lost.isEmpty else { throw MasterKeyFault(lost, of: present.count, configured: masterKeys) }
            let rewrapped = try keys.compactMap { record, opened in
                try opened.map { opened in
                    let wrapped = try target.wrap(
                        opened.bytes, purpose: record.purpose, kid: record.kid, as: target.id,
                        nonce: random.bytes(Sealing.nonceLength))
                    return (record, wrapped)
                }
            }
            let former = Set(outdated.compactMap(\.wrappingID)).sorted { $0.value < $1.value }
            let change = MasterKeyRotation.Change(key: target.id, former: former, dataKeys: rewrapped.count)
            let outcome = try await database.write { connection -> MasterKeyRotation? in
                // A key that was added meanwhile, by `keys rotate` or by another process of this command, is not among them.
                guard try DataKeys.all(on: connection) == present else { return nil }
                let lacking = try ServingProcess.all(at: now, on: connection)
                    .filter { !$0.masterKeys.contains(target.id) }
                guard lacking.isEmpty else { return .unknown(to: lacking) }
                for (record, wrapped) in rewrapped { try DataKeys.rewrap(record, as: wrapped, on: connection) }
                try recording(change, connection)
                return .rotated(change)
            }
            guard let outcome else { continue }
            if case .rotated = outcome { database.group?.announce(.keys) }
            return outcome
        }
    }
}
