internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// Enrolling a device.
///
/// It is the softest spot of all strong authentication, since whoever enrolls a device can pass every later challenge:
/// it takes a fresh sign-in with two categories of factor, the holder is told, and lower limits hold at first.
struct DeviceEnrollment: Sendable {
    let context: ServerContext

    /// Enrolls a device, and binds the session that enrolled it to it.
    /// - Returns: the device; the same one where a lost answer makes the app repeat the request.
    func enroll(
        _ request: DeviceEnrollmentRequest, call: AppCall
    ) async throws -> Result<DeviceRecord, DeviceRefusal> {
        if let refusal = FreshSignIn(context: context).refusal(of: call) { return .failure(refusal) }
        let binding = Challenges.Binding(
            purpose: .enroll, thumbprint: call.thumbprint, account: call.account.id.uuid, device: nil)
        guard let challenge = Challenges(context: context).open(request.challengeID, for: binding, now: call.now)
        else { return .failure(.invalidChallenge) }
        guard isProved(request, nonce: challenge.nonce, call: call) else { return .failure(.invalidProof) }

        let device = try record(request, call: call)
        let limit = context.settings.devices.limit
        let email = AccountVault(context: context).open(call.account.email, .email, of: call.account.id)
        let entry = try Journal(context: context).entry(
            .deviceEnrolled, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, message: .deviceEnrolled(request.name), email: email)
        return try await context.database.write { connection -> Result<DeviceRecord, DeviceRefusal> in
            guard try challenge.use(now: call.now, on: connection) else {
                // The answer was lost: the same request by the same key finds what it enrolled.
                let found = try Devices.find(key: device.thumbprint, on: connection)
                guard let found, found.accountID == call.account.id, found.state == .active else {
                    return .failure(.invalidChallenge)
                }
                return .success(found)
            }
            let outcome = try Devices.enroll(
                device, version: call.account.securityVersion, limit: limit, on: connection)
            switch outcome {
            case .accountChanged: return .failure(.accountChanged)
            case .keyTaken: return .failure(.keyTaken)
            case .tooMany: return .failure(.tooManyDevices(limit: limit))
            case .enrolled:
                try Sessions.bind(call.session.facts.id, to: device.id, on: connection)
                try entry.write(on: connection)
                return .success(device)
            }
        }
    }

    private func isProved(_ request: DeviceEnrollmentRequest, nonce: Nonce, call: AppCall) -> Bool {
        guard let account = try? AccountID(bytes: call.account.id.bytes) else { return false }
        let expected = EnrollmentProof.Expectation(
            audience: context.settings.issuer, account: account, nonce: nonce, thumbprint: call.thumbprint,
            name: request.name.rawValue, platform: request.platform.rawValue)
        do {
            _ = try EnrollmentProof.verified(
                request.proof.reveal(), by: request.deviceKey, for: expected,
                now: NumericDate(clamping: call.now.seconds))
            return true
        } catch {
            context.logger.debug("refused an enrollment proof", metadata: ["reason": "\(error)"])
            return false
        }
    }

    private func record(_ request: DeviceEnrollmentRequest, call: AppCall) throws -> DeviceRecord {
        guard case .p256(let x, let y) = request.deviceKey.key else { throw SourceFailure() }
        let id = try context.timeOrderedID(call.now)
        let verifies = call.client.settings.verifiesInstances ?? false
        return DeviceRecord(
            id: id, accountID: call.account.id, clientID: call.client.id.rawValue,
            name: try DeviceVault(context: context).seal(request.name.rawValue, .name, of: id),
            platform: request.platform.rawValue, signingKey: x + y, thumbprint: request.deviceKey.thumbprint.bytes,
            // Nothing here checks an attestation yet, and what is not attested counts as software.
            keyStorage: .software, instance: verifies ? .unverified : .exempt, createdAt: call.now,
            coolingUntil: call.now + context.settings.devices.coolingPeriod)
    }
}
