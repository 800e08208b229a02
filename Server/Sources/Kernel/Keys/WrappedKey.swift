internal import Core
package import Store

/// A data key as it lies in the database, useless without the master key. A program that has the master key but not the database
/// checks with it whether the two belong together.
package struct WrappedKey: Codable, Sendable {
    let purpose: String
    let kid: Int64
    let wrapped: [UInt8]

    /// A time does not matter for what wraps it.
    var record: DataKeyRecord {
        DataKeyRecord(purpose: purpose, kid: kid, wrapped: wrapped, createdAt: Timestamp(milliseconds: 0))
    }

    /// Every key of a database.
    package static func all(on connection: any SQLConnection) throws -> [WrappedKey] {
        try DataKeys.all(on: connection).map {
            WrappedKey(purpose: $0.purpose, kid: $0.kid, wrapped: $0.wrapped)
        }
    }
}
