import WalletAuthTransport
import WalletAuthWire

extension DeviceAuthentication {
    /// This device's record of an enrollment's long-lived session.
    func deviceToken(of enrollment: Enrollment) -> DeviceTokenStore {
        DeviceTokenStore(store: store, clock: clock, enrollment: enrollment)
    }

    /// Requests a token. The device signs the request over a challenge of its own.
    func issueToken(
        _ username: Username, _ password: Password, for enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> DeviceTokenResponse {
        let path = Endpoints.deviceAuthenticationTokens.path
        let challenge = try ChallengeResponse(
            try await calls.send(
                .post, Endpoints.challenges.path,
                ChallengeRequest(purpose: .deviceToken, deviceID: enrollment.deviceID).json,
                idempotencyKey: Randomness.token(), during: operation))
        let request = DeviceTokenRequest(
            deviceID: enrollment.deviceID, challengeID: challenge.challengeID, username: username, password: password)
        let body = request.json
        let signature = try await DeviceRequestSignature(
            audience: issuer, deviceID: enrollment.deviceID, method: "POST",
            target: try HTTPTarget(issuer.url(path: path)), body: body.bytes, nonce: challenge.nonce,
            idempotencyKey: try request.signatureKey, issuedAt: NumericDate(clamping: clock.now.seconds)
        ).signed(by: try await signingKey(of: enrollment, during: operation))
        // Sent once: a wrong password counts.
        return try DeviceTokenResponse(
            try await calls.send(
                .post, path, body, deviceSignature: signature, during: operation))
    }
}
