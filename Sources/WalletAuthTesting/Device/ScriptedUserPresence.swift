public import WalletAuth

/// A person who is there, or not, as a test says.
public final class ScriptedUserPresence: UserPresence {
    private struct State {
        var capability: UserPresenceCapability
        var failure: UserPresenceFailure?
        var reasons: [String] = []
    }

    private let state: Protected<State>

    /// A person who confirms whatever is asked.
    /// - Parameter capability: what the device can ask for.
    public init(capability: UserPresenceCapability = .biometrics) {
        state = Protected(State(capability: capability))
    }

    /// What the device can ask for.
    public func capability() async -> UserPresenceCapability {
        state.withLock { $0.capability }
    }

    /// Confirms, or does what ``failure`` says.
    /// - Throws: `UserPresenceFailure`.
    public func confirm(reason: String) async throws {
        try state.withLock { state in
            state.reasons.append(reason)
            if state.capability == .none { throw UserPresenceFailure.unavailable }
            if let failure = state.failure { throw failure }
        }
    }

    /// How the person answers from now on; nil confirms.
    public var failure: UserPresenceFailure? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// What the person was asked, in order.
    public var reasons: [String] {
        state.withLock { $0.reasons }
    }
}
