package import WalletAuthWire

extension DeviceAuthentication {
    /// Requests the server's share of a PIN key. All attempts use one `Idempotency-Key`: a lost response costs no
    /// second try.
    /// - Parameters:
    ///   - ask: what is evaluated, and for what purpose.
    ///   - draft: the draft, if the act signs a transaction that the app began.
    ///   - enrollment: the enrollment whose PIN is meant.
    ///   - operation: the operation this is part of.
    /// - Throws: ``WalletError``: `pin_locked`, `pin_not_set`, `pin_epoch_mismatch` …
    package func evaluate(
        _ ask: PINEvaluationRequest.Ask, draft: TransactionDraft? = nil, by enrollment: Enrollment,
        during operation: WalletError.Operation
    ) async throws -> PINEvaluationResponse {
        let request = PINEvaluationRequest(deviceID: enrollment.deviceID, ask: ask, draft: draft)
        let answer = try await signedAnswer(
            to: Endpoints.pinEvaluation.path, request.json, by: enrollment, during: operation)
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        return try PINEvaluationResponse(try answer.object())
    }

    /// Whether this device has a PIN for an enrollment. The server may have locked it.
    func hasPIN(_ enrollment: Enrollment) async throws -> Bool { try await store.get(enrollment.pinItem) != nil }

    /// Makes the server forget a PIN. Safe to repeat.
    package func forgetPIN(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await calls.send(
            .delete, Endpoints.devicePIN.path(enrollment.deviceID), during: operation)
    }

    /// Activates a PIN. Safe to repeat: the same body returns the stored result.
    package func setPIN(
        _ request: PINSettingRequest, of enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> PINSettingResponse {
        try PINSettingResponse(
            try await calls.send(
                .put, Endpoints.devicePIN.path(enrollment.deviceID), request.json, during: operation))
    }
}
