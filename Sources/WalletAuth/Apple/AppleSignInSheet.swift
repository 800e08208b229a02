#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import Foundation

    /// Apple's sheet for Sign in with Apple. The app needs the capability of that name.
    public struct AppleSignInSheet: Sendable {
        private let requestsEmail: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Chooses what is asked for, and where the sheet appears.
        /// - Parameters:
        ///   - requestsEmail: whether the person is asked for their e-mail address, or a relay of it, for the account that is
        ///     made for them. Apple asks once; the server reads the address from the identity token, never from the app.
        ///   - anchor: the window to show the sheet in front of; by default the system chooses.
        public init(
            requestsEmail: Bool = true,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor = { ASPresentationAnchor() }
        ) {
            self.requestsEmail = requestsEmail
            self.anchor = anchor
        }

        /// Shows the sheet. Cancelling the task takes it away.
        /// - Parameter nonce: from ``Wallet/federatedNonce()``; Apple gets its value verbatim.
        /// - Throws: ``UserAgentFailure``: `cancelledByPerson` where the person closed the sheet, `unavailable` where it cannot be
        ///   shown, `failed` for everything else, such as a device without an Apple Account; `CancellationError`.
        @MainActor
        public func credential(nonce: FederatedNonce) async throws -> AppleCredential {
            try await AppleSignInConversation(nonce: nonce, requestsEmail: requestsEmail, anchor: anchor).present()
        }
    }

    extension AppleCredential {
        /// Takes what a button of the app's own got from Apple.
        /// - Parameters:
        ///   - credential: Apple's credential.
        ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request.
        /// - Returns: nil where Apple gave no code or no identity token.
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
        /// The sheet lives only as long as something holds its controller.
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

        // Not isolated: whether the protocols are, differs between versions of the SDK. The system calls on the main thread.
        nonisolated func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            MainActor.assumeIsolated { anchor() }
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            let credential = (authorization.credential as? ASAuthorizationAppleIDCredential)
                .flatMap { AppleCredential($0, nonce: nonce) }
            let failure = UserAgentFailure(.failed, reason: "Apple gave no code or no identity token")
            let result = credential.map(Result<AppleCredential, any Error>.success) ?? .failure(failure)
            Task { @MainActor in self.end(result) }
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            let failure = UserAgentFailure(appleSignIn: error)
            Task { @MainActor in self.end(.failure(failure)) }
        }

        /// Ends the conversation once; a later ending finds nothing waiting.
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
            case .notInteractive?: self.init(.unavailable, reason: "Apple's sheet cannot be shown now")
            case let code:
                self.init(.failed, reason: "Sign in with Apple failed: \(code.map { "\($0.rawValue)" } ?? "no code")")
            }
        }
    }
#endif
