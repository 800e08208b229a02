internal import AuthCore
internal import AuthFoundation
package import WalletAuthWire

/// A request for a device authentication token, as read by the edge.
///
/// This folder owns what is known of such tokens: digest, lifetime, events and messages. They are issued and ended in
/// `AuthAccount/DeviceTokens`, and sign in through `AuthSignIn/Native`.
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
    /// Wrong user name, password or device signature; the caller cannot tell which.
    case invalidCredentials
    /// The client may not use long-lived sessions, or the account signs in with another provider.
    case unsupported
    /// The account is deactivated. Revealed only after proof of a known device's key.
    case walletDeactivated
    /// The device is suspended. Revealed only after proof of its key.
    case deviceSuspended
    /// The device is deactivated. Revealed only after proof of its key.
    case deviceDeactivated
    /// The password has expired: the person must sign in and choose a new one first.
    case passwordChangeRequired
    /// There is no token to end.
    case alreadyExpired
    /// Too many attempts. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// No hashing slot is free. In seconds.
    case busy(retryAfter: Int64)
}

extension DeviceAuthenticationToken {
    /// How long an unused token is valid.
    package static let lifetime = Duration.days(90)

    /// The digest the token is stored under: 256 random bits need no more than a plain hash.
    package var digest: [UInt8] { Digests.of("device-token", Array(reveal().utf8)) }
}
