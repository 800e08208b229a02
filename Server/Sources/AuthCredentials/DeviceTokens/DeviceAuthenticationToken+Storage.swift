internal import AuthCore
internal import AuthFoundation
internal import WalletAuthWire

// The folder owns what is known of a device authentication token: its digest, its requests, events and messages. The tokens are
// issued and ended in `AuthAccount/DeviceTokens`, and sign in through `AuthSignIn/Native`.

extension DeviceAuthenticationToken {
    /// How long an unused token is valid.
    package static let lifetime = Duration.days(90)

    /// The digest the token is stored under: 256 random bits need no more than a plain hash.
    package var digest: [UInt8] { Digests.of("device-token", Array(reveal().utf8)) }
}
