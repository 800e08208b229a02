package import Core
internal import Crypto
package import Store

/// The master keys that the operator has configured. A rotation wraps the data keys under the first; the others only open.
package struct MasterKeys: Sendable, Equatable {
    package let first: MasterKey
    /// Without the first, and each once.
    package let others: [MasterKey]

    package init(_ first: MasterKey, others: [MasterKey] = []) {
        self.first = first
        self.others = others.reduce(into: []) { if $1 != first, !$0.contains($1) { $0.append($1) } }
    }

    package var all: [MasterKey] { [first] + others }

    /// - Throws: ``MasterKeyFault`` if none of the keys opens a record.
    func unwrap(_ records: [DataKeyRecord]) throws -> [DataKey] {
        var keys: [DataKey] = []
        var unopened: [DataKeyRecord] = []
        for record in records {
            guard let bytes = opened(record)?.bytes, let id = UInt32(exactly: record.kid) else {
                unopened.append(record)
                continue
            }
            keys.append(DataKey(id: KeyID(id), label: record.purpose, key: SymmetricKey(data: bytes)))
        }
        guard unopened.isEmpty else { throw MasterKeyFault(unopened, of: records.count, configured: self) }
        return keys
    }

    /// The key that opens a record, and what it wraps.
    func opened(_ record: DataKeyRecord) -> (key: MasterKey, bytes: [UInt8])? {
        for key in all {
            if let bytes = key.unwrap(record.wrapped, purpose: record.purpose, kid: record.kid) { return (key, bytes) }
        }
        return nil
    }

    /// Under which key, and by which id, a new data key is wrapped: as the others are, since every process opens these. Only a
    /// rotation of the master key changes it.
    /// - Throws: ``MasterKeyFault`` if none of the keys opens one of them; ``MixedMasterKeys`` if they are not wrapped alike.
    func wrapping(besides records: [DataKeyRecord]) throws -> (key: MasterKey, id: KeyID) {
        guard let record = records.first else { return (first, first.id) }
        let unopened = records.filter { opened($0) == nil }
        guard unopened.isEmpty, let found = opened(record), let id = record.wrappingID else {
            throw MasterKeyFault(unopened, of: records.count, configured: self)
        }
        if let mixed = MixedMasterKeys(of: records) { throw mixed }
        return (found.key, id)
    }

    /// Checks that these keys open the database's keys. Only reads: it creates no missing keys.
    /// - Parameter database: with an up-to-date schema.
    /// - Throws: ``MasterKeyFault`` if they do not.
    package func examine(_ database: any Database, now: Timestamp) async throws -> MasterKeyUse {
        _ = try await KeyRing(database: database, masterKeys: self, now: now)
        return use(for: try await database.read { try DataKeys.all(on: $0) })
    }

    /// Which of these keys a database needs.
    package func use(for records: [DataKeyRecord]) -> MasterKeyUse { MasterKeyUse(of: records, configured: self) }

    /// Which of these keys a database needs.
    /// - Throws: ``MasterKeyFault`` if none of them opens one of its keys.
    package func use(for keys: [WrappedKey]) throws(MasterKeyFault) -> MasterKeyUse {
        let records = keys.map(\.record)
        try requireOpening(records)
        return use(for: records)
    }

    /// - Throws: ``MasterKeyFault`` if none of them opens one of a database's keys.
    package func requireOpening(_ records: [DataKeyRecord]) throws(MasterKeyFault) {
        let unopened = records.filter { opened($0) == nil }
        guard unopened.isEmpty else { throw MasterKeyFault(unopened, of: records.count, configured: self) }
    }
}

/// Which master keys a database needs.
package struct MasterKeyUse: Sendable, Hashable {
    /// A configured key.
    package struct Entry: Sendable, Hashable {
        package let id: KeyID
        /// The data keys that it wraps.
        package let dataKeys: Int
    }

    package let first: KeyID
    /// The configured keys in their order.
    package let configured: [Entry]
    /// The data keys that none of them opens.
    package let unopened: Int
    /// Whether the first one wraps everything, by its id.
    package let isRotated: Bool
    /// Set unless all are wrapped alike.
    package let mixed: MixedMasterKeys?

    init(of records: [DataKeyRecord], configured keys: MasterKeys) {
        first = keys.first.id
        let openers = records.map { keys.opened($0)?.key }
        configured = keys.all.map { key in Entry(id: key.id, dataKeys: openers.count { $0 == key }) }
        unopened = openers.count { $0 == nil }
        isRotated = records.allSatisfy { $0.wrappingID == keys.first.id }
        mixed = MixedMasterKeys(of: records)
    }

    /// The keys that wrap something.
    package var needed: [KeyID] { configured.filter { $0.dataKeys > 0 }.map(\.id) }
    /// The keys that can be taken out of the configuration.
    package var removable: [KeyID] { isRotated ? configured.dropFirst().map(\.id) : [] }
}

/// The data keys are not wrapped alike, as no rotation leaves them: one was put back from a copy, or a server of an older version
/// added one. Until a rotation it is not known under which master key a new one belongs, and one of them may have leaked.
package struct MixedMasterKeys: Error, Sendable, Hashable, CustomStringConvertible {
    /// The names of the keys that wrapped them.
    package let names: String

    /// - Returns: `nil` if they are wrapped alike.
    init?(of records: [DataKeyRecord]) {
        let ids = Set(records.compactMap(\.wrappingID))
        guard ids.count > 1 else { return nil }
        names = ids.map { $0 == MasterKey.unnamed ? "one without an id" : $0.masterKeyName }.sorted()
            .joined(separator: " and ")
    }

    /// Shown to the operator.
    package var description: String {
        "the data keys are wrapped under the master keys \(names); run `walletauth keys rotate-master`"
    }
}

/// The master keys and the database do not belong together.
package struct MasterKeyFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The keys that wrapped what does not open, by their names; empty if only ones without an id.
    package let needed: [String]
    /// The names of the configured keys.
    package let configured: [String]
    /// The data keys that do not open, such as `refresh 2`.
    package let unopened: [String]
    /// All data keys.
    package let total: Int

    init(_ records: [DataKeyRecord], of total: Int, configured: MasterKeys) {
        let names = records.compactMap(\.wrappingID).filter { $0 != MasterKey.unnamed }.map(\.masterKeyName)
        needed = Set(names).sorted()
        self.configured = configured.all.map(\.id.masterKeyName)
        unopened = records.map { "\($0.purpose) \($0.kid)" }
        self.total = total
    }

    /// Shown to the operator.
    package var description: String {
        let keys = configured.count == 1 ? "the configured one is" : "the configured ones are"
        let which = needed.isEmpty ? "another master key" : "the master key \(needed.joined(separator: " or "))"
        let some = unopened.joined(separator: ", ") + (unopened.count == 1 ? " is" : " are")
        let what = unopened.count == total ? "the database's keys are" : "of the database's \(total) keys, \(some)"
        return "\(what) wrapped under \(which); \(keys) \(configured.joined(separator: ", "))"
    }
}
