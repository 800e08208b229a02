package import Core
package import Kernel
package import WalletAuthWire

/// The messages about long-lived sessions.
package enum DeviceTokenMessage: SecurityMessage {
    case issued(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case issued = "device_token_issued"
    }

    package var kind: Kind {
        switch self {
        case .issued: .issued
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .issued(let name): ["device": name.rawValue]
        }
    }
}

extension DeviceTokenMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}

/// The events of long-lived sessions in the audit log.
package enum DeviceTokenEvent: String, SecurityEventKind, CaseIterable {
    case issued = "device_token.issued"
    case expired = "device_token.expired"
    case declined = "device_token.declined"
}
