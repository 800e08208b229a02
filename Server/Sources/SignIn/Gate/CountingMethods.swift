package import Core
package import Kernel
package import Store
internal import WalletAuthWire

extension AuthenticationStrength {
    /// The methods of a sign-in that count for a payment.
    ///
    /// Factors count only after their cooling period: a device's key and PIN, a passkey, and the account PIN while it exists. So a
    /// fraudster pays nothing with a factor that they just added. `otp` does not name its source, so it does not count while an
    /// authenticator app is new, nor `fed` while a restored identity is. A password that was set through a mailbox never counts.
    /// - Parameters:
    ///   - proved: the methods of the sign-in.
    ///   - isTrusted: whether it was made on an active device past its cooling period, with the device's key.
    /// - Returns: none for a sign-in that was approved from another device.
    package static func counting(
        _ proved: [String], of account: AccountRecord, onTrustedDevice isTrusted: Bool = false, at now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [String] {
        guard !isCrossDevice(proved) else { return [] }
        var methods = proved
        if includeAccountPIN(methods) {
            // The account PIN belongs to no device, and has its own cooling period.
            if try !AccountPINs.isSettled(of: account.id, now: now, on: connection) { methods.removeAll { $0 == pin } }
        } else if !isTrusted {
            methods.removeAll(where: deviceMethods.contains)
        }
        // The key of a passkey counts together with its user verification.
        if !Set(passkey).isSubset(of: methods) { methods.removeAll { $0 == passkeyKey } }
        let otp = FactorKind.totp.authenticationMethod
        if methods.contains(otp), try TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
            methods.removeAll { $0 == otp }
        }
        if methods.contains(provider), try FederatedIdentities.cooling(of: account.id, now: now, on: connection) != nil
        {
            methods.removeAll { $0 == provider }
        }
        return account.cooling(at: now) == nil ? methods : outlastingRecovery(methods)
    }
}
