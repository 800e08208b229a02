/// The fields of `login_method=nonce`.
public struct NonceLogin: Hashable, Sendable {
    /// The one-time token that a backend requested for this app.
    public var nonce: LoginNonce
    /// The purpose it was requested for.
    public var purpose: LoginPurpose
    /// The device that signs in, if it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key.
    public var deviceProof: DeviceProof?

    /// Creates the fields.
    /// - Parameters:
    ///   - nonce: the one-time token.
    ///   - purpose: the purpose it was requested for.
    ///   - deviceID: the device, if it is enrolled.
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
        (deviceID, deviceProof) = try form.device()
    }

    func add(to form: inout FormParameters) {
        form.append(secret: nonce)
        form.append("login_purpose", purpose == .login ? nil : purpose.rawValue)
        form.append(device: deviceID, deviceProof)
    }
}
