#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import Foundation

    /// Apple's sheet for passkeys. The app needs the associated domain `webcredentials:` and the server's host, and the operator
    /// registers its Apple App ID (`walletauth client update --add-apple-app-id`).
    public struct PasskeySheet: PasskeyAuthenticator {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates a sheet.
        /// - Parameter anchor: the window that presents the sheet; the default suits an app with one window.
        public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor = { ASPresentationAnchor() }) {
            self.anchor = anchor
        }

        /// Shows the sheet that creates a passkey. Cancelling the task dismisses it.
        /// - Parameter request: what the server asks for.
        /// - Throws: ``UserAgentFailure``; `CancellationError`.
        @MainActor
        public func create(_ request: PasskeyCreationRequest) async throws -> CreatedPasskey {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: request.site)
            let registration = provider.createCredentialRegistrationRequest(
                challenge: request.challenge, name: request.userName, userID: request.userHandle)
            registration.userVerificationPreference = .required
            if #available(iOS 17.4, macOS 13.5, visionOS 1, *) {
                registration.excludedCredentials = request.existing.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                }
            }
            let response = try await PasskeyConversation(anchor: anchor).present(registration)
            guard case .created(let passkey) = response else { throw PasskeyConversation.strange }
            return passkey
        }

        /// Shows the sheet in which the person picks a passkey. Cancelling the task dismisses it.
        /// - Parameter request: what the server asks for.
        /// - Throws: ``UserAgentFailure``; `CancellationError`.
        @MainActor
        public func use(_ request: PasskeyUseRequest) async throws -> UsedPasskey {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: request.site)
            let assertion = provider.createCredentialAssertionRequest(challenge: request.challenge)
            assertion.userVerificationPreference = .required
            let response = try await PasskeyConversation(anchor: anchor).present(assertion)
            guard case .used(let passkey) = response else { throw PasskeyConversation.strange }
            return passkey
        }
    }

    @MainActor
    private final class PasskeyConversation: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        enum Response: Sendable {
            case created(CreatedPasskey)
            case used(UsedPasskey)

            /// Apple declares these as present, whatever an authenticator of another maker left out.
            init?(_ assertion: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
                guard let data = assertion.rawAuthenticatorData as Data?, let signature = assertion.signature as Data?,
                    let user = assertion.userID as Data?
                else { return nil }
                self = .used(
                    UsedPasskey(
                        id: assertion.credentialID, clientData: assertion.rawClientDataJSON, authenticatorData: data,
                        signature: signature, userHandle: user))
            }
        }

        nonisolated static let strange = UserAgentFailure(.failed, reason: "the system answered with no passkey")

        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        /// Keeps the controller alive: the sheet closes when its last reference goes.
        private var controller: ASAuthorizationController?
        private var waiting: CheckedContinuation<Response, any Error>?

        init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.anchor = anchor }

        func present(_ request: ASAuthorizationRequest) async throws -> Response {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
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
            } onCancel: {
                Task { @MainActor in self.end(.failure(CancellationError())) }
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
            let response: Response? =
                switch authorization.credential {
                case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                    made.rawAttestationObject.map {
                        .created(
                            CreatedPasskey(
                                id: made.credentialID, clientData: made.rawClientDataJSON, attestationObject: $0))
                    }
                case let used as ASAuthorizationPlatformPublicKeyCredentialAssertion: Response(used)
                default: nil
                }
            let result = response.map(Result<Response, any Error>.success) ?? .failure(Self.strange)
            Task { @MainActor in self.end(result) }
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            let failure = UserAgentFailure(passkey: error)
            Task { @MainActor in self.end(.failure(failure)) }
        }

        /// Resumes the caller once; later calls do nothing.
        private func end(_ result: Result<Response, any Error>) {
            guard let waiting else { return }
            self.waiting = nil
            if case .failure(let error) = result, error is CancellationError { controller?.cancel() }
            controller = nil
            waiting.resume(with: result)
        }
    }

    extension UserAgentFailure {
        fileprivate init(passkey error: any Error) {
            switch (error as? ASAuthorizationError)?.code {
            case .canceled?:
                self.init(.cancelledByPerson, reason: "the person closed the sheet, or has no passkey here")
            case .notInteractive?: self.init(.unavailable, reason: "the sheet cannot be shown right now")
            case let code:
                self.init(
                    .failed,
                    reason:
                        "the passkey failed: \(code.map { "\($0.rawValue)" } ?? "no code"); is the domain associated?")
            }
        }
    }
#endif
