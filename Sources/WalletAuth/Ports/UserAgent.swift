public import Foundation

/// Shows the sign-in page in an external user agent (RFC 8252): a web authentication session, the system's browser.
/// Never an embedded web view: the app would see the password.
public protocol UserAgent: Sendable {
    /// Gets ready to receive the answer at `redirectURI`.
    ///
    /// Called before the authorization URL is made, because a loopback receiver learns its port only here.
    /// - Parameter redirectURI: the registered redirect URI.
    /// - Returns: one conversation, to be used once.
    /// - Throws: ``UserAgentFailure``.
    func begin(redirectURI: URL) async throws -> any UserAgentSession
}

/// One conversation with a user agent.
public protocol UserAgentSession: Sendable {
    /// The redirect URI to send in the authorization request: the registered one, or the registered loopback URI with
    /// the port that is being listened to.
    var redirectURI: URL { get }

    /// Shows `authorizationURL` and waits for the person.
    ///
    /// Cancelling the task takes the page away and throws `CancellationError`.
    /// - Parameter authorizationURL: the page, https (in the sandbox also http on loopback).
    /// - Returns: where the person came back to, or ``UserAgentOutcome/opened`` when the answer will reach the app by its
    ///   own URL handler, which hands it to ``Wallet/receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``UserAgentFailure``.
    func present(_ authorizationURL: URL) async throws -> UserAgentOutcome

    /// Ends the conversation when it is not going to be presented, or its answer is no longer wanted. Harmless twice.
    func close() async
}

/// How a presentation ended.
public enum UserAgentOutcome: Sendable, Equatable {
    /// The person came back with this URL. Whether it is a good answer is checked by the SDK.
    case callback(URL)
    /// The page was opened elsewhere; the answer will come through the app's URL handler.
    case opened
}

/// Why the page could not be shown or did not return.
public struct UserAgentFailure: Error, Sendable, Equatable {
    /// What went wrong.
    public enum Kind: Sendable, Equatable {
        /// The person closed the page.
        case cancelledByPerson
        /// There is nothing to show a page with (no window, no browser), or no port to listen at.
        case unavailable
        /// The person did not come back in time.
        case timedOut
        /// Anything else; `reason` says what.
        case failed
    }

    /// What went wrong.
    public let kind: Kind
    /// For a person who looks for the cause; never holds a URL's query.
    public let reason: String

    /// Makes a failure.
    /// - Parameters:
    ///   - kind: what went wrong.
    ///   - reason: for a person who looks for the cause; without the query of a URL.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
