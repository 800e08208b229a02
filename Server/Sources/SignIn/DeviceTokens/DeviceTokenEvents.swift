internal import Kernel

/// The events of long-lived sessions in the audit log.
package enum DeviceTokenEvent: String, SecurityEventKind, CaseIterable {
    case issued = "device_token.issued"
    case expired = "device_token.expired"
    case declined = "device_token.declined"
}
