internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Wrong passwords in the audit log: by their number, and not one by one.
///
/// Whoever guesses decides how many attempts there are, and must not decide how large the record grows. An entry is written
/// at the 4th failure in a row, the 8th, the 16th and so on; guesses at names that nobody has leave none.
struct FailedSignIns: Sendable {
    let context: ServerContext

    private static let first: Int64 = 4

    /// What the account takes the device for, in the record's words.
    enum Device: String {
        case known
        case unknown
    }

    /// Records a failure where its number is one that is recorded.
    /// - Parameters:
    ///   - failures: how many there are in a row, this one included.
    ///   - account: at whose password; `nil` for a name that nobody has.
    ///   - subject: what they are counted under.
    ///   - device: what it was tried on.
    ///   - origin: where the request came from.
    ///   - now: the present moment.
    func record(
        _ failures: Int64, of account: AccountRecord?, countedUnder subject: [UInt8], from device: Device,
        origin: RequestOrigin, now: Timestamp
    ) async throws {
        guard failures >= Self.first, failures & (failures - 1) == 0 else { return }
        var details = JSONObject()
        details.set("failures", failures)
        details.set("device", device.rawValue)
        let entry = try account.map {
            try AuditLog(context: context).entry(
                .signInFailures, account: $0.id, origin: origin, now: now, details: details)
        }
        try await context.database.write { connection in
            // The time that it takes must not say whether somebody has the name.
            guard let entry else { return try Attempts.touch(subject, on: connection) }
            try entry.write(on: connection)
        }
    }
}
