import Foundation
import WalletAuthTransport
import WalletAuthWire

extension DeviceAuthentication {
    /// Sends a request signed by the device, without a session. All attempts use one `Idempotency-Key`.
    /// - Parameters:
    ///   - path: the path below the issuer.
    ///   - body: the body.
    ///   - enrollment: the enrollment whose key signs.
    ///   - operation: the operation this is part of.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``WalletError`` `key_lost`; what the ports throw.
    func signedAnswer(
        to path: String, _ body: JSONObject, by enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> ServerAnswer {
        // The signature carries a timestamp in server time, so learn the time first.
        if !clock.isMeasured { _ = try await discovery.metadata() }
        let url = try issuer.url(of: path, during: operation)
        let target = try HTTPTarget(issuer.url(path: path))
        let idempotencyKey = try IdempotencyKey(Randomness.token())
        let key = try await signingKey(of: enrollment, during: operation)
        var request = HTTPRequest(url, .json(body))
        request.headers[IdempotencyKey.headerName] = idempotencyKey.rawValue
        return try await exchange.send(request, policy: .idempotent) { [issuer, clock] request, nonce in
            guard let nonce else { return }
            request.headers[DeviceRequestSignature.headerName] = try await DeviceRequestSignature(
                audience: issuer, deviceID: enrollment.deviceID, method: "POST", target: target,
                body: body.bytes, nonce: nonce, idempotencyKey: idempotencyKey,
                issuedAt: NumericDate(clamping: clock.now.seconds)
            ).signed(by: key)
        }
    }
}
