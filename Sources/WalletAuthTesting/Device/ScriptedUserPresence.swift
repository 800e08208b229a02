public import WalletAuth
import WalletAuthTransport

/// A person whose confirmation a test controls.
public final class ScriptedUserPresence: UserPresence {
    private struct State {
        var capability: UserPresenceCapability
        var failure: UserPresenceFailure?
        var reasons: [String] = []
    }

    private let state: LockedValue<State>

    /// Creates a person who confirms every prompt.
    ///
    /// - Parameter capability: the device's means of asking for confirmation.
    public init(capability: UserPresenceCapability = .biometrics) {
        state = LockedValue(State(capability: capability))
    }

    /// The device's means of asking for confirmation.
    public func capability() async -> UserPresenceCapability {
        state.withLock { $0.capability }
    }

    /// Confirms, or throws ``failure``.
    ///
    /// - Parameter reason: what the person is asked to confirm.
    /// - Throws: `UserPresenceFailure`.
    public func confirm(reason: String) async throws {
        try state.withLock { state in
            state.reasons.append(reason)
            if state.capability == .none { throw UserPresenceFailure.unavailable }
            if let failure = state.failure { throw failure }
        }
    }

    /// The person's answer from now on; nil confirms.
    public var failure: UserPresenceFailure? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The prompts that the person saw, in order.
    public var reasons: [String] {
        state.withLock { $0.reasons }
    }
}
