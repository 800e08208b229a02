import Foundation
import WalletAuth
import WalletAuthWire

/// Enrolled devices, as far as linking one after a second factor and recognizing it at the next sign-in.
extension ServerCore {
    /// A person's device.
    struct EnrolledKey: Sendable {
        let subject: String
        let key: JWK
    }

    /// Issues a challenge to sign.
    mutating func challenge(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let challengeRequest = try ChallengeRequest(JSONValue.object(parsing: Array(request.body ?? Data())))
        if challengeRequest.purpose == .federatedIdentity { return try providerNonce(request, now: now) }
        _ = try authorize(request, now: now)
        let nonce = try Nonce(Self.randomText())
        let id = try ChallengeID("challenge-" + Self.randomText())
        enrollmentNonces[id] = nonce
        return .json(ChallengeResponse(challengeID: id, nonce: nonce, expiresIn: 300).json)
    }

    /// Enrolls the device that signed the challenge.
    mutating func enroll(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let enrollment = try DeviceEnrollmentRequest(JSONValue.object(parsing: Array(request.body ?? Data())))
        guard let nonce = enrollmentNonces.removeValue(forKey: enrollment.challengeID),
            let thumbprint = claims.keyThumbprint, let account = try? AccountID(claims.subject)
        else {
            return .json(Problem(status: 400, code: "invalid_challenge", title: "Bad Request").json, status: 400)
        }
        let expected = EnrollmentProof.Expectation(
            audience: try Issuer(issuer), account: account, nonce: nonce, thumbprint: thumbprint,
            name: enrollment.name.rawValue, platform: enrollment.platform.rawValue)
        let isProved =
            (try? EnrollmentProof.verified(
                enrollment.proof.reveal(), by: enrollment.deviceKey, for: expected, now: now)) != nil
        guard isProved else {
            return .json(Problem(status: 400, code: "invalid_proof", title: "Bad Request").json, status: 400)
        }
        let id = try DeviceID("device-\(devices.count + 1)")
        devices[id] = EnrolledKey(subject: claims.subject, key: enrollment.deviceKey)
        let device = EnrolledDevice(
            id: id, name: enrollment.name, platform: enrollment.platform, state: .active, isCurrent: true,
            awaitsVerification: false, hasPIN: false, hasBiometricKey: false, hasPushAddress: false, createdAt: now,
            coolingUntil: now, lastUsedAt: now)
        return .json(device.json, status: 201)
    }

    /// Whether a sign-in contains the proof of a device that its person enrolled.
    func isLinked(
        by proof: (id: DeviceID?, proof: DeviceProof?), to person: Person, _ challenge: Challenge, now: NumericDate
    ) -> Bool {
        guard case .secondFactors = person.state, let id = proof.id, let proof = proof.proof,
            let device = devices[id], device.subject == person.subject, let thumbprint = challenge.thumbprint,
            let issuer = try? Issuer(issuer)
        else { return false }
        let expected = DeviceProofContent.Expectation(
            audience: issuer, deviceID: id, thumbprint: thumbprint, codeChallenge: challenge.request.codeChallenge)
        return (try? DeviceProofContent.verified(proof, by: device.key, for: expected, now: now)) != nil
    }
}
