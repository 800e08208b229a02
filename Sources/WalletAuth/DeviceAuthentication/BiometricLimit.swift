import Foundation

/// Decides whether an enrollment's PIN is due before its biometric key may sign, and keeps what that depends on.
///
/// The record is shared by all processes. Without one, or with one that cannot be read, the PIN is due: deleting it
/// lifts no limit.
package struct BiometricLimit: Sendable {
    let policy: BiometricPolicy?
    let store: any SecureStore
    let clock: ServerClock
    let discovery: ServerDiscovery

    /// The stored form. The version lets later releases recognize what they read.
    private struct Record: Codable {
        var version = 1
        /// The biometric signatures since the PIN was typed.
        var approvals = 0
        /// In server time.
        var pinAt: Instant
        /// In server time.
        var usedAt: Instant
    }

    /// The precision of a server's time.
    private static let tolerance = Duration.seconds(2)

    /// Whether the PIN is due. It never is on a device that never had a PIN, whose owner could not comply.
    func isDue(for enrollment: Enrollment) async throws -> Bool {
        guard let policy, try await hasHadPIN(enrollment) else { return false }
        try await measure()
        return isDue(try await record(of: enrollment), by: policy)
    }

    /// Throws ``WalletError`` `pin_required` if the PIN is due.
    func require(for enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        if try await isDue(for: enrollment) { throw Self.pinRequired(operation) }
    }

    /// Counts a biometric signature before it is sent. Of two processes at the limit, one signs.
    func spend(_ enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        guard let policy, try await hasHadPIN(enrollment) else { return }
        try await measure()
        try await store.withExclusiveLock(enrollment.biometricLimitLock) {
            guard var record = try await record(of: enrollment), !isDue(record, by: policy) else {
                throw Self.pinRequired(operation)
            }
            record.approvals += 1
            record.usedAt = clock.now
            try await keep(record, of: enrollment)
        }
    }

    /// Records that the person typed the right PIN. A store that fails only lets the PIN be due sooner.
    package func notePIN(of enrollment: Enrollment) async {
        guard policy != nil else { return }
        try? await store.withExclusiveLock(enrollment.biometricLimitLock) {
            let now = clock.now
            try await keep(Record(pinAt: now, usedAt: now), of: enrollment)
        }
    }

    static func pinRequired(_ operation: WalletError.Operation) -> WalletError {
        WalletError(
            .pinRequired, .refused, during: operation,
            reason: "the app's biometric policy requires the PIN before face or fingerprint is used again")
    }

    private func isDue(_ record: Record?, by policy: BiometricPolicy) -> Bool {
        guard let record else { return true }
        let (sincePIN, sinceUse) = (clock.now - record.pinAt, clock.now - record.usedAt)
        // A clock that was set back.
        guard sinceUse > .zero - Self.tolerance else { return true }
        if let most = policy.approvals, record.approvals >= most { return true }
        if let limit = policy.timeSincePIN, sincePIN >= limit { return true }
        if let limit = policy.inactivity, sinceUse >= limit { return true }
        return false
    }

    /// A PIN that was forgotten here lifts no limit: another one has to be set.
    private func hasHadPIN(_ enrollment: Enrollment) async throws -> Bool {
        if try await store.get(enrollment.pinItem) != nil { return true }
        do { return try await store.get(enrollment.biometricLimitItem) != nil } catch let failure as SecureStoreFailure
            where failure.kind == .damaged
        { return true }
    }

    /// Learns the server's time: a wall clock that the person has set must not extend a limit.
    private func measure() async throws {
        if !clock.isMeasured { _ = try await discovery.metadata() }
    }

    private func record(of enrollment: Enrollment) async throws -> Record? {
        do {
            guard let data = try await store.get(enrollment.biometricLimitItem),
                let record = try? JSONDecoder().decode(Record.self, from: data), record.version == 1
            else { return nil }
            return record
        } catch let failure as SecureStoreFailure where failure.kind == .damaged {
            return nil
        }
    }

    private func keep(_ record: Record, of enrollment: Enrollment) async throws {
        try await store.put(encoding: record, for: enrollment.biometricLimitItem)
    }
}

/// When a person who uses face or fingerprint has to type the PIN again. Each limit is optional.
public struct BiometricPolicy: Sendable, Hashable {
    /// The number of sign-ins and approvals by face or fingerprint in a row, at least one.
    public var approvals: Int?
    /// The time since the PIN was last typed.
    public var timeSincePIN: Duration?
    /// The time since PIN, face or fingerprint were last used.
    public var inactivity: Duration?

    /// Creates a policy. Each parameter sets the property of the same name; nil sets no such limit.
    public init(approvals: Int? = nil, timeSincePIN: Duration? = nil, inactivity: Duration? = nil) {
        self.approvals = approvals
        self.timeSincePIN = timeSincePIN
        self.inactivity = inactivity
    }

    /// A limit below which face or fingerprint would never work.
    var fault: String? {
        if let approvals, approvals < 1 { return "biometricPolicy allows no approval: remove biometrics instead" }
        guard [timeSincePIN, inactivity].allSatisfy({ $0.map { $0 > .zero } ?? true }) else {
            return "biometricPolicy has a time that is not positive"
        }
        return nil
    }
}
