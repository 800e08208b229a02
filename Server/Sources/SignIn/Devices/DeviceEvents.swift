internal import Kernel
package import Store
package import WalletAuthWire

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
    case biometricKeyAdded = "biometric_key.added"
    case biometricKeyRemoved = "biometric_key.removed"
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
