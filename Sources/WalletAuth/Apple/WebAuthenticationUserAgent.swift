#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation

    /// The system's web authentication session: a browser that the app cannot inspect (RFC 8252).
    ///
    /// The redirect URI has a custom scheme in reverse-DNS form, or, from iOS 17.4 and macOS 14.4 on, is a claimed
    /// https URL whose host is among the app's associated domains as `webcredentials:HOST`. On macOS, a claimed https
    /// URL may arrive through the app's URL handler instead: pass it to ``Wallet/receivedOAuthCodeOrToken(_:)``.
    public struct WebAuthenticationUserAgent: UserAgent {
        /// Whether the page may use an existing sign-in at the server.
        public enum BrowserSession: Sendable, Hashable {
            /// Shares cookies with the browser; the system asks the person for consent.
            case shared
            /// Starts every sign-in without cookies.
            case ephemeral
        }

        private let browserSession: BrowserSession
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates a user agent.
        /// - Parameters:
        ///   - browserSession: whether an existing sign-in at the server may be used.
        ///   - anchor: the window that presents the page; the default suits an app with one window.
        public init(
            browserSession: BrowserSession = .shared,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor = { ASPresentationAnchor() }
        ) {
            self.browserSession = browserSession
            self.anchor = anchor
        }

        /// Begins a session for a registered redirect URI.
        /// - Parameter redirectURI: the redirect URI that the session waits for.
        /// - Returns: the session.
        /// - Throws: ``UserAgentFailure`` of kind `unavailable` if the system cannot listen to that URI.
        public func begin(redirectURI: URL) async throws -> any UserAgentSession {
            guard let scheme = redirectURI.scheme else {
                throw UserAgentFailure(.unavailable, reason: "the redirect URI has no scheme")
            }
            if scheme == "https" {
                guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) else {
                    throw UserAgentFailure(.unavailable, reason: "https redirects need iOS 17.4 or macOS 14.4")
                }
            } else if scheme == "http" {
                throw UserAgentFailure(.unavailable, reason: "an app cannot receive an http redirect")
            }
            return await WebAuthenticationConversation(
                redirectURI: redirectURI, browserSession: browserSession, anchor: anchor)
        }
    }

    @MainActor
    private final class WebAuthenticationConversation: NSObject, UserAgentSession,
        ASWebAuthenticationPresentationContextProviding
    {
        nonisolated let redirectURI: URL
        private let browserSession: WebAuthenticationUserAgent.BrowserSession
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        /// Keeps the session alive while its page is open: it closes when its last reference goes.
        private var session: ASWebAuthenticationSession?
        private var isPresented = false
        private var waiting: CheckedContinuation<UserAgentOutcome, any Error>?

        init(
            redirectURI: URL, browserSession: WebAuthenticationUserAgent.BrowserSession,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) {
            self.redirectURI = redirectURI
            self.browserSession = browserSession
            self.anchor = anchor
        }

        func present(_ authorizationURL: URL) async throws -> UserAgentOutcome {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await show(authorizationURL)
            } onCancel: {
                Task { @MainActor in self.end(.failure(CancellationError())) }
            }
        }

        func close() async { end(.failure(CancellationError())) }

        // Nonisolated, because SDK versions differ on the isolation of this protocol. The system calls on the main
        // thread.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            MainActor.assumeIsolated { anchor() }
        }

        private func show(_ url: URL) async throws -> UserAgentOutcome {
            try await withCheckedThrowingContinuation { continuation in
                guard !isPresented else {
                    continuation.resume(
                        throwing: UserAgentFailure(.failed, reason: "a session can be presented only once"))
                    return
                }
                isPresented = true
                waiting = continuation
                let session = makeSession(url)
                session.prefersEphemeralWebBrowserSession = browserSession == .ephemeral
                session.presentationContextProvider = self
                self.session = session
                if Task.isCancelled {
                    end(.failure(CancellationError()))
                } else if !session.start() {
                    end(.failure(UserAgentFailure(.unavailable, reason: "the system cannot show a page right now")))
                }
            }
        }

        private func makeSession(_ url: URL) -> ASWebAuthenticationSession {
            // The system calls back on its own queue, where a closure isolated to this actor would trap.
            let completion: @Sendable (URL?, (any Error)?) -> Void = { callback, error in
                let outcome = Self.outcome(callback, error)
                Task { @MainActor in self.end(outcome) }
            }
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *), redirectURI.scheme == "https",
                let host = redirectURI.host
            {
                return ASWebAuthenticationSession(
                    url: url, callback: .https(host: host, path: redirectURI.path), completionHandler: completion)
            }
            return ASWebAuthenticationSession(
                url: url, callbackURLScheme: redirectURI.scheme, completionHandler: completion)
        }

        /// Resumes the caller once; later calls do nothing.
        private func end(_ outcome: Result<UserAgentOutcome, any Error>) {
            guard let waiting else { return }
            self.waiting = nil
            if case .failure = outcome { session?.cancel() }
            // Its completion handler refers to this object.
            session = nil
            waiting.resume(with: outcome)
        }

        private nonisolated static func outcome(_ callback: URL?, _ error: (any Error)?) -> Result<
            UserAgentOutcome, any Error
        > {
            if let callback { return .success(.callback(callback)) }
            let code = (error as? ASWebAuthenticationSessionError)?.code
            switch code {
            case .canceledLogin?:
                return .failure(UserAgentFailure(.cancelledByPerson, reason: "the person closed the page"))
            case .presentationContextNotProvided?, .presentationContextInvalid?:
                return .failure(
                    UserAgentFailure(.unavailable, reason: "there is no window to present the page"))
            default:
                return .failure(UserAgentFailure(.failed, reason: "the web authentication session failed"))
            }
        }
    }
#endif
