internal import AuthCore
internal import AuthFoundation
internal import WalletAuthWire

extension DeviceAuthenticationToken {
    /// How long an unused token is valid.
    package static let lifetime = Duration.days(90)

    /// The digest the token is stored under: 256 random bits need no more than a plain hash.
    package var digest: [UInt8] { Digests.of("device-token", Array(reveal().utf8)) }
}
