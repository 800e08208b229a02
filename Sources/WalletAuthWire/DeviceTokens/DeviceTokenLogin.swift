/// The fields of `login_method=device_token`: a long-lived session signs in.
public struct DeviceTokenLogin: Hashable, Sendable {
    /// The device that signs in.
    public var deviceID: DeviceID
    /// The device's token.
    public var token: DeviceAuthenticationToken
    /// What the device asserts by its key, and by a PIN or its holder's presence: `pur` is `login`, over this sign-in's
    /// DPoP key and PKCE challenge. Without it the token opens nothing.
    public var assertion: SignedAssertion

    /// Makes the fields.
    /// - Parameters:
    ///   - deviceID: the device that signs in.
    ///   - token: the device's token.
    ///   - assertion: what the device asserts by its key and a second factor.
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
