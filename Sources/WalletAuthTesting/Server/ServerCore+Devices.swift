import Foundation
import WalletAuth
import WalletAuthWire

/// Enrolled devices, as far as linking one after a second factor, recognizing it at the next sign-in, and removing it.
extension ServerCore {
    /// A person's device.
    struct EnrolledKey: Sendable {
        let subject: String
        let key: JWK
    }

    /// Issues a challenge to sign.
    mutating func challenge(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let challengeRequest = try ChallengeRequest(request.json)
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
        let enrollment = try DeviceEnrollmentRequest(request.json)
        guard let nonce = enrollmentNonces.removeValue(forKey: enrollment.challengeID),
            let thumbprint = claims.keyThumbprint, let account = try? AccountID(claims.subject)
        else {
            return problem(400, "invalid_challenge")
        }
        let expected = EnrollmentProof.Expectation(
            audience: try Issuer(issuer), account: account, nonce: nonce, thumbprint: thumbprint,
            name: enrollment.name.rawValue, platform: enrollment.platform.rawValue)
        let isProved =
            (try? EnrollmentProof.verified(
                enrollment.proof.reveal(), by: enrollment.deviceKey, for: expected, now: now)) != nil
        guard isProved else {
            return problem(400, "invalid_proof")
        }
        deviceNumber += 1
        let id = try DeviceID("device-\(deviceNumber)")
        devices[id] = EnrolledKey(subject: claims.subject, key: enrollment.deviceKey)
        if let session = claims.sessionID { sessions[session]?.device = id }
        let device = EnrolledDevice(
            id: id, name: enrollment.name, platform: enrollment.platform, state: .active, isCurrent: true,
            awaitsVerification: false, hasPIN: false, hasBiometricKey: false, hasPushAddress: false, createdAt: now,
            coolingUntil: now, lastUsedAt: now)
        return .json(device.json, status: 201)
    }

    /// Removes a device of the person. The sessions on it end.
    mutating func removeDevice(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let id = try DeviceID(request.url.lastPathComponent)
        guard devices[id]?.subject == claims.subject else {
            return problem(404, "device_not_found")
        }
        devices[id] = nil
        for (session, content) in sessions where content.device == id { end(session, because: .deviceRemoved) }
        return HTTPResponse(status: 204)
    }

    /// The device of the person whose proof a sign-in contains; nil if there is none.
    func device(
        of person: Person, provedBy proof: (id: DeviceID?, proof: DeviceProof?), _ challenge: Challenge,
        now: NumericDate
    ) -> DeviceID? {
        guard let id = proof.id, let proof = proof.proof, let device = devices[id], device.subject == person.subject,
            let thumbprint = challenge.thumbprint, let issuer = try? Issuer(issuer)
        else { return nil }
        let expected = DeviceProofContent.Expectation(
            audience: issuer, deviceID: id, thumbprint: thumbprint, codeChallenge: challenge.request.codeChallenge)
        let content = try? DeviceProofContent.verified(proof, by: device.key, for: expected, now: now)
        return content == nil ? nil : id
    }
}
