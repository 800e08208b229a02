public import Foundation
import WalletAuth
import WalletAuthWire

/// An account that this device is enrolled for.
public struct Account: Hashable, Sendable, Identifiable {
    let enrolled: EnrolledAccount

    init(_ enrolled: EnrolledAccount) { self.enrolled = enrolled }

    /// The account: the `sub` of its tokens.
    public var id: String { enrolled.id.rawValue }
    /// The server's identifier for this device and account.
    public var deviceID: String { enrolled.deviceID.rawValue }
    /// The user name as it was typed at the sign-in before the enrollment, if known.
    public var username: String? { enrolled.username }
    /// The last sign-in on this device or, if there was none, the enrollment.
    public var lastUsedAt: Date { enrolled.lastUsedAt }
}
