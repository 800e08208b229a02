public import WalletAuth
import WalletAuthWire

extension Wallet.Biometrics {
    /// Turns sign-in by face or finger on for whoever is signed in, on this device, by its PIN. A key that is in use gives way
    /// once the server has taken the new one.
    ///
    /// The server tells the account's holder. Outside of the sandbox it takes a key only where somebody vouches that the
    /// key asks for its holder.
    /// - Parameter pin: the PIN of this device. A wrong one costs a try.
    /// - Throws: `WalletError`: `invalid_credentials`, `pin_locked`, `pin_not_set`, `presence_not_attested`,
    ///   `keys_unavailable` where the device has no such key to offer, `signed_out`, `device_not_enrolled` …
    public func enable(pin: String) async throws {
        let operation = WalletError.Operation.enableBiometrics
        try await authentication.during(operation) {
            guard let pin = try? PIN(pin) else {
                throw WalletError(
                    .invalidCredentials, .refused, during: operation,
                    statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "no PIN is like this")
            }
            let enrollment = try await authentication.signedInEnrollment(during: operation)
            let device = PINDevice(authentication: authentication, enrollment: enrollment, operation: operation)
            try await device.alone { try await BiometricSetting(device: device).run(pin) }
        }
    }
}

/// Sets the key behind the holder's presence, by the device's key and its PIN over that very key.
struct BiometricSetting: Sendable {
    let device: PINDevice

    func run(_ pin: PIN) async throws {
        let authentication = device.authentication
        let key = try await authentication.makePresenceKey(of: device.enrollment)
        do {
            let act = DeviceAssertion.Act.biometric(.key(key.publicKey.thumbprint))
            let use = try PINUse(act)
            let present = try await PresentPIN(device: device, pin: pin).evaluate { .use(use, $0) }
            let assertion = try await authentication.assertion(
                act, factor: .pin(present.epoch), challenge: present.answer.challengeID, nonce: present.answer.nonce,
                of: device.enrollment, by: [present.key], during: device.operation)
            let request = BiometricKeyRequest(publicKey: key.publicKey, assertion: assertion)
            let device = device
            try await device.noting {
                try await device.authentication.setBiometricKey(
                    request, of: device.enrollment, during: device.operation)
            }
        } catch {
            // Whether or not the server has taken it, nothing here refers to it; turning it on again makes another.
            await authentication.dropPresenceKey(key, of: device.enrollment)
            throw error
        }
        try await authentication.adoptPresenceKey(key, of: device.enrollment)
    }
}
