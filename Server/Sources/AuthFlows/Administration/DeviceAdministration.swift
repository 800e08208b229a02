internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    func execute(_ command: DeviceCommand) async throws -> AdministrationAnswer {
        switch command {
        case .list(let account): try await listDevices(account)
        case .order(let order, let id): try await move(id, by: order)
        case .confirm(let id): try await confirmInstallation(id)
        case .remove(let id): try await removeDevice(id)
        }
    }

    private func listDevices(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let devices = try await context.database.read { connection in
            try Devices.list(of: try reference.find(on: connection).id, on: connection)
        }
        return .list(
            "devices", columns: ["ID", "STATE", "PLATFORM", "LAST SIGN-IN", "NAME"],
            devices.map { device in
                (
                    [
                        device.id.uuid, Self.standing(of: device), device.platform, device.lastUsedAt.text,
                        name(of: device),
                    ], json(device)
                )
            }, empty: "No devices.")
    }

    private func move(_ id: String, by order: DeviceState.Order) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        let (device, account) = try await find(id)
        let (from, to) = DeviceState.transition(order)
        let entry = try Journal(context: context).entry(
            order.event, account: account.id, client: device.clientID, now: now, details: .naming(device.id),
            message: order == .deactivate ? .deviceDeactivated(try DeviceName(name(of: device))) : nil,
            email: vault.open(account.email, .email, of: account.id))
        let counter = try PasswordVerification(context: context).counter(of: device, account: account)
        let isMoved = try await context.database.write { connection in
            guard
                try Devices.move(
                    device.id, from: from, to: to, by: to == .deactivated ? .operator : nil, because: .deviceClosed,
                    now: now, on: connection)
            else { return false }
            // Whoever opens a device again means its failures to be forgotten.
            if to == .active { try Attempts.clear(counter, on: connection) }
            try entry.write(on: connection)
            return true
        }
        guard isMoved else {
            throw AdministrationRefusal(
                "Device \(id) was left as it is. It is \(device.state.rawValue).", code: "no_change")
        }
        return .done("Device \(id) \(order.said).", idJSON(device))
    }

    /// For a holder whom no code reaches: whoever confirms has to know by another way that the device is theirs.
    private func confirmInstallation(_ id: String) async throws -> AdministrationAnswer {
        let (device, account) = try await find(id)
        let entry = try Journal(context: context).entry(
            .deviceVerified, account: account.id, client: device.clientID, now: context.clock.now(),
            details: .naming(device.id))
        let isConfirmed = try await context.database.write { connection in
            guard try Devices.verifyInstance(device.id, of: account.id, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isConfirmed else {
            throw AdministrationRefusal(
                "Device \(id) was left as it is: it awaits no code, or is \(DeviceState.suspended.rawValue) or "
                    + "\(DeviceState.deactivated.rawValue).", code: "no_change")
        }
        return .done("Device \(id) confirmed; it may sign in.", idJSON(device))
    }

    private func removeDevice(_ id: String) async throws -> AdministrationAnswer {
        let (device, account) = try await find(id)
        _ = try await DeviceRemoval(context: context).remove(
            device.id, of: account, by: .administrator, now: context.clock.now())
        return .done("Device \(id) removed; its sessions ended.", idJSON(device))
    }

    private func find(_ id: String) async throws -> (DeviceRecord, AccountRecord) {
        let found = try await context.database.read { connection -> (DeviceRecord, AccountRecord)? in
            guard let unique = UniqueID(uuid: id), let device = try Devices.find(unique, on: connection),
                device.state != .removed, let account = try Accounts.find(device.accountID, on: connection)
            else { return nil }
            return (device, account)
        }
        guard let found else { throw AdministrationRefusal.notFound("device", id) }
        return found
    }

    private func name(of device: DeviceRecord) -> String {
        DeviceVault(context: context).open(device.name, .name, of: device.id) ?? device.platform
    }

    /// For a person: who can open it again belongs to where it is in its life.
    private static func standing(of device: DeviceRecord) -> String {
        if device.awaitsCode { return "awaits its code" }
        return device.closedBy == .failures ? "\(device.state.rawValue) (failures)" : device.state.rawValue
    }

    private func idJSON(_ device: DeviceRecord) -> JSONObject {
        var json = JSONObject()
        json.set("deviceId", device.id.uuid)
        return json
    }

    func json(_ device: DeviceRecord) -> JSONObject {
        var json = idJSON(device)
        json.set("accountId", device.accountID.uuid)
        json.set("clientId", device.clientID)
        json.set("name", name(of: device))
        json.set("platform", device.platform)
        json.set("state", device.state.rawValue)
        json.set("closedBy", device.closedBy?.rawValue)
        json.set("instance", device.instance.rawValue)
        json["biometricKey"] = .bool(device.biometricKey != nil)
        json["push"] = .bool(device.pushAddress != nil)
        json.set("createdAt", device.createdAt.text)
        json.set("lastUsedAt", device.lastUsedAt.text)
        return json
    }
}

extension DeviceRecord {
    /// Whether its installation has to confirm a code before it signs in.
    var awaitsCode: Bool { state == .active && instance == .unverified }
}

extension DeviceState.Order {
    var event: Journal.Event {
        switch self {
        case .suspend: .deviceSuspended
        case .resume: .deviceResumed
        case .deactivate: .deviceDeactivated
        case .reactivate: .deviceReactivated
        }
    }

    /// What is said of a device after it.
    var said: String {
        switch self {
        case .suspend: "suspended; its sessions ended"
        case .deactivate: "deactivated; its sessions ended"
        case .resume, .reactivate: "may sign in again"
        }
    }
}
