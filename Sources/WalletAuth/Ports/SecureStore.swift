public import Foundation

/// Keeps small secrets (at most a few kilobytes each) on this device only.
///
/// What an adapter has to keep:
/// - ``put(_:for:)`` is atomic and durable: after it returned, a crash leaves the new value; before that the old one.
/// - Values never leave the device: no backup, no synchronization, readable after the first unlock.
/// - "There is nothing" (nil) and "it cannot be read now" (a thrown ``SecureStoreFailure``) are never confused: the SDK
///   signs nobody out because a keychain was locked.
public protocol SecureStore: Sendable {
    /// The value kept under `key`, or nil when there is none.
    /// - Parameter key: the value's name.
    /// - Throws: ``SecureStoreFailure``.
    func get(_ key: SecureStoreKey) async throws -> Data?

    /// Keeps `value` under `key`, replacing what was there.
    /// - Parameters:
    ///   - value: at most a few kilobytes.
    ///   - key: the value's name.
    /// - Throws: ``SecureStoreFailure``; then the former value is still there.
    func put(_ value: Data, for key: SecureStoreKey) async throws

    /// Removes what is kept under `key`; nothing happens when there is nothing.
    /// - Parameter key: the value's name.
    /// - Throws: ``SecureStoreFailure``.
    func remove(_ key: SecureStoreKey) async throws

    /// Runs `body` while nobody else, in this process or in another one that shares this store, runs a body under the
    /// same lock. Different locks do not exclude each other. The lock of a process that dies is free at once.
    ///
    /// Waiting ends with `CancellationError` when the task is cancelled, and with ``SecureStoreFailure`` of kind
    /// ``SecureStoreFailure/Kind/busy`` after a limit that the adapter sets (at least 60 seconds).
    /// - Parameters:
    ///   - lock: which lock.
    ///   - body: runs at most once; it may use the store, and must not take the same lock again.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, `CancellationError`, ``SecureStoreFailure``.
    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T
}

/// The name of a kept value. Letters, digits, `.`, `-` and `_` only, so that it can name a file.
public struct SecureStoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Makes a key; characters that could not name a file become `_`.
    public init(_ name: String) {
        self.name = fileSafe(name)
    }

    /// The name.
    public var description: String { name }
}

/// The name of a lock. Letters, digits, `.`, `-` and `_` only, so that it can name a file.
public struct SecureStoreLock: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Makes a lock's name; characters that could not name a file become `_`.
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

/// Why the store could not do what it was asked. None of these means that nobody is signed in.
public struct SecureStoreFailure: Error, Sendable, Equatable {
    /// What went wrong.
    public enum Kind: Sendable, Equatable {
        /// The device is locked, or was not unlocked since it started: try again later.
        case locked
        /// There is no room to write.
        case full
        /// This program may not use the store (entitlement, file permission).
        case denied
        /// What is there cannot be read back: it was damaged, or was restored onto another device.
        case damaged
        /// Another process held the lock for too long.
        case busy
        /// Anything else; `reason` says what.
        case failed
    }

    /// What went wrong.
    public let kind: Kind
    /// For a person who looks for the cause; never holds a kept value.
    public let reason: String

    /// Makes a failure.
    /// - Parameters:
    ///   - kind: what went wrong.
    ///   - reason: for a person who looks for the cause; never a kept value.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
