package import Core

extension AccountRecord {
    /// Whether the person can recover it, which needs a confirmed address.
    package var isRecoverable: Bool { email != nil && emailState == .verified }

    /// The seconds until the account's factors may be changed; `nil` if they may be changed now.
    package func cooling(at now: Timestamp) -> Int64? {
        coolingUntil.flatMap { now < $0 ? max(1, ($0 - now).wholeSeconds) : nil }
    }
}
