public import Foundation
import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// Whether this device has a long-lived session, and whether the person declined one.
    public enum DeviceAuthenticationTokenState: Sendable, Hashable {
        /// A session is stored; each sign-in with it extends its expiry.
        case active(until: Date)
        /// The session has expired. Sign in with the password and generate another.
        case expired
        /// The person declined. Do not ask again unprompted.
        case declined
        /// The person was never asked.
        case none
    }

    /// The long-lived session on this device, without asking the server: that of the signed-in person, or of the last
    /// one.
    ///
    /// The server may have ended it meanwhile; the next sign-in with it finds out. ``logout()`` keeps it.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var deviceAuthenticationToken: DeviceAuthenticationTokenState {
        get async throws {
            try await log.during(.deviceTokenState) {
                do {
                    let enrollment = try await deviceAuthentication.enrollment(of: nil, during: .deviceTokenState)
                    return try await deviceAuthentication.deviceToken(of: enrollment).state()
                } catch let error as WalletError where error.code == .deviceNotEnrolled {
                    return .none
                }
            }
        }
    }

    /// Asks the server whether a long-lived session can be started on this device, before the person types a password for it. The device
    /// must be enrolled and signed in.
    /// - Throws: ``WalletError``: `device_authentication_unsupported` (432) if the app or the account may not use it,
    ///   `device_not_enrolled`, `signed_out` …
    public func checkDeviceAuthenticationToken() async throws {
        let operation = WalletError.Operation.generateDeviceToken
        try await log.during(operation) {
            _ = try await deviceAuthentication.signedInEnrollment(during: operation)
            _ = try await calls.send(.get, Endpoints.currentDeviceAuthenticationToken.path, during: operation)
        }
    }

    /// Starts a long-lived session on this device, which must be enrolled and signed in. From then on,
    /// ``loginWithDeviceAuthenticationToken(biometrics:account:)``, or its WalletAuthPIN counterpart with a PIN, signs
    /// in. Ask the person first.
    ///
    /// The token never leaves the SDK and is not enough by itself: each sign-in with it also takes the device's key and
    /// face, fingerprint or PIN. It is valid for 90 days after its last use. A new password, the removal of the device
    /// and the deactivation of the wallet end it.
    /// - Parameters:
    ///   - username: the user name, typed again.
    ///   - password: the password, typed again.
    /// - Throws: ``WalletError``: `invalid_credentials` (419), `device_authentication_unsupported` (432) if the app or
    ///   the account may not use it, `wallet_deactivated` (412), `device_deactivated` (423), `device_not_enrolled`,
    ///   `signed_out` …
    public func generateDeviceAuthenticationToken(username: String, password: String) async throws {
        let operation = WalletError.Operation.generateDeviceToken
        try await log.during(operation) {
            guard let name = try? Username(username), let secret = try? Password(password) else {
                throw WalletError(
                    .invalidCredentials, .refused, during: operation,
                    statusCode: ErrorCode.invalidCredentials.statusCode(during: .generatingDeviceToken),
                    reason: "no account can have these credentials")
            }
            let enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            let response = try await deviceAuthentication.issueToken(name, secret, for: enrollment, during: operation)
            try await deviceAuthentication.deviceToken(of: enrollment).keep(response)
        }
    }

    /// Signs in with this device's long-lived session after a face or fingerprint check; ``biometrics`` must be turned
    /// on. For the PIN instead, WalletAuthPIN has `loginWithDeviceAuthenticationToken(pin:account:)`.
    /// - Parameters:
    ///   - reason: shown to the person in the prompt, in their language.
    ///   - account: the account, if this device is enrolled for several; nil for the last one signed in.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `no_device_token` (1003) if none is stored, before any prompt; `device_token_expired`
    ///   (401): sign in with the password and generate another; `wallet_deactivated` (412), `device_deactivated` (423),
    ///   and what ``login(biometrics:account:properties:requestedAttributes:)`` throws.
    public func loginWithDeviceAuthenticationToken(
        biometrics reason: String, account: AccountID? = nil
    ) async throws -> LoginOutcome {
        try await log.during(.loginWithDeviceToken) {
            try await deviceAuthentication.signIn(
                biometrics: reason, account: account, extras: LoginExtras(), withDeviceToken: true,
                during: .loginWithDeviceToken)
        }
    }

    /// Ends the long-lived session on this device. The person must be signed in; the current session continues.
    /// - Throws: ``WalletError``: without a sign-in too, `no_device_token` (1003) if none was ever stored,
    ///   `device_not_enrolled` (1003) if the device was never enrolled, `token_already_expired` (403) if it has
    ///   expired; `signed_out` if a session is stored and no one is signed in, `offline` …
    public func expireDeviceAuthenticationToken() async throws {
        let operation = WalletError.Operation.expireDeviceToken
        try await log.during(operation) {
            let enrollment: Enrollment
            do {
                enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            } catch let signedOut as WalletError {
                guard case .signedOut = signedOut.outcome else { throw signedOut }
                // The device knows by itself whether there is a session to end.
                let last = try await deviceAuthentication.enrollment(of: nil, during: operation)
                try await deviceAuthentication.deviceToken(of: last).requireLiving(during: operation)
                throw signedOut
            }
            let deviceToken = deviceAuthentication.deviceToken(of: enrollment)
            if try await deviceToken.record()?.state != .expired { _ = try await deviceToken.token(during: operation) }
            do {
                try await calls.remove(
                    Endpoints.currentDeviceAuthenticationToken.path, missing: .tokenAlreadyExpired, during: operation)
            } catch let error as WalletError where error.code == .tokenAlreadyExpired {
                try await deviceToken.keep(.expired)
                throw error
            }
            try await deviceToken.keep(.expired)
        }
    }

    /// Records, here and at the server, that the person declines a long-lived session on this device. Ends a stored
    /// one.
    /// - Throws: ``WalletError``: `device_not_enrolled`, `signed_out`, `offline` …
    public func declineDeviceAuthenticationToken() async throws {
        let operation = WalletError.Operation.declineDeviceToken
        try await log.during(operation) {
            let enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            _ = try await calls.send(
                .put, Endpoints.currentDeviceAuthenticationToken.path, DeviceTokenConsent(state: .declined).json,
                // Declining again changes nothing.
                idempotencyKey: Randomness.token(), during: operation)
            try await deviceAuthentication.deviceToken(of: enrollment).keep(.declined)
        }
    }
}

extension DeviceTokenStore {
    /// The state as far as this device knows.
    fileprivate func state() async throws -> Wallet.DeviceAuthenticationTokenState {
        guard let record = try await record() else { return .none }
        switch record.state {
        case .declined: return .declined
        case .expired: return .expired
        case .active:
            guard let endsAt = record.endsAt, clock.now < endsAt else { return .expired }
            return .active(until: endsAt.date)
        }
    }
}
