public import Foundation
public import WalletAuth
import WalletAuthTransport

/// A person with a browser, whose actions a test sets.
public final class ScriptedUserAgent: UserAgent {
    /// The person's actions on a page: receives its URL and returns where the browser ended, or throws
    /// `UserAgentFailure`.
    public typealias Behavior = @Sendable (URL) async throws -> UserAgentOutcome

    private struct State {
        var behavior: Behavior
        var presented: [URL] = []
        var open = 0
    }

    private let state: LockedValue<State>

    /// Creates a person who does `behavior` on every page.
    ///
    /// - Parameter behavior: the person's actions.
    public init(_ behavior: @escaping Behavior) {
        state = LockedValue(State(behavior: behavior))
    }

    /// A person who closes every page.
    public static func closingThePage() -> ScriptedUserAgent {
        ScriptedUserAgent { _ in throw UserAgentFailure(.cancelledByPerson, reason: "the test closed the page") }
    }

    /// Sets the person's actions from now on.
    ///
    /// - Parameter behavior: the person's actions.
    public func setBehavior(_ behavior: @escaping Behavior) {
        state.withLock { $0.behavior = behavior }
    }

    /// The pages that were opened, in order.
    public var presented: [URL] {
        state.withLock { $0.presented }
    }

    /// The number of open sessions. Use it to check that a sign-in closes its session.
    public var openConversations: Int {
        state.withLock { $0.open }
    }

    /// Opens a session with this redirect URI.
    ///
    /// - Parameter redirectURI: the redirect URI that the session waits for.
    /// - Returns: the session.
    public func begin(redirectURI: URL) async throws -> any UserAgentSession {
        state.withLock { $0.open += 1 }
        return Session(redirectURI: redirectURI, agent: self)
    }

    private final class Session: UserAgentSession {
        let redirectURI: URL
        private let agent: ScriptedUserAgent
        private let isClosed = LockedValue(false)

        init(redirectURI: URL, agent: ScriptedUserAgent) {
            self.redirectURI = redirectURI
            self.agent = agent
        }

        func present(_ authorizationURL: URL) async throws -> UserAgentOutcome {
            let behavior = agent.state.withLock { state in
                state.presented.append(authorizationURL)
                return state.behavior
            }
            return try await behavior(authorizationURL)
        }

        func close() async {
            let isFirst = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return !isClosed
            }
            if isFirst { agent.state.withLock { $0.open -= 1 } }
        }
    }
}
