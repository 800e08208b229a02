internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// The devices of an account, for their holder: enrolled, listed, renamed, removed, confirmed, reached by push.
package struct EnrolledDevices: Sendable {
    let context: ServerContext

    /// Something fresh to sign.
    /// - Throws: infrastructure errors.
    package func challenge(by caller: ChallengeCaller) throws -> ChallengeResponse {
        try DeviceChallenges(context: context).issue(caller.binding, now: caller.now)
    }

    /// Enrolls the device that the call comes from.
    /// - Parameters:
    ///   - request: the device, and the proof of its key.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func enroll(
        _ request: DeviceEnrollmentRequest, call: AppCaller
    ) async throws -> Result<EnrolledDevice, DeviceRefusal> {
        switch try await DeviceEnrollment(context: context).enroll(request, call: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let device):
            if device.instance == .unverified {
                _ = try await InstanceCodes(context: context).send(to: call.account, device: device, now: call.now)
            }
            return .success(try await shown(device, current: device.id))
        }
    }

    /// The account's devices, the oldest first.
    /// - Parameter call: the app's call.
    /// - Throws: infrastructure errors.
    package func list(call: AppCaller) async throws -> EnrolledDeviceList {
        let devices = try await context.database.read { try Devices.list(of: call.account.id, on: $0) }
        var list: [EnrolledDevice] = []
        for device in devices { list.append(try await shown(device, current: call.session.facts.deviceID)) }
        return EnrolledDeviceList(devices: list)
    }

    /// Gives a device another name. It is what the holder knows the device by, so that another device's takes a sign-in as
    /// strong as the account can prove.
    /// - Parameters:
    ///   - id: the device.
    ///   - name: what its holder calls it from now on.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func rename(
        _ id: DeviceID, to name: DeviceName, call: AppCaller
    ) async throws -> Result<EnrolledDevice, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        if let refusal = try await StepUpPolicy(context: context, call: call)
            .refusalUnlessOwn(device.id, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let sealed = try DeviceVault(context: context).seal(name.rawValue, .name, of: device.id)
        let entry = try AuditLog(context: context).entry(
            .deviceRenamed, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: .naming(device.id))
        let refusal = try await context.database.write { connection -> DeviceRefusal? in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return refusal }
            guard try Devices.rename(device.id, of: call.account.id, to: sealed, on: connection) else {
                return .notFound
            }
            try entry.write(on: connection)
            return nil
        }
        if let refusal { return .failure(refusal) }
        var renamed = device
        renamed.name = sealed
        return .success(try await shown(renamed, current: call.session.facts.deviceID))
    }

    /// Removes a device: its sessions end, its keys are never taken again, and everything that was begun on it is void.
    ///
    /// Another device than the caller's own takes a sign-in as strong as the account can prove.
    /// - Parameters:
    ///   - id: the device; removing it again is harmless.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func remove(_ id: DeviceID, call: AppCaller) async throws -> Result<Void, DeviceRefusal> {
        guard let device = UniqueID(uuid: id.rawValue) else { return .failure(.notFound) }
        if let refusal = try await StepUpPolicy(context: context, call: call)
            .refusalUnlessOwn(device, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let outcome = try await DeviceRemoval(context: context).remove(
            device, of: call.account, by: .holder(call), now: call.now)
        return switch outcome {
        case .removed: .success(())
        case .notFound: .failure(.notFound)
        case .refused(let refusal): .failure(refusal)
        }
    }

    /// Sets where push messages to a device go; `nil` for nowhere.
    /// - Parameters:
    ///   - address: the platform's token.
    ///   - id: the device.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func setPushAddress(
        _ address: PushAddress?, of id: DeviceID, call: AppCaller
    ) async throws -> Result<Void, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        // Another device's messages must not be led away.
        guard call.session.facts.deviceID == device.id else { return .failure(.notFound) }
        let vault = DeviceVault(context: context)
        let sealed = try address.map { address in
            try vault.seal(String(decoding: address.json.bytes, as: UTF8.self), .pushAddress, of: device.id)
        }
        let isSet = try await context.database.write {
            try Devices.setPushAddress(of: device.id, of: call.account.id, to: sealed, on: $0)
        }
        return isSet ? .success(()) : .failure(.notActive)
    }

    /// Confirms an installation of the app, or has the code sent again.
    /// - Parameters:
    ///   - verification: the code, or a request for another.
    ///   - id: the device.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func verify(
        _ verification: DeviceVerification, of id: DeviceID, call: AppCaller
    ) async throws -> Result<Void, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        guard device.instance == .unverified else { return .failure(.nothingToVerify) }
        let codes = InstanceCodes(context: context)
        switch verification {
        case .resend:
            switch try await codes.send(to: call.account, device: device, now: call.now) {
            case .sent: return .success(())
            case .tooSoon(let seconds): return .failure(.tooManyAttempts(retryAfter: seconds))
            }
        case .code(let code):
            switch try await codes.confirm(code, device: device, origin: call.origin, now: call.now) {
            case .confirmed: return .success(())
            case .wrong: return .failure(.invalidCode)
            case .tooManyAttempts(let seconds): return .failure(.tooManyAttempts(retryAfter: seconds))
            }
        }
    }

    // MARK: - Shared steps

    /// A device of the caller's account; `nil` where it has none of that id.
    private func device(_ id: DeviceID, of call: AppCaller) async throws -> DeviceRecord? {
        guard let id = UniqueID(uuid: id.rawValue),
            let device = try await context.database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id, device.state != .removed
        else { return nil }
        return device
    }

    private func shown(_ device: DeviceRecord, current: UniqueID?) async throws -> EnrolledDevice {
        let pin = try await context.database.read { try PINs.find(device.id, on: $0) }
        let name = DeviceVault(context: context).open(device.name, .name, of: device.id)
        return EnrolledDevice(
            id: try DeviceID(device.id.uuid), name: try DeviceName(name ?? device.platform),
            platform: try DevicePlatform(device.platform), state: EnrolledDevice.State(device.state),
            isCurrent: device.id == current, awaitsVerification: device.instance == .unverified,
            hasPIN: pin?.state.active != nil,
            hasBiometricKey: device.biometricKey != nil, hasPushAddress: device.pushAddress != nil,
            createdAt: NumericDate(clamping: device.createdAt.seconds),
            coolingUntil: NumericDate(clamping: device.coolingUntil.seconds),
            lastUsedAt: NumericDate(clamping: device.lastUsedAt.seconds))
    }
}

extension EnrolledDevice.State {
    init(_ state: DeviceState) {
        switch state {
        case .active: self = .active
        case .suspended: self = .suspended
        // A removed device is never shown.
        case .deactivated, .removed: self = .deactivated
        }
    }
}
