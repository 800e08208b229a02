/// The fields of `login_method=account_pin`: a user name and the PIN of the account, which the server compares. A device's PIN
/// is another one and never leaves its device; see ``PINLogin``.
public struct AccountPINLogin: Hashable, Sendable {
    /// The user name.
    public var username: Username
    /// The PIN as typed. Text that cannot be a PIN gets the answer of a wrong one.
    public var pin: Password
    /// The device that signs in, if it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key. It makes the device a known and linked one, and is no factor.
    public var deviceProof: DeviceProof?

    /// Creates the fields.
    /// - Parameters:
    ///   - username: the user name.
    ///   - pin: the PIN as typed.
    ///   - deviceID: the device, if it is enrolled.
    ///   - deviceProof: the device's proof of its key.
    public init(username: Username, pin: Password, deviceID: DeviceID? = nil, deviceProof: DeviceProof? = nil) {
        self.username = username
        self.pin = pin
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }

    init(form: FormParameters) throws(OAuthError) {
        username = try form.username()
        pin = try form.requiredSecret("account_pin")
        (deviceID, deviceProof) = try form.device()
    }

    func add(to form: inout FormParameters) {
        form.append("username", username)
        form.append("account_pin", secret: pin)
        form.append(device: deviceID, deviceProof)
    }
}
