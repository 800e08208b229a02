package import Core
package import Kernel
internal import Outbound
package import Store
internal import WalletAuthWire

/// A push address as a device's row has it, sealed: with the time at which the app registered it.
struct RegisteredPushAddress {
    let address: PushAddress
    let at: Timestamp

    init(_ address: PushAddress, at: Timestamp) {
        self.address = address
        self.at = at
    }

    /// - Returns: `nil` if the device has none, or it does not open.
    init?(of device: DeviceRecord, _ sealing: SealingKeys) {
        guard let text = DeviceVault(sealing).open(device.pushAddress, .pushAddress, of: device.id),
            let stored = try? JSONValue.object(parsing: Array(text.utf8)), let at = stored["at"]?.integer,
            let members = stored["address"]?.object, let address = try? PushAddress(members)
        else { return nil }
        self.init(address, at: Timestamp(milliseconds: at))
    }

    var text: String {
        var stored = JSONObject()
        stored["address"] = .object(address.json)
        stored["at"] = .integer(at.milliseconds)
        return String(decoding: stored.bytes, as: UTF8.self)
    }
}

extension PushAddress.Service {
    /// As the transports name it.
    var delivering: PushService {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        }
    }
}

extension DeviceRecord {
    /// Whether the holder uses it and is signed in on it, and its app has registered an address. An app that has not confirmed its code
    /// may be anyone's, and a phone on which the holder signed out may be another person's by now.
    func isReachedByPush(at now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        guard state == .active, instance != .unverified, pushAddress != nil else { return false }
        return try Sessions.isSignedIn(on: id, of: accountID, now: now, on: connection)
    }
}

/// Finds a device's address in its row, and takes it away.
package struct PushedDevices: PushDirectory {
    package init() {}

    package func registration(
        in values: [String: String], of account: UniqueID, sealing: SealingKeys, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> PushRegistration? {
        guard let id = values[ApprovalMessage.device].flatMap(UniqueID.init(uuid:)),
            let device = try Devices.find(id, on: connection), device.accountID == account,
            try device.isReachedByPush(at: now, on: connection),
            let sealed = device.pushAddress, let registered = RegisteredPushAddress(of: device, sealing),
            let client = try Clients.find(device.clientID, on: connection)
        else { return nil }
        let address = registered.address
        return PushRegistration(
            device: id, sealed: sealed, token: address.token.reveal(), service: address.service.delivering,
            isDevelopment: address.environment == .sandbox, topic: try RegisteredClient(client).settings.pushTopic,
            registeredAt: registered.at)
    }

    package func remove(
        _ registration: PushRegistration, of account: UniqueID, since: Timestamp?, auditLog: AuditLog, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        // The service may speak of an installation before this one.
        if let since, since < registration.registeredAt { return }
        let isRemoved = try Devices.removePushAddress(
            of: registration.device, ifStill: registration.sealed, on: connection)
        guard isRemoved else { return }
        try auditLog.entry(
            DeviceEvent.pushRemoved, account: account, now: now,
            details: .naming(registration.device, reason: "unregistered")
        ).write(on: connection)
    }
}
