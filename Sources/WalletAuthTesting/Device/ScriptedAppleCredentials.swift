public import WalletAuth

/// What Apple says about people's credentials, as a test says: all of them hold until ``revoke(_:)``.
public final class ScriptedAppleCredentials: AppleCredentialStates {
    /// Answers a question: given Apple's identifier for a person, answers the state, or throws.
    public typealias Answer = @Sendable (String) async throws -> AppleCredentialState

    private struct State {
        var revoked: Set<String> = []
        var answer: Answer?
        var asked: [String] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
    }

    private let state = Protected(State())

    /// Nobody has revoked anything.
    public init() {}

    /// Whom Apple was asked about, in order.
    public var asked: [String] { state.withLock { $0.asked } }

    /// How many listen to ``revocations``.
    public var listeners: Int { state.withLock { $0.listeners.count } }

    /// Answers, or does what ``setAnswer(_:)`` says.
    public func state(ofUser user: String) async throws -> AppleCredentialState {
        let (answer, isRevoked) = state.withLock { state in
            state.asked.append(user)
            return (state.answer, state.revoked.contains(user))
        }
        if let answer { return try await answer(user) }
        return isRevoked ? .revoked : .authorized
    }

    /// A value for each ``revoke(_:)`` from now on.
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

    /// The person stops using their Apple Account with the app, in the settings of the device.
    /// - Parameter user: Apple's identifier for the person.
    public func revoke(_ user: String) {
        let listeners = state.withLock { state in
            state.revoked.insert(user)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// What Apple answers from now on.
    /// - Parameter answer: nil for what ``revoke(_:)`` made of it.
    public func setAnswer(_ answer: Answer?) {
        state.withLock { $0.answer = answer }
    }
}
