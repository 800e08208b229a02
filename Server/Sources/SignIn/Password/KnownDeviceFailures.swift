internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// How near wrong passwords on a known device are to closing its account. No other device learns it.
enum KnownDeviceFailures: Sendable, Hashable {
    /// The attempts left on this device.
    case open(attemptsLeft: Int64)
    /// They closed the account.
    case closed(isRecoverable: Bool)
}

extension PasswordVerification {
    /// From this failure on, a known device learns how many attempts are left.
    private static let firstTold: Int64 = 3

    /// How near the failures so far are to closing the account.
    /// - Returns: `nil` on a device that the account does not know, before the third failure, and for an account that something else
    ///   closed.
    func failuresOnKnownDevice(
        _ device: Device, username: Username, brand: BrandID, now: Timestamp
    ) async throws -> KnownDeviceFailures? {
        let claimed = try await find(username, brand: brand, device: device, now: now)
        guard claimed.isKnownDevice, let account = claimed.account else { return nil }
        guard account.state == .active else {
            return account.deactivatedBy == .failures ? .closed(isRecoverable: account.isRecoverable) : nil
        }
        let charge = try charge(to: claimed, username: username, brand: brand)
        let limits = [Charge.Limit(subject: charge.subject, policy: charge.policy), charge.ceiling].compactMap(\.self)
        let counts = try await database.read { connection in
            try limits.map { limit -> (failures: Int64, most: Int64) in
                let state = try Attempts.state(limit.subject, now: now, on: connection)
                return (failures: state?.failures ?? 0, most: limit.policy.free)
            }
        }
        guard let left = counts.map({ $0.most - $0.failures }).min(), left > 0 else { return nil }
        let isNear = counts.contains { $0.failures >= min(Self.firstTold, $0.most - 1) }
        return isNear ? .open(attemptsLeft: left) : nil
    }
}
