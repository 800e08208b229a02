import Foundation
package import WalletAuthWire

extension DeviceAuthentication {
    /// Asks for the server's share of a PIN key. One `Idempotency-Key` for all sendings: a lost answer costs no second try.
    /// - Throws: ``WalletError``: `pin_locked`, `pin_not_set`, `pin_epoch_mismatch` …
    package func evaluate(
        _ ask: PINEvaluationRequest.Ask, by enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> PINEvaluationResponse {
        // The signature tells the time: the server's, once it is known.
        if !core.keeper.clock.isMeasured { _ = try await core.discovery.metadata() }
        let issuer = core.enroller.issuer
        let address = issuer.url(path: Endpoints.pinEvaluation.path)
        guard let url = URL(string: address) else {
            throw WalletError(.invalidConfiguration, .misconfigured, during: operation, reason: "the issuer is no URL")
        }
        let body = PINEvaluationRequest(deviceID: enrollment.deviceID, ask: ask).json
        let target = try HTTPTarget(address)
        let idempotencyKey = try IdempotencyKey(Randomness.token())
        let key = try await signingKey(of: enrollment, during: operation)
        let clock = core.keeper.clock
        let answer = try await core.server.send(
            ServerConnection.Call(
                url: url, body: .json(body),
                headersMadeForNonce: { nonce in
                    var headers = [IdempotencyKey.headerName: idempotencyKey.rawValue]
                    guard let nonce else { return headers }
                    headers[DeviceRequestSignature.headerName] = try await DeviceRequestSignature(
                        audience: issuer, deviceID: enrollment.deviceID, method: "POST", target: target,
                        body: body.bytes, nonce: nonce, idempotencyKey: idempotencyKey,
                        issuedAt: NumericDate(clamping: clock.now.seconds)
                    ).signed(by: key)
                    return headers
                }, policy: .idempotent))
        guard answer.isSuccess else { throw answer.problem(during: operation) }
        return try PINEvaluationResponse(try answer.object())
    }

    /// Has the server forget a PIN. Harmless to repeat.
    package func forgetPIN(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await core.sessionCalls.send(
            .delete, Endpoints.devicePIN.path(enrollment.deviceID), during: operation)
    }

    /// Puts a PIN into use. Harmless to repeat: the same body gets the stored result.
    package func setPIN(
        _ request: PINSettingRequest, of enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> PINSettingResponse {
        try PINSettingResponse(
            try await core.sessionCalls.send(
                .put, Endpoints.devicePIN.path(enrollment.deviceID), request.json, during: operation))
    }
}
