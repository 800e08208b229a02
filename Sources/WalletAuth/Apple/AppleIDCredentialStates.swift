#if canImport(AuthenticationServices) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    /// Asks the system for the state of Sign in with Apple credentials.
    ///
    /// Do not use it in a simulator: from iOS 18 on, a simulator answers `revoked` for credentials that were never
    /// revoked.
    public struct AppleIDCredentialStates: AppleCredentialStates {
        /// Creates a source that asks the system.
        public init() {}

        /// Returns the state the system has for a credential. The answer comes from the device, not from the network.
        /// - Parameter user: Apple's identifier for the person.
        /// - Throws: the system's error, for instance when no Apple Account is signed in on this device.
        public func state(ofUser user: String) async throws -> AppleCredentialState {
            try await withCheckedThrowingContinuation { continuation in
                ASAuthorizationAppleIDProvider().getCredentialState(forUserID: user) { state, error in
                    // The system passes state zero along with an error, and zero reads as `revoked`.
                    continuation.resume(with: error.map(Result.failure) ?? .success(AppleCredentialState(state)))
                }
            }
        }

        /// The revocation notifications that the system sends while the app runs.
        public var revocations: AsyncStream<Void> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let center = NotificationCenter.default
                // The center accepts the token from any thread.
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
