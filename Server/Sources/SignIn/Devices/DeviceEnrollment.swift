internal import Core
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

/// Enrolls a device.
///
/// This is the weakest point of strong authentication: an attacker who enrolls a device can pass every later challenge. It
/// therefore requires a fresh sign-in with two categories, notifies the holder, and starts a cooling period.
struct DeviceEnrollment: Sendable {
    let database: any Database
    let issuer: Issuer
    let rules: DevicePolicy
    let sealing: SealingKeys
    let auditLog: AuditLog
    let challenges: DeviceChallenges
    let stepUp: StepUp
    let attestations: AppAttestations
    let refusals: AttestationRefusals
    let logger: Logger

    /// Enrolls a device and binds the enrolling session to it.
    /// - Returns: the device. A request repeated after a lost answer returns the same one.
    func enroll(
        _ request: DeviceEnrollmentRequest, call: AppCaller
    ) async throws -> Result<DeviceRecord, DeviceRefusal> {
        let binding = DeviceChallenges.Binding(
            purpose: .enroll, thumbprint: call.thumbprint, account: call.account.id.uuid, device: nil)
        let opened = challenges.open(request.challengeID, for: binding, now: call.now)
        let isProved = opened.map { self.isProved(request, nonce: $0.nonce, call: call) } ?? false
        // A newly enrolled device must not vouch for another one.
        if let refusal = StepUpPolicy(stepUp, call).deviceRefusal(by: call.settledMethods) {
            // The device may already be enrolled, with its answer lost and the sign-in too old since.
            guard isProved, let device = call.device, device.thumbprint == request.deviceKey.thumbprint.bytes,
                device.state == .active
            else { return .failure(refusal) }
            return .success(device)
        }
        guard let challenge = opened else { return .failure(.invalidChallenge) }
        guard isProved else { return .failure(.invalidProof) }

        let attestation: DeviceAttestation?
        switch try await self.attestation(of: request, over: challenge, call: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let found): attestation = found
        }
        let device = try record(request, attestation, call: call)
        let limit = rules.limit
        let email = AccountVault(sealing).open(call.account.email, .email, of: call.account.id)
        let entry = try auditLog.entry(
            DeviceEvent.enrolled, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: .naming(device.id), message: DeviceMessage.enrolled(request.name), email: email)
        let signIn = Digests.of(
            "enrolled",
            Array("\(call.account.id.uuid)\0\(call.session.facts.authTime.milliseconds)".utf8))
        let signInEnds = call.session.facts.authTime + rules.enrollmentFreshness
        do {
            return .success(
                try await database.write { connection in
                    // The answer was lost: the same request with the same key returns the device it enrolled.
                    guard try challenge.use(now: call.now, on: connection) else {
                        let found = try Devices.find(key: device.thumbprint, on: connection)
                        guard let found, found.accountID == call.account.id, found.state == .active else {
                            throw Undone(refusal: .invalidChallenge)
                        }
                        return found
                    }
                    // One sign-in enrolls one device, over all its sessions: an attacker who shares the holder's sign-in
                    // waits in vain for their factors.
                    guard try SeenJTIs.remember(signIn, until: signInEnds, on: connection) else {
                        // A new sign-in, not the browser's remembered one.
                        throw Undone(refusal: .strongerSignIn(maximumAge: 0))
                    }
                    try Self.enroll(device, call: call, limit: limit, on: connection)
                    try entry.write(on: connection)
                    return device
                })
        } catch let undone as Undone {
            return .failure(undone.refusal)
        }
    }

    /// A refusal as an error, to roll back the write: it must use up neither challenge nor sign-in.
    private struct Undone: Error {
        let refusal: DeviceRefusal
    }

    private static func enroll(
        _ device: DeviceRecord, call: AppCaller, limit: Int, on connection: any SQLConnection
    ) throws {
        switch try Devices.enroll(device, version: call.account.securityVersion, limit: limit, on: connection) {
        case .accountChanged: throw Undone(refusal: .accountChanged)
        case .keyTaken: throw Undone(refusal: .keyTaken)
        case .tooMany: throw Undone(refusal: .tooManyDevices(limit: limit))
        case .enrolled: break
        }
        // The session may have ended since the call was accepted, which does not raise the account's version.
        guard try Sessions.bind(call.session.facts.id, to: device.id, on: connection) else {
            throw Undone(refusal: .accountChanged)
        }
    }

    private func isProved(_ request: DeviceEnrollmentRequest, nonce: Nonce, call: AppCaller) -> Bool {
        guard let account = try? AccountID(bytes: call.account.id.bytes) else { return false }
        let expected = EnrollmentProof.Expectation(
            audience: issuer, account: account, nonce: nonce, thumbprint: call.thumbprint,
            name: request.name.rawValue, platform: request.platform.rawValue)
        do {
            _ = try EnrollmentProof.verified(
                request.proof.reveal(), by: request.deviceKey, for: expected,
                now: NumericDate(clamping: call.now.seconds))
            return true
        } catch {
            logger.debug("refused an enrollment proof", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// What the app proves, by the policy of its client. What proves nothing is recorded, also where the policy lets it pass.
    private func attestation(
        of request: DeviceEnrollmentRequest, over challenge: DeviceChallenges.Opened, call: AppCaller
    ) async throws -> Result<DeviceAttestation?, DeviceRefusal> {
        let policy = call.client.settings.attestation
        let verdict = await attestations.verdict(
            on: request.attestation,
            about: AppAttestations.Subject(use: .device, key: request.deviceKey, nonce: challenge.nonce),
            for: call.client.settings, now: call.now)
        let fault: AttestationFault
        switch verdict {
        case .success(let verified)?: return .success(verified.attestation)
        case .failure(let found)?: fault = found
        case nil where policy == .required: fault = .missing
        case nil: return .success(nil)
        }
        try await database.write { try refusals.record(fault, by: call, on: $0) }
        guard policy == .required else { return .success(nil) }
        return .failure(fault == .missing ? .attestationRequired : .attestationInvalid)
    }

    private func record(
        _ request: DeviceEnrollmentRequest, _ attestation: DeviceAttestation?, call: AppCaller
    ) throws -> DeviceRecord {
        guard case .p256(let x, let y) = request.deviceKey.key else { throw InvariantViolation() }
        let id = try sealing.random.timeOrderedID(call.now)
        let verifies = call.client.settings.verifiesAppInstallation
        var device = DeviceRecord(
            id: id, accountID: call.account.id, clientID: call.client.id.rawValue,
            name: try DeviceVault(sealing).seal(request.name.rawValue, .name, of: id),
            platform: request.platform.rawValue, signingKey: x + y, thumbprint: request.deviceKey.thumbprint.bytes,
            dpopThumbprint: call.thumbprint.bytes,
            // Apple attests the app, and says nothing about this key.
            keyStorage: attestation?.app.keyLevel == nil ? .software : .hardware,
            instance: verifies ? .unverified : .exempt, createdAt: call.now,
            coolingUntil: call.now + rules.coolingPeriod)
        device.attestation = attestation
        return device
    }
}
