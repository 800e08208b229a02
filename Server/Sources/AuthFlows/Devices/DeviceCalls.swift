package import AuthCore
package import AuthStore
internal import Logging
public import WalletAuthWire

/// A request that an enrolled device signed, as the edge read it. It needs no session.
public struct PresentedDeviceCall: Sendable {
    /// The device that the request names.
    public var deviceID: DeviceID
    /// The path of the request below the issuer.
    public var path: String
    /// The body to the byte.
    public var body: [UInt8]
    /// The device's signature over the request; `nil` where there was none.
    public var signature: String?
    /// The `Idempotency-Key`.
    public var idempotencyKey: IdempotencyKey
    /// Where the request came from.
    public var origin: RequestOrigin

    /// Each parameter is the property of its name.
    public init(
        deviceID: DeviceID, path: String, body: [UInt8], signature: String?, idempotencyKey: IdempotencyKey,
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

/// A request by the device that signed it, checked.
package struct DeviceCall: Sendable {
    /// The device, which is active.
    package let device: DeviceRecord
    /// Where the request came from.
    package let origin: RequestOrigin
    /// When it came.
    package let now: Timestamp
}

/// Why a device's request is refused before its content matters.
public enum DeviceCallRefusal: Error, Sendable, Hashable {
    /// The signature's nonce is not one of the server's present ones; this one is.
    case staleNonce(String)
    /// The device or its signature is wrong.
    case invalidCredentials
    /// The device is suspended; told only to a caller that has its key.
    case suspended
    /// The device is deactivated; told only to a caller that has its key.
    case deactivated
}

/// Checks the device's signature over a request (``DeviceRequestSignature``, docs/wpin-1.md).
package struct DeviceCalls: Sendable {
    let context: ServerContext

    /// Each parameter is the property of its name.
    package init(context: ServerContext) { self.context = context }

    /// Checks a request.
    /// - Parameter presented: as the edge read it.
    /// - Throws: infrastructure trouble.
    package func check(_ presented: PresentedDeviceCall) async throws -> Result<DeviceCall, DeviceCallRefusal> {
        let now = context.clock.now()
        guard let signature = presented.signature else {
            // Before its first answer a device has no nonce to sign: here is one.
            return .failure(.staleNonce(ProofOfPossession(context: context).currentNonce()))
        }
        guard let id = UniqueID(uuid: presented.deviceID.rawValue),
            let device = try await context.database.lookUp({ try Devices.find(id, on: $0) }),
            let target = try? HTTPTarget(context.settings.issuer.url(path: presented.path))
        else { return .failure(.invalidCredentials) }
        let expected = DeviceRequestSignature.Expectation(
            audience: context.settings.issuer, deviceID: presented.deviceID, method: "POST", target: target,
            body: presented.body, idempotencyKey: presented.idempotencyKey)
        do {
            let signed = try DeviceRequestSignature.verified(
                signature, by: device.key, for: expected, now: NumericDate(clamping: now.seconds))
            guard
                DPoPNonces.isGood(signed.nonce.rawValue, at: now, keys: context.keyRing.keys(.nonce, at: now))
            else { return .failure(.staleNonce(ProofOfPossession(context: context).currentNonce())) }
        } catch {
            context.logger.debug("refused a device's signature", metadata: ["reason": "\(error)"])
            return .failure(.invalidCredentials)
        }
        switch device.state {
        case .active: return .success(DeviceCall(device: device, origin: presented.origin, now: now))
        case .suspended: return .failure(.suspended)
        case .deactivated: return .failure(.deactivated)
        case .removed: return .failure(.invalidCredentials)
        }
    }
}
