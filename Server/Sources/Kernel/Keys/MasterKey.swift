package import Core
internal import Crypto
package import Store

/// The only key kept outside the database. It wraps every data key in it.
package struct MasterKey: Sendable, CustomStringConvertible {
    private let key: DataKey

    /// - Parameter bytes: exactly 32 unpredictable bytes, otherwise `nil`.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        key = DataKey(id: KeyID(0), label: "master", key: SymmetricKey(data: Array(bytes)))
    }

    package var description: String { "<redacted>" }

    func wrap(_ bytes: [UInt8], purpose: KeyPurpose, id: KeyID, nonce: [UInt8]) throws -> [UInt8] {
        try Sealing.seal(bytes, with: key, context: Self.context(purpose.rawValue, Int64(id.value)), nonce: nonce)
    }

    /// - Throws: ``MasterKeyFault/wrongKey`` if the record was wrapped under another master key or was altered.
    func unwrap(_ record: DataKeyRecord) throws -> DataKey {
        guard let id = UInt32(exactly: record.kid),
            let bytes = Sealing.open(record.wrapped, with: key, context: Self.context(record.purpose, record.kid))
        else { throw MasterKeyFault.wrongKey }
        return DataKey(id: KeyID(id), label: record.purpose, key: SymmetricKey(data: bytes))
    }

    /// Checks that this key opens the database's keys. Only reads: it creates no missing keys.
    /// - Parameters:
    ///   - database: a database whose schema is up to date.
    ///   - now: the time.
    /// - Throws: ``MasterKeyFault`` if it does not.
    package func examine(_ database: any Database, now: Timestamp) async throws {
        _ = try await KeyRing(database: database, masterKey: self, now: now)
    }

    /// Whether a database's key was wrapped under this one.
    package func opens(_ key: WrappedKey) -> Bool {
        Sealing.open(key.wrapped, with: self.key, context: Self.context(key.purpose, key.kid)) != nil
    }

    private static func context(_ purpose: String, _ kid: Int64) -> String { "data_keys|wrapped|\(purpose)|\(kid)" }
}

/// The master key and the database do not belong together.
package enum MasterKeyFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database's keys were wrapped under another master key.
    case wrongKey

    /// Shown to the operator.
    package var description: String {
        "the master key is not the one that this database's keys were wrapped under"
    }
}
