public import WalletAuth
public import WalletAuthWire

extension Wallet {
    /// Signs in by the long-lived session of this device, with its PIN.
    ///
    /// Both count: the PIN as in ``login(pin:account:properties:requestedAttributes:)``, with its five tries, and the token that
    /// `generateDeviceAuthenticationToken(username:password:)` keeps on this device.
    /// - Parameters:
    ///   - pin: as the person typed it.
    ///   - account: whose, where this device is enrolled for several; by default the one that was signed in with last.
    /// - Returns: `LoginOutcome`.
    /// - Throws: `WalletError`: `no_device_token` (1003) where none is kept, before anything is sent;
    ///   `device_token_expired` (401): sign in with the password and generate another; `wallet_deactivated` (412),
    ///   `device_deactivated` (423), and what ``login(pin:account:properties:requestedAttributes:)`` throws.
    public func loginWithDeviceAuthenticationToken(
        pin: String, account: AccountID? = nil
    ) async throws -> LoginOutcome {
        let authentication = deviceAuthentication
        let operation = WalletError.Operation.loginWithDeviceToken
        return try await authentication.during(operation) {
            let enrollment = try await authentication.enrollment(of: account, during: operation)
            try await authentication.requireDeviceToken(of: enrollment, during: operation)
            // What no PIN is like is answered like a wrong one, and costs no try.
            guard let pin = try? PIN(pin) else {
                throw WalletError(
                    .invalidCredentials, .refused, during: operation,
                    statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "no PIN is like this")
            }
            let device = PINDevice(authentication: authentication, enrollment: enrollment, operation: operation)
            return try await device.alone {
                try await PINSignIn(device: device, extras: LoginExtras()).run(pin) { signIn, assertion in
                    try await authentication.finishByDeviceToken(signIn, as: enrollment, by: assertion)
                }
            }
        }
    }
}
