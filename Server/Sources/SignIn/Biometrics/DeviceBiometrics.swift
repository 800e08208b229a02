internal import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// The biometric key of a device: the device signs with it only after verifying its holder. Set with the PIN, and removed.
///
/// It proves inherence in addition to the device's key. Setting it therefore requires both factors of the device: its own
/// key and the PIN, over this very key. The holder is notified.
package struct DeviceBiometrics: Sendable {
    let database: any Database
    let rule: BiometricKeyRule
    let sealing: SealingKeys
    let auditLog: AuditLog
    let assertions: DeviceAssertions
    let stepUp: StepUp
    let attestations: AppAttestations
    let refusals: AttestationRefusals

    /// Sets the biometric key of the calling device, and replaces an earlier one.
    /// - Parameters:
    ///   - request: the key, and the assertion by device key and PIN.
    ///   - id: the device.
    ///   - call: the app's call.
    package func set(
        _ request: BiometricKeyRequest, on id: DeviceID, call: AppCaller
    ) async throws -> Result<Void, PINRefusal> {
        guard let device = UniqueID(uuid: id.rawValue), call.session.facts.deviceID == device else {
            return .failure(.device(.notFound))
        }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(.device(refusal)) }
        guard let assertion = try? PresentedAssertion(request.assertion), assertion.unverified.deviceID == id else {
            return .failure(.invalidCredentials)
        }
        // One key for both would turn two factors into one.
        guard request.publicKey.thumbprint.bytes != call.device?.thumbprint else {
            return .failure(.invalidCredentials)
        }
        guard let here = call.device else { return .failure(.device(.notFound)) }
        let subject = AppAttestations.Subject(
            use: .biometric, key: request.publicKey, nonce: assertion.unverified.nonce, earlier: here.attestation)
        let entry = try entry(
            .biometricKeyAdded, of: device, call: call,
            telling: .biometricKeyAdded(try DeviceVault(sealing).shownName(of: here)))
        let presented = DeviceAssertions.Presented(
            assertion, act: .biometric(.key(request.publicKey.thumbprint)), session: call.session.facts.id,
            origin: call.origin, now: call.now)
        return try await WriteConflict.retrying("a PIN") {
            let asserted = try await assertions.verify(presented)
            // A chain of certificates takes longer than both signatures: it is verified only for a right PIN.
            let statement = (try? asserted.decision.get()) == nil ? nil : request.attestation
            let attested = await attestations.verdict(
                on: statement, about: subject, for: call.client.settings, now: call.now)
            let key = try record(request, attested, now: call.now)
            let refusal = self.refusal(of: key, attested)
            if case .settled(let outcome) = asserted {
                return outcome.decision.flatMap { _ in
                    // The answer was lost: an app's assertion has counted since, and its key is set.
                    here.biometricKey?.publicKey == key.publicKey
                        ? .success(()) : refusal.map { .failure($0) } ?? .success(())
                }
            }
            return try await database.write { connection in
                let outcome = try asserted.save(on: connection)
                guard case .first(.success) = outcome else { return outcome.decision.map { _ in } }
                // Even if the key is not accepted, the PIN was right and its try is refunded.
                if let refusal {
                    if case .failure(let fault)? = attested {
                        try refusals.record(fault, of: device, by: call, on: connection)
                    }
                    return .failure(refusal)
                }
                guard try count(attested, of: here, on: connection) else {
                    try refusals.record(.counterBehind, of: device, by: call, on: connection)
                    return .failure(.device(.attestationInvalid))
                }
                guard try Devices.setBiometricKey(of: device, of: call.account.id, to: key, on: connection) else {
                    throw InvariantViolation()
                }
                try entry.write(on: connection)
                return .success(())
            }
        }
    }

    /// What the app's attestation proved, if it sent one and its client's policy looks at it.
    private typealias Attested = Result<AppAttestations.Verified, AttestationFault>

    private func refusal(of key: BiometricKeyRecord, _ attested: Attested?) -> PINRefusal? {
        if case .failure? = attested { return .device(.attestationInvalid) }
        return key.counts(under: rule) ? nil : .device(.presenceNotAttested)
    }

    /// Counts an assertion. An attestation vouches for the biometric key alone: it does not name the device's own, so it says nothing of
    /// the app that enrolled the device.
    /// - Returns: false if the assertion has counted before.
    private func count(
        _ attested: Attested?, of device: DeviceRecord, on connection: any SQLConnection
    ) throws -> Bool {
        guard case .asserted(_, let counter)? = try attested?.get() else { return true }
        return try device.attestation?.counted.map { key in
            try Devices.raiseAttestationCounter(
                of: device.id, of: device.accountID, from: key, to: counter, on: connection)
        } ?? false
    }

    /// Removes the key; harmless if there is none. On another device than the caller's own, this requires a sign-in as strong
    /// as the account allows, and the holder is notified.
    package func remove(from id: DeviceID, call: AppCaller) async throws -> Result<Void, DeviceRefusal> {
        guard let device = UniqueID(uuid: id.rawValue),
            let found = try await database.read({ try Devices.find(device, on: $0) }),
            found.accountID == call.account.id, found.state != .removed
        else { return .failure(.notFound) }
        if let refusal = try await StepUpPolicy(stepUp, call)
            .refusalUnlessOwn(device, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let isOwn = call.session.facts.deviceID == device
        let entry = try entry(
            .biometricKeyRemoved, of: device, call: call,
            telling: isOwn ? nil : .biometricKeyRemoved(try DeviceVault(sealing).shownName(of: found))
        ).telling(client: found.clientID)
        return try await database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(refusal) }
            if try Devices.removeBiometricKey(of: device, of: call.account.id, on: connection) {
                try entry.write(on: connection)
            }
            return .success(())
        }
    }

    private func record(
        _ request: BiometricKeyRequest, _ attested: Attested?, now: Timestamp
    ) throws -> BiometricKeyRecord {
        guard case .p256(let x, let y) = request.publicKey.key else { throw InvariantViolation() }
        guard case .success(let verified)? = attested else {
            return BiometricKeyRecord(publicKey: x + y, storage: .software, voucher: nil, setAt: now)
        }
        var storage = KeyStorage.software
        if case .keyAttested = verified { storage = .hardware }
        return BiometricKeyRecord(publicKey: x + y, storage: storage, voucher: verified.voucher, setAt: now)
    }

    private func entry(
        _ event: DeviceEvent, of device: UniqueID, call: AppCaller, telling message: DeviceMessage?
    ) throws -> AuditLog.Entry {
        let email = AccountVault(sealing).open(call.account.email, .email, of: call.account.id)
        return try auditLog.entry(
            event, account: call.account.id, client: call.client.id.rawValue, origin: call.origin, now: call.now,
            details: .naming(device), message: message, email: email)
    }
}
