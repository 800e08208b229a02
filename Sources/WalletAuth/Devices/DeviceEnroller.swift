import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Enrolls this device for the signed-in account, and proves the enrollment at later sign-ins.
struct DeviceEnroller: Sendable {
    let issuer: Issuer
    let namespace: String
    let keys: any DeviceKeys
    let enrollments: EnrollmentStore
    let calls: SessionCalls
    let tokens: TokenRenewer
    let keeper: SessionKeeper
    let binding: DeviceBinding
    let attester: (any AppAttester)?

    private static let operation = WalletError.Operation.enrollDevice

    /// Enrolls this device. It replaces the account's former enrollment on this device, which is removed at the server.
    ///
    /// Once begun, it runs to the end, even if the calling task is cancelled: a device that only the server knows counts
    /// among the account's. If the store fails, that happens all the same: to remove the device would end the session,
    /// which is bound to it now, and the person can remove it from the list.
    func enroll(name: String, platform: String, username: String?) async throws -> EnrolledDevice {
        let deviceName = try WalletError.argument(Self.operation) { try DeviceName(name) }
        let devicePlatform = try WalletError.argument(Self.operation) { try DevicePlatform(platform) }
        try Task.checkCancellation()
        return try await Task {
            try await carryThrough(deviceName, devicePlatform, username: username.flatMap { try? Username($0) })
        }.value
    }

    private func carryThrough(
        _ name: DeviceName, _ platform: DevicePlatform, username: Username?
    ) async throws -> EnrolledDevice {
        let (account, thumbprint) = try await signedIn()
        // A list that cannot be read must not cost a device at the server.
        _ = try await enrollments.all()

        let prefix = "\(namespace).enrollment.\(Base64URL.encode(Randomness.bytes(9)))"
        let keyID = DeviceKeyID("\(prefix).device")
        let key = try BoundKey(try await keys.createKey(keyID))
        do {
            let device = try await send(name, platform, account: account, thumbprint: thumbprint, key: key)
            let former = try await enrollments.save(
                Enrollment(
                    deviceID: device.id, account: account, username: username, keys: prefix,
                    enrolledAt: keeper.clock.now))
            if let former { await forget(former) }
            return device
        } catch {
            // Nothing refers to the new key, so remove it: failed attempts must not fill the store with keys.
            try? await keys.removeKey(keyID)
            throw error
        }
    }

    private func send(
        _ name: DeviceName, _ platform: DevicePlatform, account: AccountID, thumbprint: JWKThumbprint, key: BoundKey
    ) async throws -> EnrolledDevice {
        let challenge = try ChallengeResponse(
            try await calls.send(
                .post, Endpoints.challenges.path, ChallengeRequest(purpose: .enroll).json,
                // A challenge works once, and requesting another costs nothing.
                idempotencyKey: Randomness.token(), during: Self.operation))
        let proof = try EnrollmentProof(
            audience: issuer, account: account, nonce: challenge.nonce, thumbprint: thumbprint, name: name.rawValue,
            platform: platform.rawValue,
            issuedAt: NumericDate(clamping: keeper.clock.now.seconds))
        return try await attesting(key.jwk, .device, over: challenge.nonce, during: Self.operation) { attestation in
            let request = DeviceEnrollmentRequest(
                name: name, platform: platform, deviceKey: key.jwk, challengeID: challenge.challengeID,
                proof: try DeviceProof(try await proof.signed(by: key)), attestation: attestation)
            // The server recognizes a repeated request by its key and challenge.
            return try EnrolledDevice(
                try await calls.send(
                    .post, Endpoints.devices.path, request.json,
                    idempotencyKey: Randomness.token(), during: Self.operation))
        }
    }

    /// Sends a request with what the platform says about this app. While the platform cannot say it, the request goes without: only
    /// the server knows whether that is enough.
    /// - Parameters:
    ///   - key: the key that the app vouches for.
    ///   - use: the key's use.
    ///   - nonce: the server's.
    ///   - send: sends the request.
    /// - Throws: ``WalletError`` `attestation_unavailable` if the server requires it and the platform cannot say it now.
    func attesting<Answer>(
        _ key: JWK, _ use: AttestationStatement.Use, over nonce: Nonce, during operation: WalletError.Operation,
        _ send: (AttestationStatement?) async throws -> Answer
    ) async throws -> Answer {
        var statement: AttestationStatement?
        var unavailable: AppAttesterFailure?
        do {
            let hash = try AttestationStatement.challenge(for: use, nonce: nonce, thumbprint: key.thumbprint)
            let object = try await attester?.attest(Data(hash))
            statement = object.map { AttestationStatement(.appleAttestation, object: Array($0)) }
        } catch let failure as AppAttesterFailure { unavailable = failure }
        do { return try await send(statement) } catch let error as WalletError {
            guard let unavailable, [.attestationRequired, .presenceNotAttested].contains(error.code) else {
                throw error
            }
            throw WalletError(
                .attestationUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reachedServer: true, reason: unavailable.reason)
        }
    }

    /// Removes the account's former enrollment, which is useless once the new one is active.
    private func forget(_ former: Enrollment) async {
        _ = try? await calls.send(.delete, Endpoints.device.path(former.deviceID), during: .removeDevice)
        await dropKeys(of: former)
    }

    /// Removes everything this device keeps for an enrollment, above all the PIN's share.
    func dropKeys(of enrollment: Enrollment) async {
        try? await enrollments.store.remove(enrollment.pinItem)
        try? await enrollments.store.remove(enrollment.deviceTokenItem)
        try? await enrollments.store.remove(enrollment.biometricLimitItem)
        for id in [enrollment.signingKeyID, enrollment.agreementKeyID, enrollment.presenceKeyID].compactMap({ $0 }) {
            try? await keys.removeKey(id)
        }
    }

    /// The proof that an enrolled device sends along with the password.
    /// - Returns: nil if the device is not enrolled, or has lost its key: it then signs in like a new one.
    func proof(
        for enrollment: Enrollment, thumbprint: JWKThumbprint, challenge: CodeChallenge, nonce: Nonce
    ) async throws -> DeviceProof? {
        let found: (any DeviceKey)?
        do { found = try await keys.key(enrollment.signingKeyID) } catch let failure as DeviceKeyFailure
            where failure.kind == .invalidated
        { return nil }
        guard let found else { return nil }
        let content = DeviceProofContent(
            audience: issuer, deviceID: enrollment.deviceID, thumbprint: thumbprint, codeChallenge: challenge,
            nonce: nonce, issuedAt: NumericDate(clamping: keeper.clock.now.seconds))
        return try await content.signed(by: try BoundKey(found))
    }

    private func signedIn() async throws -> (AccountID, JWKThumbprint) {
        let session = try await tokens.holding(during: Self.operation).session
        guard let subject = session.owner.subject, let account = try? AccountID(subject) else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: Self.operation,
                reason: "the server does not report which account the session belongs to")
        }
        guard let thumbprint = session.keyThumbprint else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: Self.operation,
                reason: "the session is not bound to a key of this device")
        }
        return (account, thumbprint)
    }
}
