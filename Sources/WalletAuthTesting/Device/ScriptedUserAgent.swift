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
        var pageStaysOpen = false
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

    /// Sets whether pages that are opened from now on are in a browser of the person's own, as `UserAgentSession.pageStaysOpen` says.
    ///
    /// - Parameter pageStaysOpen: whether they stay open after their session.
    public func setPageStaysOpen(_ pageStaysOpen: Bool) {
        state.withLock { $0.pageStaysOpen = pageStaysOpen }
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
        let pageStaysOpen = state.withLock { state in
            state.open += 1
            return state.pageStaysOpen
        }
        return Session(redirectURI: redirectURI, pageStaysOpen: pageStaysOpen, agent: self)
    }

    private final class Session: UserAgentSession {
        let redirectURI: URL
        let pageStaysOpen: Bool
        private let agent: ScriptedUserAgent
        private let isClosed = LockedValue(false)

        init(redirectURI: URL, pageStaysOpen: Bool, agent: ScriptedUserAgent) {
            self.redirectURI = redirectURI
            self.pageStaysOpen = pageStaysOpen
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
