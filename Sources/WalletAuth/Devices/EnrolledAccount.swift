public import Foundation
public import WalletAuthWire

/// An account that this device is enrolled for. Each has its own keys and its own PIN.
public struct EnrolledAccount: Sendable, Hashable, Identifiable {
    /// The account: the `sub` of its tokens.
    public let id: AccountID
    /// The server's identifier for this device and account.
    public let deviceID: DeviceID
    /// The user name as it was typed at the sign-in before the enrollment, if known.
    public let username: String?
    /// The last sign-in on this device or, if there was none, the enrollment.
    public let lastUsedAt: Date

    init(_ enrollment: Enrollment) {
        id = enrollment.account
        deviceID = enrollment.deviceID
        username = enrollment.username?.typed
        lastUsedAt = (enrollment.lastUsedAt ?? enrollment.enrolledAt).date
    }
}

extension EnrollmentStore {
    /// The accounts of all enrollments, the last one signed in first.
    func accounts() async throws -> [EnrolledAccount] {
        EnrolledAccount.all(of: try await all())
    }
}

extension EnrolledAccount {
    /// The accounts of enrollments, the last one signed in first.
    static func all(of enrollments: [Enrollment]) -> [EnrolledAccount] {
        enrollments.map { EnrolledAccount($0) }.sorted { $0.lastUsedAt > $1.lastUsedAt }
    }
}
