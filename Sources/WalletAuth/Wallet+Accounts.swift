public import Foundation
public import WalletAuthWire

extension Wallet {
    /// The accounts that this device is enrolled for, the one that was last signed in with first. It says nothing about
    /// who is signed in, and stays over sign-outs.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var accounts: [EnrolledAccount] {
        get async throws {
            try await core.during(.listAccounts) { try await core.enrolledAccounts() }
        }
    }

    /// An account that this device is enrolled for: each has keys, and a PIN, of its own.
    public struct EnrolledAccount: Sendable, Hashable, Identifiable {
        /// The account: the `sub` of its tokens.
        public let id: AccountID
        /// What the server calls this device for it.
        public let deviceID: DeviceID
        /// The name that was signed in with when this device was enrolled, where that is known.
        public let username: String?
        /// When it was last signed in with on this device, or enrolled.
        public let lastUsedAt: Date

        init(_ enrollment: Enrollment) {
            id = enrollment.account
            deviceID = enrollment.deviceID
            username = enrollment.username?.rawValue
            lastUsedAt = (enrollment.lastUsedAt ?? enrollment.enrolledAt).date
        }
    }
}

extension WalletCore {
    /// The accounts that this device is enrolled for, the one that was last signed in with first.
    func enrolledAccounts() async throws -> [Wallet.EnrolledAccount] {
        try await enroller.book.all()
            .map { Wallet.EnrolledAccount($0) }
            .sorted { $0.lastUsedAt > $1.lastUsedAt }
    }
}
