internal import Crypto

/// The one key that the operator keeps outside the database: it wraps every data key in it.
public struct MasterKey: Sendable, CustomStringConvertible {
    let key: SymmetricKey

    /// - Parameter bytes: exactly 32 unpredictable bytes, else `nil`.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        key = SymmetricKey(data: Array(bytes))
    }

    /// Never the key.
    public var description: String { "<redacted>" }
}

/// The master key and the database do not belong together.
public enum MasterKeyFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database's keys were wrapped under another master key.
    case wrongKey

    /// What the operator reads.
    public var description: String {
        "the master key is not the one that this database's keys were wrapped under"
    }
}
