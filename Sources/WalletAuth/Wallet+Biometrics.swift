public import WalletAuthWire

extension Wallet {
    /// When a person who uses face or fingerprint has to type the PIN again.
    public typealias BiometricPolicy = WalletAuth.BiometricPolicy

    /// Signs in with face or fingerprint: with the device's key, and a second key that signs only after a biometric
    /// check.
    ///
    /// - Parameters:
    ///   - reason: shown to the person in the prompt, in their language.
    ///   - account: the account to sign in to, if this device is enrolled for several (``Wallet/accounts``); nil for
    ///     the last one signed in.
    ///   - properties: what the server should record with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `cancelled_by_person`, `biometrics_not_enabled`, `biometrics_locked_out`,
    ///   `pin_required` by the app's ``BiometricPolicy``; `key_lost`
    ///   with the recovery `enableBiometricsAgain` after the device's enrolled faces or fingerprints changed;
    ///   `invalid_credentials` if the server does not accept the key, `device_not_enrolled` …
    public func login(
        biometrics reason: String, account: AccountID? = nil, properties: [String: String] = [:],
        requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await log.during(.loginByBiometrics) {
            try await deviceAuthentication.signIn(
                biometrics: reason, account: account,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes),
                during: .loginByBiometrics)
        }
    }

    /// Face or fingerprint in place of the PIN on this device.
    public var biometrics: Biometrics { Biometrics(authentication: deviceAuthentication) }

    /// Face or fingerprint in place of the PIN on this device: a second key that signs only after a biometric check.
    ///
    /// Turn it on with WalletAuthPIN's `enable(pin:)`. It survives a sign-out; removing the device or enrolling it
    /// again ends it.
    public struct Biometrics: Sendable {
        package let authentication: DeviceAuthentication

        /// The state as this device knows it.
        public enum State: String, Sendable, Hashable, Codable {
            /// Turned off.
            case none
            /// Turned on.
            case enabled
            /// Turned off, because the device's enrolled faces or fingerprints have changed. Turn it on again with the PIN.
            case changed
        }

        /// Returns the state for an account, without a prompt.
        /// - Parameter account: the account; nil for the last one signed in.
        /// - Throws: ``WalletError``: `store_unavailable`, `keys_unavailable`.
        public func state(of account: AccountID? = nil) async throws -> State {
            try await authentication.during(.biometricsState) {
                do {
                    let enrollment = try await authentication.enrollment(of: account, during: .biometricsState)
                    return try await authentication.presenceKey(of: enrollment) == nil ? .none : .enabled
                } catch let error as WalletError where error.code == .deviceNotEnrolled {
                    return .none
                } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {
                    return .changed
                }
            }
        }

        /// Returns whether the app's ``Wallet/BiometricPolicy`` requires the PIN before face or fingerprint is used
        /// again: ask for the PIN at once.
        /// - Parameter account: the account; nil for the last one signed in.
        /// - Throws: ``WalletError``: `device_not_enrolled`, `store_unavailable`; without a network, `offline` in an app
        ///   that has not reached the server yet, because only the server's clock counts.
        public func requiresPIN(of account: AccountID? = nil) async throws -> Bool {
            try await authentication.during(.biometricsState) {
                try await authentication.biometricLimit.isDue(
                    for: try await authentication.enrollment(of: account, during: .biometricsState))
            }
        }

        /// Turns it off for the signed-in account. The key is removed from this device first, then from the server.
        /// - Throws: ``WalletError``: `signed_out`, `offline` … The key is gone from this device even then; call again
        ///   to tell the server.
        public func disable() async throws {
            try await authentication.during(.disableBiometrics) {
                let enrollment = try await authentication.signedInEnrollment(during: .disableBiometrics)
                try await authentication.adoptPresenceKey(nil, of: enrollment)
                try await authentication.removeBiometricKey(of: enrollment, during: .disableBiometrics)
            }
        }
    }
}
