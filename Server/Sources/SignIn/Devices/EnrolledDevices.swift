internal import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// Lets the holder manage the account's devices: enroll, list, rename, remove, confirm, and reach by push.
///
/// This folder owns devices: recognition, enrollment, confirmation and removal. PINs are in `DevicePIN`, biometric
/// keys in `Biometrics`.
package struct EnrolledDevices: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let challenges: DeviceChallenges
    let enrollment: DeviceEnrollment
    let removal: DeviceRemoval
    let codes: InstanceCodes
    let stepUp: StepUp

    /// Creates a challenge to sign.
    package func challenge(by caller: ChallengeCaller) throws -> ChallengeResponse {
        try challenges.issue(caller.binding, now: caller.now)
    }

    /// Enrolls the calling device.
    package func enroll(
        _ request: DeviceEnrollmentRequest, call: AppCaller
    ) async throws -> Result<EnrolledDevice, DeviceRefusal> {
        switch try await enrollment.enroll(request, call: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let device):
            if device.instance == .unverified {
                _ = try await codes.send(to: call.account, device: device, now: call.now)
            }
            return .success(try await shown(device, current: device.id))
        }
    }

    /// The oldest first.
    package func list(call: AppCaller) async throws -> EnrolledDeviceList {
        let devices = try await database.read { try Devices.list(of: call.account.id, on: $0) }
        var list: [EnrolledDevice] = []
        for device in devices { list.append(try await shown(device, current: call.session.facts.deviceID)) }
        return EnrolledDeviceList(devices: list)
    }

    /// Renames a device. The holder recognizes a device by its name, so renaming another one requires a sign-in as strong as
    /// the account allows.
    package func rename(
        _ id: DeviceID, to name: DeviceName, call: AppCaller
    ) async throws -> Result<EnrolledDevice, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        if let refusal = try await StepUpPolicy(stepUp, call)
            .refusalUnlessOwn(device.id, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let sealed = try DeviceVault(sealing).seal(name.rawValue, .name, of: device.id)
        let entry = try auditLog.entry(
            DeviceEvent.renamed, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: .naming(device.id))
        let refusal = try await database.write { connection -> DeviceRefusal? in
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

    /// Removes a device: its sessions end, its keys are never accepted again, and everything begun on it is void.
    ///
    /// Another device than the caller's own requires a sign-in as strong as the account allows. Removing a device again is
    /// harmless.
    package func remove(_ id: DeviceID, call: AppCaller) async throws -> Result<Void, DeviceRefusal> {
        guard let device = UniqueID(uuid: id.rawValue) else { return .failure(.notFound) }
        if let refusal = try await StepUpPolicy(stepUp, call)
            .refusalUnlessOwn(device, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let outcome = try await removal.remove(
            device, of: call.account, by: call, now: call.now)
        return switch outcome {
        case .removed: .success(())
        case .notFound: .failure(.notFound)
        case .refused(let refusal): .failure(DeviceRefusal(ofChange: refusal))
        }
    }

    /// The device that the account's page asks about before it removes it. The rule is that of another device than the caller's
    /// own, and the sign-in must be minutes old, as for everything on the page.
    func removable(_ id: String, call: PageCaller) async throws -> Result<DeviceRecord, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        if let refusal = policy.refusalUnlessFresh(try await policy.facts()) { return .failure(refusal) }
        guard let id = UniqueID(uuid: id), let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id
        else { return .failure(.notFound) }
        return .success(device)
    }

    /// Removes a device on the account's page. Removing it again is harmless.
    func remove(_ id: String, call: PageCaller) async throws -> Result<Void, FactorRefusal> {
        switch try await removable(id, call: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let device):
            return switch try await removal.remove(device.id, of: call.account, by: call, now: call.now) {
            case .removed: .success(())
            case .notFound: .failure(.notFound)
            case .refused(let refusal): .failure(refusal)
            }
        }
    }

    /// Sets the destination of push messages to a device; `nil` for none. Another one than before counts against a limit, since each is
    /// recorded. Removing one does not: something was set before.
    package func setPushAddress(
        _ address: PushAddress?, of id: DeviceID, call: AppCaller
    ) async throws -> Result<Void, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        // Another device's messages must not be diverted.
        guard call.session.facts.deviceID == device.id else { return .failure(.notFound) }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(refusal) }
        let vault = DeviceVault(sealing)
        let sealed = try address.map { address in
            try vault.seal(RegisteredPushAddress(address, at: call.now).text, .pushAddress, of: device.id)
        }
        let entry = try auditLog.entry(
            address == nil ? DeviceEvent.pushRemoved : .pushSet, account: call.account.id,
            client: call.client.id.rawValue, origin: call.origin, now: call.now, details: .naming(device.id))
        let budget = try FactorChangeBudget(pushAddressOf: device.id, call: call, keyRing: stepUp.keyRing)
        let refusal = try await database.write { [sealing] connection -> DeviceRefusal? in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return refusal }
            let former = try Devices.find(device.id, on: connection).flatMap { RegisteredPushAddress(of: $0, sealing) }
            if address != nil, former?.address != address,
                case .tooManyAttempts(let seconds)? = try budget.charge(on: connection)
            {
                return .tooManyAttempts(retryAfter: seconds)
            }
            guard try Devices.setPushAddress(of: device.id, of: call.account.id, to: sealed, on: connection) else {
                return .notActive
            }
            // Apps register at each start, mostly the same address.
            if former?.address != address { try entry.write(on: connection) }
            return nil
        }
        return refusal.map { .failure($0) } ?? .success(())
    }

    /// Confirms an installation of the app, or sends the code again.
    package func verify(
        _ verification: DeviceVerification, of id: DeviceID, call: AppCaller
    ) async throws -> Result<Void, DeviceRefusal> {
        guard let device = try await device(id, of: call) else { return .failure(.notFound) }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(refusal) }
        guard device.instance == .unverified else { return .failure(.nothingToVerify) }
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

    /// A device of the caller's account; `nil` if it has none with this id.
    private func device(_ id: DeviceID, of call: AppCaller) async throws -> DeviceRecord? {
        guard let id = UniqueID(uuid: id.rawValue),
            let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id, device.state != .removed
        else { return nil }
        return device
    }

    private func shown(_ device: DeviceRecord, current: UniqueID?) async throws -> EnrolledDevice {
        let pin = try await database.read { try PINs.find(device.id, on: $0) }
        return EnrolledDevice(
            id: try DeviceID(device.id.uuid), name: try DeviceVault(sealing).shownName(of: device),
            platform: try DevicePlatform(device.platform), state: EnrolledDevice.State(device.state),
            isCurrent: device.id == current, awaitsVerification: device.instance == .unverified,
            hasPIN: pin.state.active != nil,
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
