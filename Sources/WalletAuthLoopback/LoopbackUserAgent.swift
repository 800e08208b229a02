#if os(Linux)
    public import Foundation
    public import WalletAuth

    /// The system's browser, with a listener on the loopback interface for the redirect (RFC 8252 §7.3).
    ///
    /// The redirect URI is registered as `http://127.0.0.1/PATH` or `http://[::1]/PATH`; each sign-in uses a free port.
    /// If the redirect URI has a port, the listener uses it, for servers that compare ports too. `localhost` is
    /// refused, because the name may resolve to another address (RFC 8252 §8.3).
    ///
    /// Exactly one request ends the wait: a GET of the redirect URI's path, sent to this address, with the `state` of
    /// the authorization request and a code or an error, by a program of the same user (or of root). Icon requests,
    /// scans, forged answers, endless requests and requests by other users of the machine get an error and change
    /// nothing.
    public struct LoopbackUserAgent: UserAgent {
        /// Takes the person to a URL: opens a browser, or prints the URL.
        public typealias Opener = @Sendable (URL) async throws -> Void

        private let pages: LoopbackPages
        private let timeout: Duration
        private let opener: Opener

        /// Creates a user agent.
        /// - Parameters:
        ///   - pages: the pages that the browser shows at the end.
        ///   - timeout: how long the person may take.
        ///   - opener: takes the person to the page; by default ``SystemBrowser/open(_:)``.
        public init(
            pages: LoopbackPages = LoopbackPages(), timeout: Duration = .seconds(600),
            opener: @escaping Opener = SystemBrowser.open
        ) {
            self.pages = pages
            self.timeout = timeout
            self.opener = opener
        }

        /// Starts listening. Requests are answered once `UserAgentSession.present(_:)` is called.
        /// - Parameter redirectURI: the redirect URI that the session waits for.
        /// - Returns: the session.
        /// - Throws: `UserAgentFailure` of kind `unavailable` if the URI is not a loopback URI or its port is in use.
        public func begin(redirectURI: URL) async throws -> any UserAgentSession {
            guard redirectURI.scheme == "http", redirectURI.query == nil, redirectURI.fragment == nil,
                var components = URLComponents(url: redirectURI, resolvingAgainstBaseURL: false)
            else { throw Self.notLoopback }
            let address: LoopbackSocket.Address
            switch components.percentEncodedHost {
            case "127.0.0.1"?: address = .version4
            case "[::1]"?, "::1"?: address = .version6
            default: throw Self.notLoopback
            }
            guard let port = UInt16(exactly: components.port ?? 0) else { throw Self.notLoopback }
            let listener: LoopbackListener
            do {
                listener = try LoopbackListener(socket: LoopbackSocket(address, port: port), pages: pages)
            } catch {
                throw UserAgentFailure(.unavailable, reason: "no port to listen on: \(error.call): \(error.text)")
            }
            components.port = listener.port
            guard let listening = components.url else { throw Self.notLoopback }
            return LoopbackSession(redirectURI: listening, listener: listener, timeout: timeout, opener: opener)
        }

        private static let notLoopback = UserAgentFailure(
            .unavailable, reason: "the redirect URI must be http://127.0.0.1/PATH or http://[::1]/PATH")
    }

    private struct LoopbackSession: UserAgentSession {
        let redirectURI: URL
        let listener: LoopbackListener
        let timeout: Duration
        let opener: LoopbackUserAgent.Opener

        /// The browser is the person's own.
        var pageStaysOpen: Bool { true }

        func present(_ authorizationURL: URL) async throws -> UserAgentOutcome {
            guard ["https", "http"].contains(authorizationURL.scheme) else {
                throw UserAgentFailure(.failed, reason: "the page's URL is neither https nor http")
            }
            let expectation = LoopbackExpectation(redirectURI: redirectURI, authorizationURL: authorizationURL)
            do {
                try await opener(authorizationURL)
            } catch let failure as UserAgentFailure where failure.kind == .unavailable {
                throw UserAgentFailure(
                    .unavailable,
                    reason: "\(failure.reason); the opener of a LoopbackUserAgent may print the page's address instead")
            }
            return .callback(try await listener.receive(expectation, within: timeout))
        }

        func close() async { listener.close() }
    }
#endif
