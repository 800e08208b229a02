internal import Kernel
internal import Store
package import WalletAuthWire

/// Sets, changes and removes the PIN of a device (docs/wpin-1.md).
package struct DevicePINs: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let assertions: DeviceAssertions
    let stepUp: StepUp

    /// Sets or changes the PIN of the device that the call comes from.
    ///
    /// Setting one, also in place of a forgotten or locked one, requires a fresh sign-in with two categories. Changing one requires
    /// the old PIN.
    /// - Parameter request: the new key and the assertion.
    package func set(
        _ request: PINSettingRequest, on id: DeviceID, call: AppCaller
    ) async throws -> Result<PINSettingResponse, PINRefusal> {
        guard let device = UniqueID(uuid: id.rawValue), call.session.facts.deviceID == device else {
            return .failure(.device(.notFound))
        }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(.device(refusal)) }
        guard let assertion = try? PresentedAssertion(request.assertion), assertion.unverified.deviceID == id,
            case .pin(let epoch) = assertion.unverified.factor
        else { return .failure(.invalidCredentials) }
        // One key for both would turn two factors into one.
        guard request.publicKey.thumbprint.bytes != call.device?.thumbprint else {
            return .failure(.invalidCredentials)
        }
        let hash = PayloadHash.key(request.publicKey.thumbprint)
        func presented(_ act: DeviceAssertion.Act) -> DeviceAssertions.Presented {
            DeviceAssertions.Presented(
                assertion, act: act, newPIN: request.publicKey, session: call.session.facts.id, origin: call.origin,
                now: call.now)
        }
        let act: DeviceAssertion.Act
        switch assertion.unverified.act.purpose {
        case .enroll:
            act = .enroll(hash)
            if let refusal = StepUpPolicy(stepUp, call).deviceRefusal(by: call.methodsForDevicePIN) {
                // A repetition is fine even if the sign-in is no longer fresh: the PIN was set and only the response was lost.
                let asserted = try await assertions.verify(presented(act))
                if case .settled(.repeated(.success)) = asserted {
                    return .success(PINSettingResponse(epoch: epoch))
                }
                return .failure(.device(refusal))
            }
        case .pinChange: act = .pinChange(hash)
        case .login, .sca, .transaction, .reject, .biometric: return .failure(.invalidCredentials)
        }
        return try await assertions.check(presented(act)).map { _ in PINSettingResponse(epoch: epoch) }
    }

    /// Removes the PIN of a device: deletes the server's key and the public half, so that the PIN no longer works.
    ///
    /// A device removes its own PIN with any sign-in, as it could remove itself. That weakens nothing: another PIN needs a fresh
    /// two-factor sign-in, the device still counts among the account's factors, and the charges of the last thirty days stay. Another
    /// device needs a sign-in as strong as the account can prove, and the holder is notified: a stolen password must not remove the
    /// account's protection.
    /// - Parameter id: the device. Nothing happens if it has no PIN.
    package func forget(on id: DeviceID, call: AppCaller) async throws -> Result<Void, DeviceRefusal> {
        guard let id = UniqueID(uuid: id.rawValue),
            let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id, device.state != .removed
        else { return .failure(.notFound) }
        let isOwn = call.session.facts.deviceID == id
        if let refusal = try await StepUpPolicy(stepUp, call)
            .refusalUnlessOwn(id, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let email = AccountVault(sealing).open(call.account.email, .email, of: call.account.id)
        let entry = try auditLog.entry(
            PINEvent.forgotten, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: .naming(id),
            message: isOwn ? nil : PINMessage.forgotten(try DeviceVault(sealing).shownName(of: device)),
            email: email
        ).telling(client: device.clientID)
        return try await database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(refusal) }
            if try PINs.forget(id, now: call.now, on: connection) { try entry.write(on: connection) }
            return .success(())
        }
    }
}
