public import WalletAuth
public import WalletAuthWire

extension Wallet {
    /// Signs in with the long-lived session of this device and its PIN.
    ///
    /// Both are checked: the PIN as in ``login(pin:account:properties:requestedAttributes:)``, with its five attempts,
    /// and the token that `generateDeviceAuthenticationToken(username:password:)` stored on this device.
    ///
    /// - Parameters:
    ///   - pin: the PIN as the person typed it.
    ///   - account: the account, if this device is enrolled for several; by default the last one signed in.
    /// - Returns: the result of the sign-in.
    /// - Throws: `WalletError`: `no_device_token` (1003) if none is stored, before anything is sent;
    ///   `device_token_expired` (401): sign in with the password and generate another; `wallet_deactivated` (412),
    ///   `device_deactivated` (423), and the errors of ``login(pin:account:properties:requestedAttributes:)``.
    public func loginWithDeviceAuthenticationToken(
        pin: String, account: AccountID? = nil
    ) async throws -> LoginOutcome {
        let authentication = deviceAuthentication
        let operation = WalletError.Operation.loginWithDeviceToken
        return try await authentication.during(operation) {
            let enrollment = try await authentication.enrollment(of: account, during: operation)
            try await authentication.requireDeviceToken(of: enrollment, during: operation)
            let pin = try PIN(presented: pin, during: operation)
            let device = PINDevice(authentication, enrollment, during: operation)
            return try await device.alone {
                try await device.signIn(pin, extras: LoginExtras(), withDeviceToken: true)
            }
        }
    }
}
