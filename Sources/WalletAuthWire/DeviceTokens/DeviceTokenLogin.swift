/// The fields of `login_method=device_token`: a sign-in with a long-lived session.
public struct DeviceTokenLogin: Hashable, Sendable {
    /// The device that signs in.
    public var deviceID: DeviceID
    /// The device's token.
    public var token: DeviceAuthenticationToken
    /// The device's assertion with its key and a PIN or biometric check: `pur` is `login`, over this sign-in's DPoP key
    /// and PKCE challenge. The token is useless without it.
    public var assertion: SignedAssertion

    /// Creates the fields.
    /// - Parameters:
    ///   - deviceID: the device that signs in.
    ///   - token: the device's token.
    ///   - assertion: the device's assertion with its key and a second factor.
    public init(deviceID: DeviceID, token: DeviceAuthenticationToken, assertion: SignedAssertion) {
        self.deviceID = deviceID
        self.token = token
        self.assertion = assertion
    }

    init(form: FormParameters) throws(OAuthError) {
        deviceID = try form.required("device_id")
        token = try form.requiredSecret()
        assertion = try form.requiredSecret("device_assertion")
    }

    func add(to form: inout FormParameters) {
        form.append("device_id", deviceID)
        form.append(secret: token)
        form.append("device_assertion", secret: assertion)
    }
}
