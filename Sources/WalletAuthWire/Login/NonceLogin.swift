/// The fields of `login_method=nonce`.
public struct NonceLogin: Hashable, Sendable {
    /// The one-time token that a backend had issued for this app.
    public var nonce: LoginNonce
    /// What it was issued for.
    public var purpose: LoginPurpose
    /// The device that signs in, where it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key.
    public var deviceProof: DeviceProof?

    /// Makes the fields.
    /// - Parameters:
    ///   - nonce: the one-time token.
    ///   - purpose: what it was issued for.
    ///   - deviceID: the device, where it is enrolled.
    ///   - deviceProof: the device's proof of its key.
    public init(
        nonce: LoginNonce, purpose: LoginPurpose = .login, deviceID: DeviceID? = nil, deviceProof: DeviceProof? = nil
    ) {
        self.nonce = nonce
        self.purpose = purpose
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }

    init(form: FormParameters) throws(OAuthError) {
        nonce = try form.requiredSecret()
        purpose = try form.value("login_purpose") ?? .login
        deviceID = try form.value("device_id")
        deviceProof = try form.secret()
        guard deviceProof == nil || deviceID != nil else {
            throw OAuthError(.invalidRequest, "device_proof is there without device_id")
        }
    }

    func add(to form: inout FormParameters) {
        form.append(secret: nonce)
        form.append("login_purpose", purpose == .login ? nil : purpose.rawValue)
        form.append("device_id", deviceID)
        form.append(secret: deviceProof)
    }
}
