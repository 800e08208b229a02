public import Foundation

/// Shows the sign-in page in an external user agent (RFC 8252): a web authentication session or the system's browser.
/// Never use an embedded web view, in which the app could see the password.
public protocol UserAgent: Sendable {
    /// Prepares to receive the callback at `redirectURI`.
    ///
    /// Called before the authorization URL is built, because a loopback listener learns its port only here.
    /// - Parameter redirectURI: the registered redirect URI.
    /// - Returns: a session, to be used once.
    /// - Throws: ``UserAgentFailure``.
    func begin(redirectURI: URL) async throws -> any UserAgentSession
}

/// One session of a user agent.
public protocol UserAgentSession: Sendable {
    /// The redirect URI for the authorization request: the registered one, with the listener's port if it is a loopback
    /// URI.
    var redirectURI: URL { get }

    /// Whether the page remains readable after ``close()``, as in the system's browser; false by default.
    ///
    /// If it does, a consent goes on as soon as the server knows the person's answer, and does not wait until they return. A page that
    /// closes with its session may still have something to tell them.
    var pageStaysOpen: Bool { get }

    /// Shows `authorizationURL` and waits for the person.
    ///
    /// Cancelling the task dismisses the page and throws `CancellationError`.
    /// - Parameter authorizationURL: the page, https (in the sandbox also http on loopback).
    /// - Returns: the callback URL, or ``UserAgentOutcome/opened`` if the callback will arrive through the app's URL
    ///   handler, which passes it to ``Wallet/receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``UserAgentFailure``.
    func present(_ authorizationURL: URL) async throws -> UserAgentOutcome

    /// Ends the session if it will not be presented, or its callback is no longer wanted. Harmless if repeated.
    func close() async
}

extension UserAgentSession {
    /// False: the page closes with its session.
    public var pageStaysOpen: Bool { false }
}

/// The result of a presentation.
public enum UserAgentOutcome: Sendable, Equatable {
    /// The browser returned with this URL, which the SDK verifies.
    case callback(URL)
    /// The page was opened elsewhere; the callback will arrive through the app's URL handler.
    case opened
}

/// The reason a page could not be shown, or did not return.
public struct UserAgentFailure: Error, Sendable, Equatable {
    /// The kind of failure.
    public enum Kind: Sendable, Equatable {
        /// The person closed the page.
        case cancelledByPerson
        /// There is no window or browser to show the page, or no port to listen on.
        case unavailable
        /// The person did not return in time.
        case timedOut
        /// Any other failure; see `reason`.
        case failed
    }

    /// The kind of failure.
    public let kind: Kind
    /// A diagnostic text for developers; never contains a URL's query.
    public let reason: String

    /// Creates a failure.
    /// - Parameters:
    ///   - kind: the kind of failure.
    ///   - reason: a diagnostic text for developers, without any URL query.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
