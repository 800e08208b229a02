internal import Kernel

/// The events of account recovery in the audit log.
package enum RecoveryEvent: String, SecurityEventKind, CaseIterable {
    case proved = "account.recovery_proved"
    case failed = "account.recovery_failed"
    case recovered = "account.recovered"
}
