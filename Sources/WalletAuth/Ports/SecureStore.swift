public import Foundation

/// Keeps small secrets (a few kilobytes each) on this device only.
///
/// An adapter must meet these requirements:
/// - ``put(_:for:)`` is atomic and durable. After it returns, a crash leaves the new value; before that, the old one.
/// - Values never leave the device: no backup, no synchronization. They are readable after the first unlock.
/// - "No value" (nil) and "cannot be read right now" (a thrown ``SecureStoreFailure``) are never confused: a locked
///   keychain must not sign anyone out.
public protocol SecureStore: Sendable {
    /// Returns the value for `key`, or nil if there is none.
    /// - Parameter key: the value's name.
    /// - Throws: ``SecureStoreFailure``.
    func get(_ key: SecureStoreKey) async throws -> Data?

    /// Stores `value` for `key`, replacing the former value.
    /// - Parameters:
    ///   - value: at most a few kilobytes.
    ///   - key: the value's name.
    /// - Throws: ``SecureStoreFailure``; the former value then remains.
    func put(_ value: Data, for key: SecureStoreKey) async throws

    /// Removes the value for `key`. Does nothing if there is none.
    /// - Parameter key: the value's name.
    /// - Throws: ``SecureStoreFailure``.
    func remove(_ key: SecureStoreKey) async throws

    /// Runs `body` while holding a lock against all tasks of this process and of other processes that share this store.
    /// Different locks do not exclude each other. The lock of a process that dies is free at once.
    ///
    /// Waiting ends with `CancellationError` when the task is cancelled, and with ``SecureStoreFailure`` of kind
    /// ``SecureStoreFailure/Kind/busy`` after a limit set by the adapter (at least 60 seconds).
    /// - Parameters:
    ///   - lock: the lock to hold.
    ///   - body: runs at most once. It may use the store, but must not take the same lock again.
    /// - Returns: the result of `body`.
    /// - Throws: whatever `body` throws, `CancellationError`, ``SecureStoreFailure``.
    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T
}

/// The name of a stored value: only letters, digits, `.`, `-` and `_`, so that it can name a file.
public struct SecureStoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Creates a key; characters that cannot name a file become `_`.
    /// - Parameter name: the name.
    public init(_ name: String) {
        self.name = fileSafe(name)
    }

    /// The name.
    public var description: String { name }
}

/// The name of a lock: only letters, digits, `.`, `-` and `_`, so that it can name a file.
public struct SecureStoreLock: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Creates a lock name; characters that cannot name a file become `_`.
    /// - Parameter name: the name.
    public init(_ name: String) {
        self.name = fileSafe(name)
    }

    /// The name.
    public var description: String { name }
}

private func fileSafe(_ name: String) -> String {
    String(
        name.unicodeScalars.map { scalar in
            let allowed =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || scalar == "." || scalar == "-" || scalar == "_"
            return allowed ? Character(scalar) : "_"
        })
}

/// The reason a store operation failed. None of these means that no one is signed in.
public struct SecureStoreFailure: Error, Sendable, Equatable {
    /// The kind of failure.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The device is locked, or was not unlocked since it started. Try again later.
        case locked
        /// There is no room to write.
        case full
        /// This program may not use the store (entitlement, file permission).
        case denied
        /// The stored item cannot be read: it was damaged, or restored onto another device.
        case damaged
        /// Another process held the lock for too long.
        case busy
        /// Any other failure; see `reason`.
        case failed
    }

    /// The kind of failure.
    public let kind: Kind
    /// A diagnostic text for developers; never contains a stored value.
    public let reason: String

    /// Creates a failure.
    /// - Parameters:
    ///   - kind: the kind of failure.
    ///   - reason: a diagnostic text for developers, without any stored value.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

extension SecureStore {
    /// Writes a value as JSON, always in the same bytes.
    package func put(encoding value: some Encodable, for key: SecureStoreKey) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try await put(try encoder.encode(value), for: key)
    }
}
