public import Foundation
public import WalletAuthWire

extension Wallet {
    /// Whether this device keeps a long-lived session, and what the person said to it.
    public enum DeviceAuthenticationTokenState: Sendable, Hashable {
        /// One is kept; each sign-in by it moves its end.
        case active(until: Date)
        /// One was kept and is over: sign in with the password and generate another.
        case expired
        /// The person wants none: do not ask again by yourself.
        case declined
        /// The person was never asked.
        case none
    }

    /// The long-lived session of this device, without asking the server: of whoever is signed in, or was last.
    ///
    /// The server may have ended it meanwhile; the next sign-in by it tells. ``logout()`` leaves it.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var deviceAuthenticationToken: DeviceAuthenticationTokenState {
        get async throws {
            try await core.during(.deviceTokenState) {
                do {
                    let enrollment = try await deviceAuthentication.enrollment(of: nil, during: .deviceTokenState)
                    return try await DeviceTokenBook(core: core, enrollment: enrollment).state()
                } catch let error as WalletError where error.code == .deviceNotEnrolled {
                    return .none
                }
            }
        }
    }

    /// Begins a long-lived session on this device, which has to be enrolled and signed in: from then on
    /// ``loginWithDeviceAuthenticationToken(biometrics:account:)``, or the one of WalletAuthPIN with a PIN, signs in. Ask the
    /// person first.
    ///
    /// The token never leaves the SDK, and alone opens nothing: each sign-in by it takes the device's key, and face, finger or PIN. It
    /// serves 90 days from its last use, and ends with a new password, the device's removal or the wallet's deactivation.
    /// - Parameters:
    ///   - username: as typed, once more.
    ///   - password: as typed, once more.
    /// - Throws: ``WalletError``: `invalid_credentials` (419), `device_authentication_unsupported` (432) where the app or the
    ///   account may not, `wallet_deactivated` (412), `device_deactivated` (423), `device_not_enrolled`, `signed_out` …
    public func generateDeviceAuthenticationToken(username: String, password: String) async throws {
        let operation = WalletError.Operation.generateDeviceToken
        try await core.during(operation) {
            guard let name = try? Username(username), let secret = try? Password(password) else {
                throw WalletError(
                    .invalidCredentials, .refused, during: operation,
                    statusCode: ErrorCode.invalidCredentials.statusCode(during: .generatingDeviceToken),
                    reason: "no account can have these credentials")
            }
            let enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            let response = try await deviceAuthentication.issueToken(name, secret, for: enrollment, during: operation)
            try await DeviceTokenBook(core: core, enrollment: enrollment).keep(response)
        }
    }

    /// Signs in by the long-lived session of this device, after the device saw its holder: face or finger, which
    /// ``biometrics`` has to be turned on for. With the PIN instead, WalletAuthPIN has
    /// `loginWithDeviceAuthenticationToken(pin:account:)`.
    /// - Parameters:
    ///   - reason: shown to the person beside the question, in their language.
    ///   - account: whose, where this device is enrolled for several; by default the one that was signed in with last.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `no_device_token` (1003) where none is kept, before anything is asked;
    ///   `device_token_expired` (401): sign in with the password and generate another; `wallet_deactivated` (412),
    ///   `device_deactivated` (423), and what ``login(biometrics:account:properties:requestedAttributes:)`` throws.
    public func loginWithDeviceAuthenticationToken(
        biometrics reason: String, account: AccountID? = nil
    ) async throws -> LoginOutcome {
        try await core.during(.loginWithDeviceToken) {
            try await BiometricSignIn(authentication: deviceAuthentication)
                .run(reason: reason, account: account, extras: LoginExtras(), by: .keyAndDeviceToken)
        }
    }

    /// Ends the long-lived session of this device, whose person is signed in; the session that is under way goes on.
    /// - Throws: ``WalletError``: `no_device_token` (1003) where none was ever kept, `device_not_enrolled` (1003) where the
    ///   device was never enrolled, `token_already_expired` (403) where it is over already, each of them also with nobody signed
    ///   in; `signed_out` where one is kept and nobody is signed in, `offline` …
    public func expireDeviceAuthenticationToken() async throws {
        let operation = WalletError.Operation.expireDeviceToken
        try await core.during(operation) {
            let enrollment: Enrollment
            do {
                enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            } catch let signedOut as WalletError {
                guard case .signedOut = signedOut.outcome else { throw signedOut }
                // Whether there is one to end, the device knows by itself.
                let last = try await deviceAuthentication.enrollment(of: nil, during: operation)
                try await DeviceTokenBook(core: core, enrollment: last).requireLiving(during: operation)
                throw signedOut
            }
            let book = DeviceTokenBook(core: core, enrollment: enrollment)
            if try await book.page()?.state != .expired { _ = try await book.token(during: operation) }
            do {
                _ = try await core.sessionCalls.send(
                    .delete, Endpoints.currentDeviceAuthenticationToken.path, during: operation)
            } catch let error as WalletError where error.code == .tokenAlreadyExpired {
                try await book.keep(.expired)
                throw error
            }
            try await book.keep(.expired)
        }
    }

    /// Records that the person wants no long-lived session on this device, here and at the server; one that was kept ends.
    /// - Throws: ``WalletError``: `device_not_enrolled`, `signed_out`, `offline` …
    public func declineDeviceAuthenticationToken() async throws {
        let operation = WalletError.Operation.declineDeviceToken
        try await core.during(operation) {
            let enrollment = try await deviceAuthentication.signedInEnrollment(during: operation)
            _ = try await core.sessionCalls.send(
                .put, Endpoints.currentDeviceAuthenticationToken.path, DeviceTokenConsent(state: .declined).json,
                // The same refusal again changes nothing.
                idempotencyKey: Randomness.token(), during: operation)
            try await DeviceTokenBook(core: core, enrollment: enrollment).keep(.declined)
        }
    }
}

extension DeviceAuthentication {
    /// Asks for a token, in a request that the device signs over a challenge of its own.
    func issueToken(
        _ username: Username, _ password: Password, for enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> DeviceTokenResponse {
        let issuer = core.enroller.issuer
        let path = Endpoints.deviceAuthenticationTokens.path
        let challenge = try ChallengeResponse(
            try await core.sessionCalls.send(
                .post, Endpoints.challenges.path,
                ChallengeRequest(purpose: .deviceToken, deviceID: enrollment.deviceID).json,
                idempotencyKey: Randomness.token(), during: operation))
        let request = DeviceTokenRequest(
            deviceID: enrollment.deviceID, challengeID: challenge.challengeID, username: username, password: password)
        let body = request.json
        let signature = try await DeviceRequestSignature(
            audience: issuer, deviceID: enrollment.deviceID, method: "POST",
            target: try HTTPTarget(issuer.url(path: path)), body: body.bytes, nonce: challenge.nonce,
            idempotencyKey: try request.signatureKey, issuedAt: NumericDate(clamping: core.keeper.clock.now.seconds)
        ).signed(by: try await signingKey(of: enrollment, during: operation))
        // A wrong password counts, so it is sent once.
        return try DeviceTokenResponse(
            try await core.sessionCalls.send(
                .post, path, body, deviceSignature: signature, during: operation))
    }
}
