public import Foundation
public import WalletAuth
import WalletAuthTransport

/// A secure store in memory. A test can lock, fill or damage it.
///
/// It represents the device's storage: share it between two wallets to simulate two processes of one app, or pass it to
/// a new wallet to simulate a restart of the app.
public final class InMemoryStore: SecureStore {
    /// The condition of the store.
    public enum Condition: Sendable, Equatable {
        /// The store works.
        case working
        /// The device is locked: nothing can be read or written.
        case locked
        /// The store is full: reading and removing work, writing does not.
        case full
        /// This program has no access to the store.
        case denied
    }

    /// An operation of the store.
    public enum Operation: Sendable, Hashable {
        /// ``InMemoryStore/get(_:)``.
        case get
        /// ``InMemoryStore/put(_:for:)``.
        case put
        /// ``InMemoryStore/remove(_:)``.
        case remove
    }

    fileprivate struct State {
        var items: [SecureStoreKey: Data] = [:]
        var damaged: Set<SecureStoreKey> = []
        var condition = Condition.working
        var failures: [Operation: [SecureStoreFailure.Kind]] = [:]
        var writes: [SecureStoreKey] = []
    }

    private let state = LockedValue(State())
    private let locks = AsyncLocks<SecureStoreLock>()

    /// Creates an empty store.
    public init() {}

    // MARK: The port

    /// Returns the value of `key`, or nil.
    ///
    /// - Parameter key: the value's name.
    /// - Throws: the `SecureStoreFailure` that the test set.
    public func get(_ key: SecureStoreKey) async throws -> Data? {
        try state.withLock { state in
            try state.check(.get)
            if state.damaged.contains(key) {
                throw SecureStoreFailure(.damaged, reason: "\(key) was damaged by the test")
            }
            return state.items[key]
        }
    }

    /// Stores `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: at most a few kilobytes.
    ///   - key: the value's name.
    /// - Throws: the `SecureStoreFailure` that the test set.
    public func put(_ value: Data, for key: SecureStoreKey) async throws {
        try state.withLock { state in
            try state.check(.put)
            state.items[key] = value
            state.damaged.remove(key)
            state.writes.append(key)
        }
    }

    /// Removes the value of `key`.
    ///
    /// - Parameter key: the value's name.
    /// - Throws: the `SecureStoreFailure` that the test set.
    public func remove(_ key: SecureStoreKey) async throws {
        try state.withLock { state in
            try state.check(.remove)
            state.items[key] = nil
            state.damaged.remove(key)
        }
    }

    /// Runs `body` under the lock. Callers wait in order of arrival, for any length of time.
    ///
    /// - Parameters:
    ///   - lock: the lock to hold.
    ///   - body: runs at most once.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`; `CancellationError`; `SecureStoreFailure` while the store is locked or denied.
    public func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        try state.withLock { state in
            // An unreadable folder has no lock file either; a full disk has.
            if state.condition == .locked || state.condition == .denied { try state.check(.get) }
        }
        return try await locks[lock].withLock(body)
    }

    // MARK: Test controls

    /// The condition of the store. Set it to lock, fill or restore the store.
    public var condition: Condition {
        get { state.withLock { $0.condition } }
        set { state.withLock { $0.condition = newValue } }
    }

    /// Makes a later operation fail once. Several failures of one operation happen one after another.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - kind: the kind of failure.
    public func failNext(_ operation: Operation, with kind: SecureStoreFailure.Kind) {
        state.withLock { $0.failures[operation, default: []].append(kind) }
    }

    /// Makes the value of `key` unreadable until it is replaced or removed.
    ///
    /// - Parameter key: the value's key; see ``writes`` for the keys in use.
    public func damage(_ key: SecureStoreKey) {
        state.withLock { state in _ = state.damaged.insert(key) }
    }

    /// All stored values.
    public var items: [SecureStoreKey: Data] {
        state.withLock { $0.items }
    }

    /// The keys that were written, in order.
    public var writes: [SecureStoreKey] {
        state.withLock { $0.writes }
    }
}

extension InMemoryStore.State {
    fileprivate mutating func check(_ operation: InMemoryStore.Operation) throws(SecureStoreFailure) {
        switch condition {
        case .working: break
        case .locked: throw SecureStoreFailure(.locked, reason: "the test locked the store")
        case .denied: throw SecureStoreFailure(.denied, reason: "the test denied the store")
        case .full:
            if operation == .put { throw SecureStoreFailure(.full, reason: "the test filled the store") }
        }
        if let kind = failures[operation]?.first {
            failures[operation]?.removeFirst()
            throw SecureStoreFailure(kind, reason: "the test made this \(operation) fail")
        }
    }
}
