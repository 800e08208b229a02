internal import Kernel
internal import WalletAuthWire

/// The events of wallet operations in the audit log.
package enum OperationEvent: String, SecurityEventKind, CaseIterable {
    case requested = "operation.sca_required"
    case exempted = "operation.exempted"
    case verified = "operation.verified"
    case locked = "operation.locked"
    case cancelled = "operation.cancelled"
    case refused = "operation.refused"
    case authorized = "operation.authorized"

    /// The name of an exemption in an entry's details.
    static func name(of exemption: SCAExemption?) -> String { exemption?.rawValue ?? "RULE" }
}
