public import WalletAuth
import WalletAuthTransport

/// Apple's answers about people's credentials, under a test's control. All credentials are authorized until
/// ``revoke(_:)``.
public final class ScriptedAppleCredentials: AppleCredentialStates {
    /// Returns the state of the person with this Apple identifier, or throws.
    public typealias Answer = @Sendable (String) async throws -> AppleCredentialState

    private struct State {
        var revoked: Set<String> = []
        var answer: Answer?
        var asked: [String] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
    }

    private let state = LockedValue(State())

    /// Creates credentials, all of them authorized.
    public init() {}

    /// The identifiers that Apple was asked about, in order.
    public var asked: [String] { state.withLock { $0.asked } }

    /// The number of listeners to ``revocations``.
    public var listeners: Int { state.withLock { $0.listeners.count } }

    /// Returns the state, or the answer of ``setAnswer(_:)``.
    ///
    /// - Parameter user: Apple's identifier of the person.
    /// - Returns: the state.
    /// - Throws: the error that the test set.
    public func state(ofUser user: String) async throws -> AppleCredentialState {
        let (answer, isRevoked) = state.withLock { state in
            state.asked.append(user)
            return (state.answer, state.revoked.contains(user))
        }
        if let answer { return try await answer(user) }
        return isRevoked ? .revoked : .authorized
    }

    /// A stream with a value for each later ``revoke(_:)``.
    public var revocations: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Simulates a person who stops using their Apple Account with the app, in the device's settings.
    ///
    /// - Parameter user: Apple's identifier for the person.
    public func revoke(_ user: String) {
        let listeners = state.withLock { state in
            state.revoked.insert(user)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// Sets Apple's answers from now on.
    ///
    /// - Parameter answer: returns the state; nil restores the states set by ``revoke(_:)``.
    public func setAnswer(_ answer: Answer?) {
        state.withLock { $0.answer = answer }
    }
}
