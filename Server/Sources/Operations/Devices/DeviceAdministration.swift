internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum DeviceCommands: CommandNoun {
    static let title = "device"
    static let abstract = "List, suspend and remove people's enrolled devices."
    static let commands: [any AdminCommand.Type] = [
        DeviceList.self, DeviceSuspend.self, DeviceResume.self, DeviceDeactivate.self, DeviceReactivate.self,
        DeviceConfirm.self, DeviceRemove.self,
    ]
}

struct DeviceList: AdminCommand {
    static let title = "device list"
    static let access = CommandAccess.reading(.support, .auditor)
    static let abstract = "List the devices of an account."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { .reads }

    func execute(in devices: DeviceAdministration) async throws -> AdministrationAnswer {
        let (account, now) = (try account.reference, devices.clock.now())
        let found = try await devices.database.read { connection in
            try Self.devices(of: try devices.search.find(account, on: connection).id, at: now, on: connection)
        }
        return .list(
            "devices", columns: ["ID", "STATE", "PIN", "PLATFORM", "ATTESTED", "LAST SIGN-IN", "NAME"],
            found.map { device, pin in
                (
                    [
                        device.id.uuid, Self.stateText(of: device, at: now), Self.word(for: pin), device.platform,
                        device.attestedText, device.lastUsedAt.text, devices.vault.name(of: device),
                    ], devices.vault.json(device, pin)
                )
            }, empty: "No devices.")
    }

    /// For people: includes the reason for a deactivation, which decides who can lift it, and a cooling period.
    static func stateText(of device: DeviceRecord, at now: Timestamp) -> String {
        if device.awaitsCode { return "waiting for its code" }
        let state = device.deactivatedBy == .failures ? "\(device.state.rawValue) (failures)" : device.state.rawValue
        return now < device.coolingUntil ? "\(state), cooling until \(device.coolingUntil.text)" : state
    }

    static func word(for pin: DevicePIN.Status) -> String {
        switch pin {
        case .unset: "none"
        case .active: "set"
        case .locked(.tooManyTries): "locked (wrong PINs)"
        case .locked(.restore): "locked (restore)"
        case .exhausted(let until): "exhausted until \(until.text)"
        }
    }

    /// The devices of an account, with their PINs.
    static func devices(
        of account: UniqueID, at now: Timestamp, on connection: any SQLConnection
    ) throws -> [(device: DeviceRecord, pin: DevicePIN.Status)] {
        try Devices.list(of: account, on: connection).map { device in
            (device, try PINs.find(device.id, on: connection).status(at: now))
        }
    }

}

/// A device.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "The device id, as `device list` shows it.")
    var id: String
}

/// A command that changes a device's state.
protocol DeviceTransitionCommand: AdminCommand {
    static var transition: DeviceState.Transition { get }
    var device: DeviceOptions { get }
}

extension DeviceTransitionCommand {
    static var access: CommandAccess { .changing(.support) }
    var target: CommandTarget { .device(device.id) }

    func execute(in devices: DeviceAdministration) async throws -> AdministrationAnswer {
        try await devices.move(device.id, by: Self.transition)
    }
}

struct DeviceSuspend: DeviceTransitionCommand {
    static let title = "device suspend"
    static let abstract = "End a device's sessions and refuse its sign-ins until it is resumed."

    static let transition = DeviceState.Transition.suspend

    @OptionGroup var device: DeviceOptions
}

struct DeviceResume: DeviceTransitionCommand {
    static let title = "device resume"
    static let abstract = "Let a suspended device sign in again."

    static let transition = DeviceState.Transition.resume

    @OptionGroup var device: DeviceOptions
}

struct DeviceDeactivate: DeviceTransitionCommand {
    static let title = "device deactivate"
    static let abstract = "End a device's sessions and refuse its sign-ins until it is reactivated."

    static let transition = DeviceState.Transition.deactivate

    @OptionGroup var device: DeviceOptions
}

struct DeviceReactivate: DeviceTransitionCommand {
    static let title = "device reactivate"
    static let abstract = "Let a deactivated device sign in again; its failures are reset."

    static let transition = DeviceState.Transition.reactivate

    @OptionGroup var device: DeviceOptions
}

struct DeviceConfirm: AdminCommand {
    static let title = "device confirm"
    static let abstract = "Confirm the installation of a device without the code sent to its holder."
    static let discussion = """
        For people who cannot receive the code. First make sure in another way that the device is theirs: the \
        code protects against attackers who know the password and set up the app on their own device.
        """

    @OptionGroup var device: DeviceOptions

    var target: CommandTarget { .device(device.id) }

    func execute(in devices: DeviceAdministration) async throws -> AdministrationAnswer {
        let (device, account) = try await devices.find(self.device.id)
        let entry = try devices.auditLog.entry(
            DeviceEvent.verified, account: account.id, client: device.clientID, now: devices.clock.now(),
            details: .naming(device.id))
        let isConfirmed = try await devices.database.write { connection in
            guard try Devices.verifyInstance(device.id, of: account.id, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isConfirmed else {
            throw AdministrationRefusal(
                "Device \(self.device.id) was not changed: it is not waiting for a code, or is \(DeviceState.suspended.rawValue) "
                    + "or \(DeviceState.deactivated.rawValue).", code: "no_change")
        }
        return .done("Device \(self.device.id) confirmed; it can sign in.", device.idJSON)
    }
}

struct DeviceRemove: AdminCommand {
    static let title = "device remove"
    static let access = CommandAccess.changing(.support)
    static let abstract = "Remove a device permanently: its sessions end, and it has to be enrolled again."

    @OptionGroup var device: DeviceOptions

    var target: CommandTarget { .device(device.id) }

    func execute(in devices: DeviceAdministration) async throws -> AdministrationAnswer {
        let (found, account) = try await devices.find(device.id)
        _ = try await devices.removal.remove(found.id, of: account, now: devices.clock.now())
        return .done("Device \(device.id) removed; its sessions ended.", found.idJSON)
    }
}

/// What operators do to devices.
struct DeviceAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let accounts: AccountVault
    let vault: DeviceVault
    let verification: PasswordVerification
    let removal: DeviceRemoval
    let search: AccountSearch

    fileprivate func move(_ id: String, by transition: DeviceState.Transition) async throws -> AdministrationAnswer {
        let now = clock.now()
        let (device, account) = try await find(id)
        let (from, to) = transition.states
        let entry = try auditLog.entry(
            transition.event, account: account.id, client: device.clientID, now: now, details: .naming(device.id),
            message: transition == .deactivate ? DeviceMessage.deactivated(try vault.shownName(of: device)) : nil,
            email: accounts.open(account.email, .email, of: account.id))
        let counter = try verification.counter(of: device, account: account)
        let isMoved = try await database.write { connection in
            guard
                try Devices.move(
                    device.id, from: from, to: to, by: to == .deactivated ? .operator : nil, because: .deviceClosed,
                    now: clock.writeTime(since: now), on: connection)
            else { return false }
            // An active device starts without failures.
            if to == .active { try Attempts.clear(counter, on: connection) }
            try entry.write(on: connection)
            return true
        }
        guard isMoved else {
            throw AdministrationRefusal(
                "Device \(id) was not changed. It is \(device.state.rawValue).", code: "no_change")
        }
        return .done("Device \(id) \(transition.said).", device.idJSON)
    }

    fileprivate func find(_ id: String) async throws -> (DeviceRecord, AccountRecord) {
        let found = try await database.read { connection -> (DeviceRecord, AccountRecord)? in
            guard let unique = UniqueID(uuid: id), let device = try Devices.find(unique, on: connection),
                device.state != .removed, let account = try Accounts.find(device.accountID, on: connection)
            else { return nil }
            return (device, account)
        }
        guard let found else { throw AdministrationRefusal.notFound("device", id) }
        return found
    }
}

extension DeviceVault {
    func name(of device: DeviceRecord) -> String {
        open(device.name, .name, of: device.id) ?? device.platform
    }

    /// For people: what a device cannot do yet, and the remedy for a locked PIN; `nil` for nothing to report.
    func remark(on device: DeviceRecord, _ pin: DevicePIN.Status, at now: Timestamp) -> String? {
        var remarks: [String] = []
        if device.state == .active, now < device.coolingUntil {
            remarks.append(
                "cannot approve payments or sign transactions until \(device.coolingUntil.text). The restriction "
                    + "ends by itself; sign-ins still work.")
        }
        if case .locked(let reason) = pin {
            remarks.append(
                """
                its PIN is locked \(reason.inWords); the person signs in with two factors and sets a new one on the \
                device.
                """
            )
        }
        if case .exhausted(let until) = pin {
            remarks.append(
                "accepts no PIN until \(until.text), after thirty wrong attempts within thirty days. The restriction "
                    + "ends by itself; the person can also enroll the device again and set a PIN.")
        }
        guard !remarks.isEmpty else { return nil }
        return "\(device.id.uuid) (\(name(of: device))): " + remarks.joined(separator: " Also, ")
    }

    func json(_ device: DeviceRecord, _ pin: DevicePIN.Status) -> JSONObject {
        var json = json(device)
        switch pin {
        case .unset: json.set("pin", "unset")
        case .active: json.set("pin", "active")
        case .locked(let reason):
            json.set("pin", "locked")
            json.set("pinLockReason", reason.rawValue)
        case .exhausted(let until):
            json.set("pin", "exhausted")
            json.set("pinExhaustedUntil", until.text)
        }
        return json
    }

    func json(_ device: DeviceRecord) -> JSONObject {
        var json = device.idJSON
        json.set("accountId", device.accountID.uuid)
        json.set("clientId", device.clientID)
        json.set("name", name(of: device))
        json.set("platform", device.platform)
        json.set("state", device.state.rawValue)
        json.set("closedBy", device.deactivatedBy?.rawValue)
        json.set("instance", device.instance.rawValue)
        json["biometricKey"] = .bool(device.biometricKey != nil)
        json.set("biometricKeyVoucher", device.biometricKey?.voucher?.rawValue)
        json["attestation"] = device.attestation.map { .object($0.app.json) }
        json["push"] = .bool(device.pushAddress != nil)
        json.set("createdAt", device.createdAt.text)
        json.set("coolingUntil", device.coolingUntil.text)
        json.set("lastUsedAt", device.lastUsedAt.text)
        return json
    }
}

extension DeviceRecord {
    /// For people: the app that vouched for it, and when.
    fileprivate var attestedText: String {
        guard let app = attestation?.app else { return "no" }
        let build = app.environment == .development ? ", a development build" : ""
        return "\(app.app)\(build), \(Timestamp(seconds: app.attestedAt.secondsSince1970).text)"
    }

    fileprivate var idJSON: JSONObject { JSONObject(strings: ["deviceId": id.uuid]) }
}

extension DeviceState.Transition {
    var event: DeviceEvent {
        switch self {
        case .suspend: .suspended
        case .resume: .resumed
        case .deactivate: .deactivated
        case .reactivate: .reactivated
        }
    }

    /// The device's new state, in words.
    var said: String {
        switch self {
        case .suspend: "suspended; its sessions ended"
        case .deactivate: "deactivated; its sessions ended"
        case .resume, .reactivate: "can sign in again"
        }
    }
}
