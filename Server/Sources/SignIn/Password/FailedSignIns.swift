internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Failed passwords in the audit log: a few entries with counts instead of one per failure.
///
/// An attacker decides how many attempts there are, and must not decide how large the log grows. The 4th failure in a row, the
/// 8th, the 16th and so on add an entry; guesses at unknown names add none.
struct FailedSignIns: Sendable {
    let context: ServerContext

    private static let first: Int64 = 4

    /// The device's relation to the account, as the log records it.
    enum Device: String {
        case known
        case unknown
    }

    /// Records a failure if its number calls for an entry.
    /// - Parameters:
    ///   - failures: the number of failures in a row, including this one.
    ///   - account: `nil` for an unknown name.
    ///   - subject: the counter of the failures.
    func record(
        _ failures: Int64, of account: AccountRecord?, countedUnder subject: [UInt8], from device: Device,
        origin: RequestOrigin, now: Timestamp
    ) async throws {
        guard failures >= Self.first, failures & (failures - 1) == 0 else { return }
        var details = JSONObject()
        details.set("failures", failures)
        details.set("device_trust", device.rawValue)
        let entry = try account.map {
            try context.auditLog.entry(
                AccountEvent.signInFailures, account: $0.id, origin: origin, now: now, details: details)
        }
        try await context.database.write { connection in
            // The timing must not reveal whether the name exists.
            guard let entry else { return try Attempts.touch(subject, on: connection) }
            try entry.write(on: connection)
        }
    }
}
