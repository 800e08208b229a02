public import AuthCore
public import WalletAuthWire

/// A request for an evaluation, as the edge read it.
public struct PresentedEvaluation: Sendable {
    /// What is asked.
    public var request: PINEvaluationRequest
    /// The body to the byte, which the device signed.
    public var body: [UInt8]
    /// The device's signature over the request; `nil` where there was none.
    public var signature: String?
    /// The `Idempotency-Key`.
    public var idempotencyKey: IdempotencyKey
    /// Where the request came from.
    public var origin: RequestOrigin

    /// Each parameter is the property of its name.
    public init(
        request: PINEvaluationRequest, body: [UInt8], signature: String?, idempotencyKey: IdempotencyKey,
        origin: RequestOrigin
    ) {
        self.request = request
        self.body = body
        self.signature = signature
        self.idempotencyKey = idempotencyKey
        self.origin = origin
    }
}

/// Why a call about a PIN was refused.
public enum DevicePINRefusal: Error, Sendable, Hashable {
    /// The signature's nonce is not one of the server's present ones; this one is.
    case staleNonce(String)
    /// A rule of the protocol.
    case refused(PINRefusal)
    /// The device's own, with a wrong PIN; told to whoever proved its key.
    case wrongPIN(remaining: Int)
    /// The device is suspended; told to whoever proved its key.
    case deviceSuspended
    /// The device is deactivated; told to whoever proved its key.
    case deviceDeactivated
    /// The app's call itself.
    case device(DeviceRefusal)
}
