import Crypto
import Foundation

/// A key in software that checks for the device's owner before it signs. Only this code ties the two together, so no
/// server outside the sandbox accepts it as a biometric factor.
struct SoftwarePresenceKey: DevicePresenceKey {
    let key: P256.Signing.PrivateKey
    let presence: any UserPresence

    var publicKey: Data { key.publicKey.x963Representation }

    func sign(_ message: Data, reason: String) async throws -> Data {
        do {
            try await presence.confirm(reason: reason)
        } catch let failure as UserPresenceFailure {
            throw DeviceKeyFailure(failure)
        }
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw DeviceKeyFailure(.failed, reason: "the key could not sign")
        }
    }
}
