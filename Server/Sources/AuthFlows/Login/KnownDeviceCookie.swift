internal import AuthCore
internal import WalletAuthWire

/// What a browser keeps so that a stranger's guesses do not stand in its owner's way: a device id and the accounts that
/// signed in with it. Sealed; it proves no identity and opens nothing.
struct KnownDeviceCookie: Codable, Sendable, Hashable {
    /// The device's own random id.
    var device: String
    /// The accounts that signed in here, the latest last.
    var accounts: [SignedIn]

    /// An account, and when it last signed in here.
    struct SignedIn: Codable, Sendable, Hashable {
        var account: String
        var at: Timestamp
    }

    static let lifetime = Duration.days(180)
    private static let most = 5

    /// The cookie after one more account signed in.
    func adding(_ account: String, now: Timestamp) -> KnownDeviceCookie {
        let others = accounts.filter { $0.account != account }.suffix(Self.most - 1)
        return KnownDeviceCookie(device: device, accounts: others + [SignedIn(account: account, at: now)])
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
