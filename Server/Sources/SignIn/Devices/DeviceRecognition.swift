package import Core
internal import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Finds the enrolled device of a native sign-in.
package struct DeviceRecognition: Sendable {
    let database: any Database
    let issuer: Issuer
    let keyRing: KeyRing
    let logger: Logger

    /// The device, if its key was proved for this sign-in; otherwise `nil`.
    ///
    /// A wrong proof is no error: an app that lost its enrollment signs in like a new one. The proof names the DPoP key and the
    /// PKCE challenge of the sign-in, so a copied proof is useless.
    /// - Parameters:
    ///   - id: the device named in the request.
    ///   - proof: the proof in the request.
    ///   - thumbprint: the DPoP key of the request.
    ///   - challenge: its PKCE challenge. Without one there is no proof.
    ///   - client: the client that signs in: a device enrolled by another app is no factor here.
    ///   - now: the present moment.
    package func device(
        _ id: DeviceID?, proof: DeviceProof?, thumbprint: JWKThumbprint, challenge: CodeChallenge?,
        client: ClientID, now: Timestamp
    ) async throws -> DeviceRecord? {
        guard let id, let proof, let challenge, let unique = UniqueID(uuid: id.rawValue),
            let device = try await database.read({ try Devices.find(unique, on: $0) }),
            // A removed device's key proves nothing: its holder counts as an untrusted device.
            device.state != .removed, device.clientID == client.rawValue
        else { return nil }
        let expected = DeviceProofContent.Expectation(
            audience: issuer, deviceID: id, thumbprint: thumbprint, codeChallenge: challenge)
        do {
            let content = try DeviceProofContent.verified(
                proof, by: device.key, for: expected, now: NumericDate(clamping: now.seconds))
            let isFresh = DPoPNonces.isGood(
                content.nonce.rawValue, at: now, keys: keyRing.keys(.nonce, at: now))
            return isFresh ? device : nil
        } catch {
            logger.debug("refused a device's proof", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

extension Devices {
    /// Whether a client's DPoP key is linked to an account: an enrolled device that was not removed has it, or no
    /// device has it and a session links it (``Sessions/links(_:by:to:at:on:)``).
    package static func links(
        _ thumbprint: [UInt8], by client: ClientID, to account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        if let device = try find(dpopKey: thumbprint, of: account, on: connection) { return device.state != .removed }
        return try Sessions.links(thumbprint, by: client.rawValue, to: account, on: connection)
    }
}
