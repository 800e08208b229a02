public import Foundation
public import WalletAuth

/// A secure store in memory, which can be locked, full or damaged when a test says so.
///
/// It stands for the device's disk: hand the same store to two wallets and they are two processes of one app; hand it to
/// a new wallet and the app was started again.
public final class InMemoryStore: SecureStore {
    /// How the store is.
    public enum Condition: Sendable, Equatable {
        /// As it should be.
        case working
        /// The device is locked: nothing can be read or written.
        case locked
        /// There is no room: reading and removing work, writing does not.
        case full
        /// This program may not use it.
        case denied
    }

    /// What is done with a store.
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
        var locks: [SecureStoreLock: AsyncLock] = [:]
        var writes: [SecureStoreKey] = []
    }

    private let state = Protected(State())

    /// An empty store.
    public init() {}

    // MARK: The port

    /// The value kept under `key`, or nil.
    /// - Throws: `SecureStoreFailure` as the test arranged.
    public func get(_ key: SecureStoreKey) async throws -> Data? {
        try state.withLock { state in
            try state.check(.get)
            if state.damaged.contains(key) {
                throw SecureStoreFailure(.damaged, reason: "\(key) was damaged by the test")
            }
            return state.items[key]
        }
    }

    /// Keeps `value` under `key`.
    /// - Throws: `SecureStoreFailure` as the test arranged.
    public func put(_ value: Data, for key: SecureStoreKey) async throws {
        try state.withLock { state in
            try state.check(.put)
            state.items[key] = value
            state.damaged.remove(key)
            state.writes.append(key)
        }
    }

    /// Removes what is kept under `key`.
    /// - Throws: `SecureStoreFailure` as the test arranged.
    public func remove(_ key: SecureStoreKey) async throws {
        try state.withLock { state in
            try state.check(.remove)
            state.items[key] = nil
            state.damaged.remove(key)
        }
    }

    /// Runs `body` under the lock; whoever waits is let in by the order of arrival, however long it takes.
    /// - Throws: what `body` throws; `CancellationError`; `SecureStoreFailure` while the store is locked or denied.
    public func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        let gate = try state.withLock { state in
            // A folder that cannot be read has no lock file either; one on a full disk has.
            if state.condition == .locked || state.condition == .denied { try state.check(.get) }
            let gate = state.locks[lock] ?? AsyncLock()
            state.locks[lock] = gate
            return gate
        }
        return try await gate.withLock(body)
    }

    // MARK: What a test does with it

    /// How the store is; set it to lock it, to fill it, and to set it right.
    public var condition: Condition {
        get { state.withLock { $0.condition } }
        set { state.withLock { $0.condition = newValue } }
    }

    /// Has one later operation fail, once; several of one kind fail one after the other.
    /// - Parameters:
    ///   - operation: which one.
    ///   - kind: how.
    public func failNext(_ operation: Operation, with kind: SecureStoreFailure.Kind) {
        state.withLock { $0.failures[operation, default: []].append(kind) }
    }

    /// Makes what is kept under `key` unreadable until it is replaced or removed.
    /// - Parameter key: the value's name; see ``writes`` for the names in use.
    public func damage(_ key: SecureStoreKey) {
        state.withLock { state in _ = state.damaged.insert(key) }
    }

    /// Everything that is kept.
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
            throw SecureStoreFailure(kind, reason: "the test had this \(operation) fail")
        }
    }
}
