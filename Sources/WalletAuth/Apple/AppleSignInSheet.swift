#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import Foundation

    /// Apple's sheet for Sign in with Apple. The app needs the capability of the same name.
    public struct AppleSignInSheet: Sendable {
        private let requestsEmail: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates a sheet.
        /// - Parameters:
        ///   - requestsEmail: whether to ask the person for their e-mail address (or a relay address) for a new
        ///     account. Apple asks only once. The server reads the address from the identity token, never from the app.
        ///   - anchor: the window that presents the sheet; the default suits an app with one window.
        public init(
            requestsEmail: Bool = true,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor = { ASPresentationAnchor() }
        ) {
            self.requestsEmail = requestsEmail
            self.anchor = anchor
        }

        /// Shows the sheet. Cancelling the task dismisses it.
        /// - Parameter nonce: from ``Wallet/federatedNonce()``; its value goes to Apple verbatim.
        /// - Returns: Apple's credential, to be passed to the wallet's login.
        /// - Throws: ``UserAgentFailure``: `cancelledByPerson` when the person closed the sheet, `unavailable` when the
        ///   system cannot show it, `failed` for everything else, such as a device without an Apple Account;
        ///   `CancellationError`.
        @MainActor
        public func credential(nonce: FederatedNonce) async throws -> AppleCredential {
            try await AppleSignInConversation(nonce: nonce, requestsEmail: requestsEmail, anchor: anchor).present()
        }
    }

    extension AppleCredential {
        /// Wraps a credential that the app received through a button of its own.
        /// - Parameters:
        ///   - credential: Apple's credential.
        ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request.
        /// - Returns: nil if Apple sent no code or no identity token.
        public init?(_ credential: ASAuthorizationAppleIDCredential, nonce: FederatedNonce) {
            self.init(
                authorizationCode: credential.authorizationCode, identityToken: credential.identityToken, nonce: nonce)
        }
    }

    @MainActor
    private final class AppleSignInConversation: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private nonisolated let nonce: FederatedNonce
        private let requestsEmail: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        /// Keeps the controller alive: the sheet closes when its last reference goes.
        private var controller: ASAuthorizationController?
        private var waiting: CheckedContinuation<AppleCredential, any Error>?

        init(
            nonce: FederatedNonce, requestsEmail: Bool,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) {
            self.nonce = nonce
            self.requestsEmail = requestsEmail
            self.anchor = anchor
        }

        func present() async throws -> AppleCredential {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await show()
            } onCancel: {
                Task { @MainActor in self.end(.failure(CancellationError())) }
            }
        }

        private func show() async throws -> AppleCredential {
            try await withCheckedThrowingContinuation { continuation in
                waiting = continuation
                let request = ASAuthorizationAppleIDProvider().createRequest()
                request.requestedScopes = requestsEmail ? [.email] : []
                request.nonce = nonce.value
                let controller = ASAuthorizationController(authorizationRequests: [request])
                controller.delegate = self
                controller.presentationContextProvider = self
                self.controller = controller
                if Task.isCancelled {
                    end(.failure(CancellationError()))
                } else {
                    controller.performRequests()
                }
            }
        }

        // Nonisolated, because SDK versions differ on the isolation of these protocols. The system calls on the main
        // thread.
        nonisolated func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            MainActor.assumeIsolated { anchor() }
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            let credential = (authorization.credential as? ASAuthorizationAppleIDCredential)
                .flatMap { AppleCredential($0, nonce: nonce) }
            let failure = UserAgentFailure(.failed, reason: "Apple sent no code or no identity token")
            let result = credential.map(Result<AppleCredential, any Error>.success) ?? .failure(failure)
            Task { @MainActor in self.end(result) }
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            let failure = UserAgentFailure(appleSignIn: error)
            Task { @MainActor in self.end(.failure(failure)) }
        }

        /// Resumes the caller once; later calls do nothing.
        private func end(_ result: Result<AppleCredential, any Error>) {
            guard let waiting else { return }
            self.waiting = nil
            if case .failure(let error) = result, error is CancellationError { controller?.cancel() }
            controller = nil
            waiting.resume(with: result)
        }
    }

    extension UserAgentFailure {
        fileprivate init(appleSignIn error: any Error) {
            switch (error as? ASAuthorizationError)?.code {
            case .canceled?: self.init(.cancelledByPerson, reason: "the person closed Apple's sheet")
            case .notInteractive?: self.init(.unavailable, reason: "Apple's sheet cannot be shown right now")
            case let code:
                self.init(.failed, reason: "Sign in with Apple failed: \(code.map { "\($0.rawValue)" } ?? "no code")")
            }
        }
    }
#endif
