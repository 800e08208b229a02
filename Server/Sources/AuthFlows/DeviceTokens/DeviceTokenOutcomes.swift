package import WalletAuthWire

/// A request for a device authentication token, as the edge read it.
package struct PresentedDeviceTokenRequest: Sendable {
    /// What is asked.
    package var request: DeviceTokenRequest
    /// The body to the byte, which the device signed.
    package var body: [UInt8]
    /// The device's signature over the request; `nil` where there was none.
    package var signature: String?

    /// Each parameter is the property of its name.
    package init(request: DeviceTokenRequest, body: [UInt8], signature: String?) {
        self.request = request
        self.body = body
        self.signature = signature
    }
}

/// Why a call about a device authentication token was refused.
package enum DeviceTokenRefusal: Error, Sendable, Hashable {
    /// The app's call itself.
    case device(DeviceRefusal)
    /// User name, password or the device's signature: any of them.
    case invalidCredentials
    /// The client may not use long-lived sessions, or the account signs in by another provider.
    case unsupported
    /// The wallet is deactivated; told to whoever proved a known device's key.
    case walletDeactivated
    /// The device is suspended; told to whoever proved its key.
    case deviceSuspended
    /// The device is deactivated; told to whoever proved its key.
    case deviceDeactivated
    /// The password has expired: sign in and choose a new one first.
    case passwordChangeRequired
    /// There is no token that could be ended.
    case alreadyExpired
    /// Too many attempts; seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// No room to hash; seconds.
    case busy(retryAfter: Int64)
}
