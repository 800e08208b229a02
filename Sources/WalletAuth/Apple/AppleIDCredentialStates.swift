#if canImport(AuthenticationServices) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    /// Asks the system about credentials of Sign in with Apple.
    ///
    /// A simulator is no use for it: from iOS 18 on it answers `revoked` for people who revoked nothing.
    public struct AppleIDCredentialStates: AppleCredentialStates {
        /// Makes it.
        public init() {}

        /// Asks the system, which keeps Apple's last word on the device.
        /// - Throws: the system's error, such as that nobody is signed in to an Apple Account on this device.
        public func state(ofUser user: String) async throws -> AppleCredentialState {
            try await withCheckedThrowingContinuation { continuation in
                ASAuthorizationAppleIDProvider().getCredentialState(forUserID: user) { state, error in
                    // Beside an error the state is zero, which reads `revoked`.
                    continuation.resume(with: error.map(Result.failure) ?? .success(AppleCredentialState(state)))
                }
            }
        }

        /// The system's notifications, which it sends while the app runs.
        public var revocations: AsyncStream<Void> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let center = NotificationCenter.default
                // The center takes the token back from any thread.
                nonisolated(unsafe) let observer = center.addObserver(
                    forName: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil, queue: nil
                ) { _ in continuation.yield() }
                continuation.onTermination = { _ in NotificationCenter.default.removeObserver(observer) }
            }
        }
    }

    extension AppleCredentialState {
        fileprivate init(_ state: ASAuthorizationAppleIDProvider.CredentialState) {
            switch state {
            case .authorized: self = .authorized
            case .revoked: self = .revoked
            case .transferred: self = .transferred
            default: self = .notFound
            }
        }
    }
#endif
