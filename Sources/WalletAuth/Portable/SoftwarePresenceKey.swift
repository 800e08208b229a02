import Crypto
import Foundation

/// A key in software that asks for the holder before it signs. Nothing binds the one to the other but this code, so no server
/// takes it for a biometric factor outside of the sandbox.
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
