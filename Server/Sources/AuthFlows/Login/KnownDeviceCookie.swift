internal import AuthCore
internal import WalletAuthWire

/// What a browser keeps so that a stranger's guesses do not stand in its owner's way, and that its owner is not asked for a
/// second factor each time: a device id and the accounts that signed in with it. Sealed; it proves no identity, and alone it
/// opens nothing.
struct KnownDeviceCookie: Codable, Sendable, Hashable {
    /// The device's own random id.
    var device: String
    /// The accounts that signed in here, the latest last.
    var accounts: [SignedIn]

    /// An account, and when it last signed in here.
    struct SignedIn: Codable, Sendable, Hashable {
        var account: String
        var at: Timestamp
        /// The account's security version when it last completed a second factor here; `nil` where it never did.
        var linkedAt: Int64?
    }

    static let lifetime = Duration.days(180)
    private static let most = 5

    /// The cookie after one more account signed in.
    /// - Parameters:
    ///   - account: who.
    ///   - linkedAt: its security version, where two categories were proved; what stood before stays otherwise.
    func adding(_ account: String, linkedAt: Int64?, now: Timestamp) -> KnownDeviceCookie {
        let former = accounts.first { $0.account == account }
        let others = accounts.filter { $0.account != account }.suffix(Self.most - 1)
        let entry = SignedIn(account: account, at: now, linkedAt: linkedAt ?? former?.linkedAt)
        return KnownDeviceCookie(device: device, accounts: others + [entry])
    }

    /// Whether an account completed a second factor here and nothing has ended its sign-ins since.
    func links(_ account: String, securityVersion: Int64, now: Timestamp) -> Bool {
        accounts.contains {
            $0.account == account && $0.linkedAt == securityVersion && now < $0.at + Self.lifetime
        }
    }

    /// Whether an account signed in here under its present password, and not too long ago. Whoever knew an older
    /// password is a stranger again.
    func knows(_ account: String, passwordChangedAt: Timestamp?, now: Timestamp) -> Bool {
        guard let passwordChangedAt else { return false }
        return accounts.contains {
            $0.account == account && $0.at >= passwordChangedAt && now < $0.at + Self.lifetime
        }
    }
}
