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

    enum Moment {
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

    /// The ports for the process's `Wallet`. What they hand out, such as a key, ends with the process too.
    public var ports: Wallet.Ports {
        Wallet.Ports(
            transport: ProcessTransport(process: self, base: base.transport),
            store: ProcessStore(process: self, base: base.store),
            userAgent: ProcessUserAgent(process: self, base: base.userAgent),
            keys: ProcessKeys(process: self, base: base.keys),
            presence: ProcessPresence(process: self, base: base.presence), time: base.time,
            appleCredentials: base.appleCredentials.map { ProcessAppleCredentials(process: self, base: $0) })
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

    /// - Throws: ``ProcessKilled``.
    func alive<T>(_ work: () async throws -> T) async throws -> T {
        guard isAlive else { throw ProcessKilled() }
        return try await work()
    }

    /// Kills the process if this is the moment for it.
    ///
    /// - Throws: ``ProcessKilled`` if it is not alive, now or any more.
    func reach(_ moment: Moment) throws {
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
