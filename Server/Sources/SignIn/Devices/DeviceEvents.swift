package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// The messages about an account's devices.
package enum DeviceMessage: SecurityMessage {
    case enrolled(DeviceName)
    case deactivated(DeviceName)
    /// Deactivated by too many wrong passwords on it; the holder can unlock it.
    case closed(DeviceName)
    case removed(DeviceName)
    case biometricKeyAdded(DeviceName)
    case biometricKeyRemoved(DeviceName)
    /// A code that confirms an installation of the app.
    case instanceCode(String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case enrolled = "device_enrolled"
        case deactivated = "device_deactivated"
        case closed = "device_closed"
        case removed = "device_removed"
        case biometricKeyAdded = "biometric_key_added"
        case biometricKeyRemoved = "biometric_key_removed"
        case instanceCode = "instance_code"
    }

    package var kind: Kind {
        switch self {
        case .enrolled: .enrolled
        case .deactivated: .deactivated
        case .closed: .closed
        case .removed: .removed
        case .biometricKeyAdded: .biometricKeyAdded
        case .biometricKeyRemoved: .biometricKeyRemoved
        case .instanceCode: .instanceCode
        }
    }

    package var channel: OutboxChannel? { kind == .instanceCode ? .email : nil }

    package var lifetime: Duration { kind == .instanceCode ? EmailCodes.lifetime : Self.noticeLifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .enrolled(let name), .deactivated(let name), .closed(let name), .removed(let name),
            .biometricKeyAdded(let name), .biometricKeyRemoved(let name):
            ["device": name.rawValue]
        case .instanceCode(let code): ["code": code]
        }
    }
}

extension DeviceMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .enrolled, .removed, .biometricKeyAdded, .biometricKeyRemoved: MessageTemplate(advice: .protect)
        case .deactivated, .closed: MessageTemplate(advice: .ask)
        case .instanceCode: MessageTemplate(advice: .code)
        }
    }
}

/// The events of devices in the audit log.
package enum DeviceEvent: String, SecurityEventKind, CaseIterable {
    case enrolled = "device.enrolled"
    case verified = "device.verified"
    case suspended = "device.suspended"
    case resumed = "device.resumed"
    case deactivated = "device.deactivated"
    case reactivated = "device.reactivated"
    case removed = "device.removed"
    case renamed = "device.renamed"
    case pushSet = "device.push_set"
    case pushRemoved = "device.push_removed"
    /// An app's attestation was missing or refused; `reason` says why.
    case attestationRefused = "device.attestation_refused"
    case biometricKeyAdded = "biometric_key.added"
    case biometricKeyRemoved = "biometric_key.removed"

    /// A name is the holder's, and tells a backend nothing, as little as where pushes go; a refused attestation changed nothing.
    package var webhookKind: WebhookKind? {
        switch self {
        case .renamed, .pushSet, .pushRemoved, .attestationRefused: nil
        default: .devices
        }
    }
}

extension JSONObject {
    /// The details of an event about a device: which one, and the reason if the event does not imply it.
    package static func naming(_ device: UniqueID, reason: String? = nil) -> JSONObject {
        var details = JSONObject()
        details.set("device", device.uuid)
        details.set("reason", reason)
        return details
    }
}
