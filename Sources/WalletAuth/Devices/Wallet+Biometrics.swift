public import WalletAuthWire

extension Wallet {
    /// Signs in by face or finger: the device's key, and another one that signs only after the device saw its holder.
    ///
    /// - Parameters:
    ///   - reason: shown to the person beside the question, in their language.
    ///   - account: whose sign-in, where this device is enrolled for several (``Wallet/accounts``); by default the one that
    ///     was signed in with last.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `cancelled_by_person`, `biometrics_not_enabled`, `biometrics_locked_out`; `key_lost` with
    ///   the recovery `enableBiometricsAgain` after the faces or fingers that the device knows have changed;
    ///   `invalid_credentials` where the server does not take the key, `device_not_enrolled` …
    public func login(
        biometrics reason: String, account: AccountID? = nil, properties: [String: String] = [:],
        requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await core.during(.loginByBiometrics) {
            try await BiometricSignIn(authentication: deviceAuthentication).run(
                reason: reason, account: account,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
        }
    }

    /// Face or finger instead of the PIN on this device.
    public var biometrics: Biometrics { Biometrics(authentication: deviceAuthentication) }

    /// Face or finger instead of the PIN on this device: a second key, which signs only after the device saw its holder.
    ///
    /// `enable(pin:)` of the product WalletAuthPIN turns it on. Signing out leaves it; removing the device, or enrolling
    /// it anew, takes it away.
    public struct Biometrics: Sendable {
        package let authentication: DeviceAuthentication

        /// Where it stands, as this device knows.
        public enum State: String, Sendable, Hashable, Codable {
            /// It is not turned on.
            case none
            /// It signs in.
            case enabled
            /// It was turned on, and the faces or fingers that the device knows have changed since: turn it on again.
            case changed
        }

        /// Where it stands for an account, without asking anybody.
        /// - Parameter account: whose; by default of the account that was signed in with last.
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

        /// Turns it off for whoever is signed in: the key is gone from this device at once, and then from the server.
        /// - Throws: ``WalletError``: `signed_out`, `offline` … The key is gone from here all the same; calling it again tells
        ///   the server.
        public func disable() async throws {
            try await authentication.during(.disableBiometrics) {
                let enrollment = try await authentication.signedInEnrollment(during: .disableBiometrics)
                try await authentication.adoptPresenceKey(nil, of: enrollment)
                try await authentication.removeBiometricKey(of: enrollment, during: .disableBiometrics)
            }
        }
    }
}
