public import Foundation
public import WalletAuth

/// A person with a browser, who does what a test says.
public final class ScriptedUserAgent: UserAgent {
    /// What the person does with a page: given its URL, answers where the browser ended, or throws `UserAgentFailure`.
    public typealias Behavior = @Sendable (URL) async throws -> UserAgentOutcome

    private struct State {
        var behavior: Behavior
        var presented: [URL] = []
        var open = 0
    }

    private let state: Protected<State>

    /// A person who does `behavior` with every page.
    /// - Parameter behavior: what the person does.
    public init(_ behavior: @escaping Behavior) {
        state = Protected(State(behavior: behavior))
    }

    /// A person who closes every page.
    public static func closingThePage() -> ScriptedUserAgent {
        ScriptedUserAgent { _ in throw UserAgentFailure(.cancelledByPerson, reason: "the test closed the page") }
    }

    /// What the person does from now on.
    /// - Parameter behavior: what the person does.
    public func setBehavior(_ behavior: @escaping Behavior) {
        state.withLock { $0.behavior = behavior }
    }

    /// The pages that were shown, in order.
    public var presented: [URL] {
        state.withLock { $0.presented }
    }

    /// How many conversations were begun and are not closed: what a sign-in leaves behind shows here.
    public var openConversations: Int {
        state.withLock { $0.open }
    }

    /// Begins a conversation at the redirect URI as it is.
    public func begin(redirectURI: URL) async throws -> any UserAgentSession {
        state.withLock { $0.open += 1 }
        return Session(redirectURI: redirectURI, agent: self)
    }

    private final class Session: UserAgentSession {
        let redirectURI: URL
        private let agent: ScriptedUserAgent
        private let isClosed = Protected(false)

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
