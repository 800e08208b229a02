public import WalletAuth
import WalletAuthWire

extension Wallet.Biometrics {
    /// Turns on sign-in by face or fingerprint for the signed-in account on this device, confirmed with its PIN. An
    /// existing key is replaced once the server has accepted the new one.
    ///
    /// The server notifies the account's holder. Outside the sandbox it accepts a key only with attestation that the
    /// key requires its holder's presence.
    ///
    /// - Parameter pin: the PIN of this device. A wrong one uses an attempt.
    /// - Throws: `WalletError`: `invalid_credentials`, `pin_locked`, `pin_not_set`, `presence_not_attested`,
    ///   `attestation_unavailable`,
    ///   `keys_unavailable` if the device cannot create such a key, `signed_out`, `device_not_enrolled` …
    public func enable(pin: String) async throws {
        let operation = WalletError.Operation.enableBiometrics
        try await authentication.during(operation) {
            let pin = try PIN(presented: pin, during: operation)
            let enrollment = try await authentication.signedInEnrollment(during: operation)
            let device = PINDevice(authentication, enrollment, during: operation)
            try await device.alone { try await BiometricSetting(device: device).run(pin) }
        }
    }
}

/// Registers the presence key, signed by the device's key and its PIN's key.
struct BiometricSetting: Sendable {
    let device: PINDevice

    func run(_ pin: PIN) async throws {
        let authentication = device.authentication
        let key = try await authentication.makePresenceKey(of: device.enrollment)
        do {
            let assertion = try await device.assertion(.biometric(.key(key.publicKey.thumbprint)), by: pin)
            let device = device
            try await device.noting {
                try await device.authentication.setBiometricKey(
                    key, by: assertion, of: device.enrollment, during: device.operation)
            }
            try await authentication.adoptPresenceKey(key, of: device.enrollment)
        } catch {
            // Even if the server has accepted the key, nothing here refers to it. Turning sign-in on again creates
            // another.
            await authentication.dropPresenceKey(key, of: device.enrollment)
            throw error
        }
    }
}
