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
