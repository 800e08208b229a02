import Foundation
import WalletAuthTransport
package import WalletAuthWire

/// A new biometric key that is not in use yet.
package struct NewPresenceKey: Sendable {
    let name: String
    /// The public half.
    package let publicKey: JWK
}

extension DeviceAuthentication {
    /// Returns the biometric key in use.
    /// - Throws: `DeviceKeyFailure` of kind `invalidated` if it can no longer be used.
    func presenceKey(of enrollment: Enrollment) async throws -> (any DevicePresenceKey)? {
        guard let id = enrollment.presenceKeyID else {
            guard enrollment.hasLostPresenceKey != true else {
                throw DeviceKeyFailure(.invalidated, reason: "the device's enrolled faces or fingerprints have changed")
            }
            return nil
        }
        return try await keys.presenceKey(id)
    }

    /// Drops a biometric key that can no longer be used, so that it is not offered again: some devices notice only when
    /// it is to sign.
    /// - Returns: the error for the operation.
    func dropLostPresenceKey(
        of enrollment: Enrollment, _ failure: DeviceKeyFailure, during operation: WalletError.Operation
    ) async -> WalletError {
        if let name = enrollment.presenceKey {
            // If this fails, the next use finds out again.
            try? await enrollments.notePresenceKeyLost(name, of: enrollment.deviceID)
            try? await keys.removeKey(enrollment.presenceKeyID(named: name))
        }
        return Self.presenceKeyLost(operation, reason: failure.reason)
    }

    static func presenceKeyLost(
        _ operation: WalletError.Operation, reason: String = "the device's enrolled faces or fingerprints have changed"
    ) -> WalletError {
        WalletError(.keyLost, .keyLost(recovery: .enableBiometricsAgain), during: operation, reason: reason)
    }

    /// An assertion signed by the device key and the biometric key.
    /// - Parameter reason: shown to the person in the prompt, in their language.
    /// - Throws: ``WalletError``: `biometrics_not_enabled`; `pin_required`, before any prompt; `key_lost` with the
    ///   recovery `enableBiometricsAgain`.
    func presenceAssertion(
        _ act: DeviceAssertion.Act, challenge: ChallengeID, nonce: Nonce, of enrollment: Enrollment, reason: String,
        during operation: WalletError.Operation
    ) async throws -> SignedAssertion {
        do {
            guard let key = try await presenceKey(of: enrollment) else {
                throw WalletError(
                    .biometricsNotEnabled, .refused, during: operation,
                    reason: "face or fingerprint sign-in is not turned on")
            }
            try await biometricLimit.require(for: enrollment, during: operation)
            let signed = try await assertion(
                act, factor: .biometric, challenge: challenge, nonce: nonce, of: enrollment,
                by: [try BoundKey(key, reason: reason)], during: operation)
            try await biometricLimit.spend(enrollment, during: operation)
            return signed
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {
            throw await dropLostPresenceKey(of: enrollment, failure, during: operation)
        }
    }

    /// Creates a key next to the one in use, which stays valid until the server has accepted the new one.
    package func makePresenceKey(of enrollment: Enrollment) async throws -> NewPresenceKey {
        let name = Base64URL.encode(Randomness.bytes(9))
        let key = try await keys.createPresenceKey(enrollment.presenceKeyID(named: name))
        return NewPresenceKey(name: name, publicKey: try BoundKey(key, reason: "").jwk)
    }

    /// Switches to a new key, or to none, and removes the former one.
    package func adoptPresenceKey(_ key: NewPresenceKey?, of enrollment: Enrollment) async throws {
        let former = try await enrollments.notePresenceKey(key?.name, of: enrollment.deviceID)
        if let former { try? await keys.removeKey(enrollment.presenceKeyID(named: former)) }
    }

    /// Removes a key that the server did not accept.
    package func dropPresenceKey(_ key: NewPresenceKey, of enrollment: Enrollment) async {
        try? await keys.removeKey(enrollment.presenceKeyID(named: key.name))
    }

    /// Registers the key with the server. Safe to repeat: the same body returns the stored result.
    package func setBiometricKey(
        _ key: NewPresenceKey, by assertion: SignedAssertion, of enrollment: Enrollment,
        during operation: WalletError.Operation
    ) async throws {
        let nonce = try PresentedAssertion(assertion).unverified.nonce
        try await enroller.attesting(key.publicKey, .biometric, over: nonce, during: operation) { attestation in
            let request = BiometricKeyRequest(
                publicKey: key.publicKey, assertion: assertion, attestation: attestation)
            _ = try await calls.send(
                .put, Endpoints.deviceBiometricKey.path(enrollment.deviceID), request.json, during: operation)
        }
    }

    func removeBiometricKey(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await calls.send(
            .delete, Endpoints.deviceBiometricKey.path(enrollment.deviceID), during: operation)
    }
}

extension DeviceAuthentication {
    /// Signs in with face or fingerprint and the device's key.
    /// - Parameters:
    ///   - reason: shown to the person.
    ///   - account: the account; nil for the last one signed in.
    func signIn(
        biometrics reason: String, account: AccountID?, extras: LoginExtras,
        withDeviceToken usesDeviceToken: Bool = false,
        during operation: WalletError.Operation
    ) async throws -> LoginOutcome {
        let enrollment = try await enrollment(of: account, during: operation)
        // Checked before any prompt.
        if usesDeviceToken { try await requireDeviceToken(of: enrollment, during: operation) }
        do {
            guard let key = try await presenceKey(of: enrollment) else {
                let pinCall = usesDeviceToken ? "loginWithDeviceAuthenticationToken(pin:)" : "login(pin:)"
                throw WalletError(
                    .biometricsNotEnabled, .refused, during: operation,
                    reason: "face or fingerprint is not turned on: ask for the PIN, and call \(pinCall)")
            }
            try await biometricLimit.require(for: enrollment, during: operation)
            let signIn = try await beginSignIn(
                as: enrollment, extras: extras, withDeviceToken: usesDeviceToken, during: operation)
            let challenge = try await challenge(for: signIn)
            let assertion = try await assertion(
                signIn.act, factor: .biometric, challenge: challenge.challengeID, nonce: challenge.nonce,
                of: enrollment, by: [try BoundKey(key, reason: reason)], during: operation)
            try await biometricLimit.spend(enrollment, during: operation)
            return try await finish(signIn, by: assertion)
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {
            throw await dropLostPresenceKey(of: enrollment, failure, during: operation)
        }
    }

    /// A fresh challenge for a sign-in, bound to the sign-in's key and to this device.
    private func challenge(for signIn: DeviceSignIn) async throws -> ChallengeResponse {
        let operation = signIn.attempt.operation
        let request = ChallengeRequest(purpose: .login, deviceID: signIn.enrollment.deviceID)
        let url = try issuer.url(of: Endpoints.challenges.path, during: operation)
        let answer = try await exchange.send(
            HTTPRequest(url, .json(request.json)), proof: signIn.attempt.key, policy: .idempotent)
        return try answer.message(during: operation)
    }
}
