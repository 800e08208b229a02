import Foundation
public import WalletAuth
import WalletAuthTransport

/// A process of the app that a test can kill at the worst moment.
///
/// Wrap the device's ports, pass ``ports`` to a `Wallet`, and choose the moment with ``kill(at:)``. From then on every
/// port of this process throws ``ProcessKilled`` and changes nothing. As after `kill -9`, nothing from the wallet's
/// code reaches the store, the keys or the server any more, and its locks are released. To simulate the app's next
/// start, create a new `SimulatedProcess` and a new `Wallet` with the same store.
///
/// ```swift
/// let first = SimulatedProcess(device)
/// first.kill(at: .afterSending(to: "/oauth2/token"))
/// _ = try? await Wallet(configuration: configuration(first.ports)).refresh()   // the answer is lost
/// let second = SimulatedProcess(device)                                        // the person opens the app again
/// ```
public final class SimulatedProcess: Sendable {
    /// The moment to kill the process.
    public enum KillPoint: Sendable, Hashable {
        /// Before a request to a URL with this path (nil: any) is sent: the server never receives it.
        case beforeSending(to: String? = nil)
        /// After the server has processed such a request, before its answer is read.
        case afterSending(to: String? = nil)
        /// Before a value is written under this key (nil: any): the previous one stays.
        case beforeStoring(SecureStoreKey? = nil)
        /// After such a value has been written.
        case afterStoring(SecureStoreKey? = nil)
    }

    fileprivate enum Moment {
        case beforeSending(String)
        case afterSending(String)
        case beforeStoring(SecureStoreKey)
        case afterStoring(SecureStoreKey)
    }

    private struct State {
        var isAlive = true
        var killPoint: KillPoint?
    }

    private let base: Wallet.Ports
    private let state = LockedValue(State())

    /// Starts a process on a device.
    ///
    /// - Parameter ports: the device's ports, which outlive the process.
    public init(_ ports: Wallet.Ports) {
        base = ports
    }

    /// The ports for the process's `Wallet`.
    public var ports: Wallet.Ports {
        Wallet.Ports(
            transport: ProcessTransport(process: self, base: base.transport),
            store: ProcessStore(process: self, base: base.store),
            userAgent: ProcessUserAgent(process: self, base: base.userAgent),
            keys: ProcessKeys(process: self, base: base.keys), presence: base.presence, time: base.time,
            appleCredentials: base.appleCredentials)
    }

    /// Kills the process now.
    public func kill() {
        state.withLock { $0.isAlive = false }
    }

    /// Kills the process the next time it reaches `point`.
    ///
    /// - Parameter point: the moment; a later call replaces it.
    public func kill(at point: KillPoint) {
        state.withLock { $0.killPoint = point }
    }

    /// Whether the process is still running.
    public var isAlive: Bool {
        state.withLock { $0.isAlive }
    }

    fileprivate func checkAlive() throws {
        guard isAlive else { throw ProcessKilled() }
    }

    fileprivate func reach(_ moment: Moment) throws {
        try state.withLock { state in
            if state.isAlive, let point = state.killPoint, point.names(moment) { state.isAlive = false }
            guard state.isAlive else { throw ProcessKilled() }
        }
    }
}

/// The error of every port of a ``SimulatedProcess`` that was killed.
public struct ProcessKilled: Error, Sendable, Equatable {
    /// Creates the error.
    public init() {}
}

extension SimulatedProcess.KillPoint {
    fileprivate func names(_ moment: SimulatedProcess.Moment) -> Bool {
        switch (self, moment) {
        case (.beforeSending(let wanted), .beforeSending(let path)),
            (.afterSending(let wanted), .afterSending(let path)):
            wanted == nil || wanted == path
        case (.beforeStoring(let wanted), .beforeStoring(let key)),
            (.afterStoring(let wanted), .afterStoring(let key)):
            wanted == nil || wanted == key
        default: false
        }
    }
}

private struct ProcessTransport: HTTPTransport {
    let process: SimulatedProcess
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try process.reach(.beforeSending(request.url.path))
        let response = try await base.send(request)
        try process.reach(.afterSending(request.url.path))
        return response
    }
}

private struct ProcessStore: SecureStore {
    let process: SimulatedProcess
    let base: any SecureStore

    func get(_ key: SecureStoreKey) async throws -> Data? {
        try process.checkAlive()
        return try await base.get(key)
    }

    func put(_ value: Data, for key: SecureStoreKey) async throws {
        try process.reach(.beforeStoring(key))
        try await base.put(value, for: key)
        try process.reach(.afterStoring(key))
    }

    func remove(_ key: SecureStoreKey) async throws {
        try process.checkAlive()
        try await base.remove(key)
    }

    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        try process.checkAlive()
        return try await base.withExclusiveLock(lock) {
            try process.checkAlive()
            return try await body()
        }
    }
}

private struct ProcessKeys: DeviceKeys {
    let process: SimulatedProcess
    let base: any DeviceKeys

    func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
        try process.checkAlive()
        return try await base.key(id)
    }

    func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
        try process.checkAlive()
        return try await base.createKey(id)
    }

    func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
        try process.checkAlive()
        return try await base.agreementKey(id)
    }

    func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
        try process.checkAlive()
        return try await base.createAgreementKey(id)
    }

    func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
        try process.checkAlive()
        return try await base.presenceKey(id)
    }

    func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
        try process.checkAlive()
        return try await base.createPresenceKey(id)
    }

    func removeKey(_ id: DeviceKeyID) async throws {
        try process.checkAlive()
        try await base.removeKey(id)
    }
}

private struct ProcessUserAgent: UserAgent {
    let process: SimulatedProcess
    let base: any UserAgent

    func begin(redirectURI: URL) async throws -> any UserAgentSession {
        try process.checkAlive()
        return try await base.begin(redirectURI: redirectURI)
    }
}
