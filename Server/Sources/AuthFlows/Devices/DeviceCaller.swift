package import AuthCore
package import AuthStore
internal import Logging
package import WalletAuthWire

/// A request that an enrolled device signed, as the edge read it. It needs no session.
package struct PresentedDeviceSignature: Sendable {
    /// The device that the request names.
    package var deviceID: DeviceID
    /// The path of the request below the issuer.
    package var path: String
    /// The body to the byte.
    package var body: [UInt8]
    /// The device's signature over the request.
    package var signature: String
    /// The `Idempotency-Key`.
    package var idempotencyKey: IdempotencyKey
    /// Where the request came from.
    package var origin: RequestOrigin

    /// Each parameter is the property of its name.
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

/// A device that signed its request, checked.
package struct DeviceCaller: Sendable {
    /// The device, which is active.
    package let device: DeviceRecord
    /// What tells its repetition from another request.
    let idempotencyKey: IdempotencyKey
    /// Where the request came from.
    package let origin: RequestOrigin
    /// When it came.
    package let now: Timestamp
}

/// Why a device's request is refused before its content matters.
package enum DeviceCallRefusal: Error, Sendable, Hashable {
    /// The signature's nonce is not one of the server's present ones; this one is.
    case staleNonce(String)
    /// The device or its signature is wrong.
    case invalidCredentials
    /// The device is suspended; told only to a caller that has its key.
    case suspended
    /// The device is deactivated; told only to a caller that has its key.
    case deactivated
}

extension Callers {
    /// Refuses a request without a signature, or with one over an old nonce. Before its first answer a device has no nonce to
    /// sign: here is one.
    package var staleNonce: DeviceCallRefusal { .staleNonce(ProofOfPossession(context: context).currentNonce()) }

    /// Lets in a device by its signature over the request (`DeviceRequestSignature`, docs/wpin-1.md).
    /// - Parameter presented: as the edge read it.
    /// - Throws: ``DeviceCallRefusal`` where device or signature are not as they must be; infrastructure errors.
    package func device(_ presented: PresentedDeviceSignature) async throws -> DeviceCaller {
        let now = context.clock.now()
        guard let id = UniqueID(uuid: presented.deviceID.rawValue),
            let device = try await context.database.lookUp({ try Devices.find(id, on: $0) }),
            let target = try? HTTPTarget(context.settings.issuer.url(path: presented.path))
        else { throw DeviceCallRefusal.invalidCredentials }
        let expected = DeviceRequestSignature.Expectation(
            audience: context.settings.issuer, deviceID: presented.deviceID, method: "POST", target: target,
            body: presented.body, idempotencyKey: presented.idempotencyKey)
        let nonce: Nonce
        do {
            nonce = try DeviceRequestSignature.verified(
                presented.signature, by: device.key, for: expected, now: NumericDate(clamping: now.seconds)
            ).nonce
        } catch {
            context.logger.debug("refused a device's signature", metadata: ["reason": "\(error)"])
            throw DeviceCallRefusal.invalidCredentials
        }
        guard DPoPNonces.isGood(nonce.rawValue, at: now, keys: context.keyRing.keys(.nonce, at: now)) else {
            throw staleNonce
        }
        switch device.state {
        case .active: break
        case .suspended: throw DeviceCallRefusal.suspended
        case .deactivated: throw DeviceCallRefusal.deactivated
        case .removed: throw DeviceCallRefusal.invalidCredentials
        }
        return DeviceCaller(
            device: device, idempotencyKey: presented.idempotencyKey, origin: presented.origin, now: now)
    }
}
