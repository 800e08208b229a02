internal import Core
internal import Kernel
package import WalletAuthWire

/// A request for a device authentication token, as read by the edge.
package struct PresentedDeviceTokenRequest: Sendable {
    package var request: DeviceTokenRequest
    /// The exact bytes that the device signed.
    package var body: [UInt8]
    /// The device's signature over the request; `nil` if it sent none.
    package var signature: String?

    package init(request: DeviceTokenRequest, body: [UInt8], signature: String?) {
        self.request = request
        self.body = body
        self.signature = signature
    }
}

package enum DeviceTokenRefusal: Error, Sendable, Hashable {
    /// Refused for a reason that is common to device calls.
    case device(DeviceRefusal)
    /// User name, password or device signature prove nothing. For a wrong signature it is `invalid`, as for the others.
    case credentials(CredentialRefusal)
    /// The client may not use long-lived sessions, or the account signs in with another provider.
    case unsupported
    /// The password has expired: the person must sign in and choose a new one first.
    case passwordChangeRequired
    /// There is no token to end.
    case alreadyExpired
}

extension DeviceAuthenticationToken {
    /// How long an unused token is valid.
    package static let lifetime = Duration.days(90)

    /// The digest the token is stored under: 256 random bits need no more than a plain hash.
    package var digest: [UInt8] { Digests.of("device-token", Array(reveal().utf8)) }
}
