package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// Saves PINs, notifies the holder of one whose attempts ended, and locks those whose last attempt was never answered. Five wrong PINs in
/// a row lock a PIN; thirty in thirty days pause it.
///
/// Attempts may run out without a wrong assertion, through evaluations that are never answered. A thief with the device's key can
/// collect those, and the holder has to learn about it as about wrong PINs.
package struct PINLockout: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog

    /// Saves a PIN and what came to an end with it, in one write.
    /// - Parameter found: the PIN as it was loaded in this write.
    func save(
        _ pin: DevicePIN, _ ends: [DevicePIN.End], over found: DevicePIN, of device: DeviceRecord,
        origin: RequestOrigin?, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try PINs.save(pin, over: found, of: device.id, on: connection)
        guard !ends.isEmpty, let account = try Accounts.find(device.accountID, on: connection) else { return }
        let email = AccountVault(sealing).open(account.email, .email, of: account.id)
        let message = PINMessage.locked(try DeviceVault(sealing).shownName(of: device))
        for end in ends {
            // One message, even if the same attempt causes both events.
            try auditLog.entry(
                PINEvent(end), account: account.id, client: device.clientID, origin: origin, now: now,
                details: .naming(device.id), message: end == ends.first ? message : nil, email: email
            ).write(on: connection)
        }
    }

    /// Locks the PINs whose last attempt was never answered, each in a separate write.
    package func lockUnansweredTries(now: Timestamp) async throws {
        let batch = 100
        while true {
            try Task.checkCancellation()
            let devices = try await database.read {
                try PINChallenges.unansweredLastTries(now: now, limit: batch, on: $0)
            }
            for id in devices {
                try await database.write { connection in
                    let pin = try PINs.find(id, on: connection)
                    guard let end = pin.openTry, end <= now else { return }
                    try PINChallenges.abandon(of: id, on: connection)
                    guard let device = try Devices.find(id, on: connection) else { return }
                    let (next, ends) = pin.failing(now: now)
                    try save(next, ends, over: pin, of: device, origin: nil, now: now, on: connection)
                }
            }
            if devices.count < batch { return }
        }
    }
}

extension PINLockReason {
    /// Follows "The PIN is locked" in the output for operators.
    package var inWords: String {
        switch self {
        case .tooManyTries: "after too many wrong PINs"
        case .restore: "because the database was restored from a backup"
        }
    }
}

/// The events of device PINs in the audit log.
package enum PINEvent: String, SecurityEventKind, CaseIterable {
    case set = "pin.set"
    case changed = "pin.changed"
    case locked = "pin.locked"
    case exhausted = "pin.exhausted"
    case forgotten = "pin.forgotten"

    package var webhookKind: WebhookKind? { .devices }

    fileprivate init(_ end: DevicePIN.End) {
        switch end {
        case .locked: self = .locked
        case .exhausted: self = .exhausted
        }
    }
}

/// The messages about the PIN of a device.
package enum PINMessage: SecurityMessage {
    /// Set or changed.
    case set(DeviceName)
    case locked(DeviceName)
    case forgotten(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case set = "pin_set"
        case locked = "pin_locked"
        case forgotten = "pin_forgotten"
    }

    package var kind: Kind {
        switch self {
        case .set: .set
        case .locked: .locked
        case .forgotten: .forgotten
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .set(let name), .locked(let name), .forgotten(let name): ["device": name.rawValue]
        }
    }
}

extension PINMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}
