package import Core
package import Kernel
internal import Logging
internal import Store
package import WalletAuthWire

/// A request signed by an enrolled device, as read by the edge. It needs no session.
package struct PresentedDeviceSignature: Sendable {
    package var deviceID: DeviceID
    /// The path below the issuer.
    package var path: String
    /// The exact bytes of the body.
    package var body: [UInt8]
    /// The device's signature over the request.
    package var signature: String
    package var idempotencyKey: IdempotencyKey
    package var origin: RequestOrigin

    package init(
        deviceID: DeviceID, path: String, body: [UInt8], signature: String, idempotencyKey: IdempotencyKey,
        origin: RequestOrigin
    ) {
        self.deviceID = deviceID
        self.path = path
        self.body = body
        self.signature = signature
        self.idempotencyKey = idempotencyKey
        self.origin = origin
    }
}

/// A device whose signed request was verified.
package struct DeviceCaller: Sendable {
    /// Active.
    package let device: DeviceRecord
    /// Distinguishes a repetition from another request.
    let idempotencyKey: IdempotencyKey
    package let origin: RequestOrigin
    package let now: Timestamp
}

extension Callers {
    /// Refuses a request without a signature, or with an outdated nonce. Before its first answer a device has no nonce to sign;
    /// this provides one.
    package var staleNonce: PINRefusal { .staleNonce(proofs.currentNonce()) }

    /// Authenticates a device by its signature over the request (`DeviceRequestSignature`, docs/wpin-1.md). Device and client
    /// have to be open (``DeviceAdmission``). A sign-in by PIN says itself that the account is deactivated or needs a new password.
    /// - Throws: ``PINRefusal`` if the device or its signature is not valid.
    package func device(_ presented: PresentedDeviceSignature) async throws -> DeviceCaller {
        let now = clock.now()
        guard let id = UniqueID(uuid: presented.deviceID.rawValue), let target = proofs.target(of: presented.path)
        else {
            throw PINRefusal.invalidCredentials
        }
        let admission = DeviceAdmission(clients: clients)
        let found = try await database.read { connection -> (DeviceRecord, DeviceAdmission.Refusal?)? in
            guard let device = try Devices.find(id, on: connection) else { return nil }
            return (device, try admission.refusal(of: device, now: now, on: connection))
        }
        guard let (device, refusal) = found else { throw PINRefusal.invalidCredentials }
        let expected = DeviceRequestSignature.Expectation(
            audience: issuer, deviceID: presented.deviceID, method: "POST", target: target,
            body: presented.body, idempotencyKey: presented.idempotencyKey)
        let nonce: Nonce
        do {
            nonce = try DeviceRequestSignature.verified(
                presented.signature, by: device.key, for: expected, now: NumericDate(clamping: now.seconds)
            ).nonce
        } catch {
            logger.debug("refused a device's signature", metadata: ["reason": "\(error)"])
            throw PINRefusal.invalidCredentials
        }
        guard proofs.isGood(nonce.rawValue, at: now) else { throw staleNonce }
        switch refusal {
        case nil, .walletDeactivated, .passwordChangeRequired: break
        case .suspended: throw PINRefusal.deviceSuspended
        case .deactivated: throw PINRefusal.deviceDeactivated
        case .unknown: throw PINRefusal.invalidCredentials
        }
        return DeviceCaller(
            device: device, idempotencyKey: presented.idempotencyKey, origin: presented.origin, now: now)
    }
}
