internal import AuthCore
internal import WalletAuthWire

/// What a browser keeps so that a stranger's guesses do not stand in its owner's way: a device id and the accounts that
/// signed in with it. Sealed; it proves no identity and opens nothing.
struct KnownDeviceCookie: Codable, Sendable, Hashable {
    /// The device's own random id.
    var device: String
    /// The ids of the accounts that signed in here, the latest last.
    var accounts: [String]

    static let lifetime = Duration.days(180)
    private static let most = 5

    /// The cookie after one more account signed in.
    func adding(_ account: String) -> KnownDeviceCookie {
        KnownDeviceCookie(device: device, accounts: accounts.filter { $0 != account }.suffix(Self.most - 1) + [account])
    }
}
