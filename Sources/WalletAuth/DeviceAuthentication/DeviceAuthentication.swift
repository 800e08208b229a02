import Foundation
import WalletAuthTransport
package import WalletAuthWire

/// Signs for this device's enrollments and sends the result to the server.
///
/// WalletAuthPIN builds on this; it need not know which second key signs.
package struct DeviceAuthentication: Sendable {
    let enroller: DeviceEnroller
    let exchange: Exchange
    let discovery: ServerDiscovery
    let binding: DeviceBinding
    let tokens: TokenRenewer
    let nativeLogin: NativeLogin
    let log: DiagnosticsLog
    /// Storage that lives as long as the wallet.
    package let extensionStorage: ExtensionStorage
    let history: ApprovalHistory
    /// Whether face or fingerprint has to wait for the PIN.
    package let biometricLimit: BiometricLimit

    /// Where an enrollment's items are kept.
    package var store: any SecureStore { enrollments.store }
    package var keys: any DeviceKeys { enroller.keys }
    var enrollments: EnrollmentStore { enroller.enrollments }
    var issuer: Issuer { enroller.issuer }
    /// Calls with the session of the signed-in account.
    var calls: SessionCalls { enroller.calls }
    var clock: ServerClock { enroller.keeper.clock }

    /// Runs one call: its errors are ``WalletError``s of this operation, and are recorded in the diagnostics.
    package func during<T>(_ operation: WalletError.Operation, _ work: () async throws -> T) async throws -> T {
        try await log.during(operation, work)
    }

    // MARK: Which enrollment

    /// Returns the enrollment of an account; without one, that of the last sign-in.
    /// - Throws: ``WalletError`` `device_not_enrolled`.
    package func enrollment(
        of account: AccountID?, during operation: WalletError.Operation
    ) async throws -> Enrollment {
        let found: Enrollment? =
            if let account { try await enrollments.find(account) } else { try await enrollments.lastUsed() }
        guard let found else { throw Self.notEnrolled(operation) }
        return found
    }

    /// Returns the enrollment of the signed-in account.
    /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`.
    package func signedInEnrollment(during operation: WalletError.Operation) async throws -> Enrollment {
        guard let subject = try await tokens.holding(during: operation).session.owner.subject,
            let account = try? AccountID(subject), let found = try await enrollments.find(account)
        else { throw Self.notEnrolled(operation) }
        return found
    }

    private static func notEnrolled(_ operation: WalletError.Operation) -> WalletError {
        // A device that is not enrolled has no long-lived session either, which has its own number.
        let needsToken = operation == .loginWithDeviceToken || operation == .expireDeviceToken
        return WalletError(
            .deviceNotEnrolled, .refused, during: operation,
            statusCode: needsToken ? ErrorCode.noDeviceToken.statusCode() : nil,
            reason: "this device is not enrolled for the account")
    }

    // MARK: What it signs

    /// Creates an assertion signed by the device and by the keys of a second factor.
    /// - Throws: ``WalletError`` `key_lost` if the device's key is gone.
    package func assertion(
        _ act: DeviceAssertion.Act, factor: DeviceAssertion.Factor, challenge: ChallengeID, nonce: Nonce,
        of enrollment: Enrollment, by secondKeys: [any AsyncJWSSigner], during operation: WalletError.Operation
    ) async throws -> SignedAssertion {
        let key = try await signingKey(of: enrollment, during: operation)
        return try await DeviceAssertion(
            audience: issuer, account: enrollment.account, deviceID: enrollment.deviceID, factor: factor,
            challengeID: challenge, nonce: nonce, act: act,
            issuedAt: NumericDate(clamping: clock.now.seconds)
        ).signed(by: key, secondKeys)
    }

    func signingKey(of enrollment: Enrollment, during operation: WalletError.Operation) async throws -> BoundKey {
        do {
            if let key = try await keys.key(enrollment.signingKeyID) { return try BoundKey(key) }
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {}
        throw WalletError(
            .keyLost, .keyLost(recovery: .enrollAgain), during: operation, reason: "the device's key is gone")
    }
}

/// Storage for other products of this package that lives as long as a wallet. It holds one value per type.
package final class ExtensionStorage: Sendable {
    private let values = LockedValue<[ObjectIdentifier: any Sendable]>([:])

    /// Returns the value of a type; the first caller creates it.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let kept = values[ObjectIdentifier(Value.self)] as? Value { return kept }
            let made = make()
            values[ObjectIdentifier(Value.self)] = made
            return made
        }
    }
}

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
        return try PINEvaluationResponse(try answer.success(during: operation))
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

extension DeviceAuthentication {
    /// This device's record of an enrollment's long-lived session.
    func deviceToken(of enrollment: Enrollment) -> DeviceTokenStore {
        DeviceTokenStore(store: store, clock: clock, enrollment: enrollment)
    }

    /// Requests a token. The device signs the request over a challenge of its own.
    func issueToken(
        _ username: Username, _ password: Password, for enrollment: Enrollment, during operation: WalletError.Operation
    ) async throws -> DeviceTokenResponse {
        let path = Endpoints.deviceAuthenticationTokens.path
        let challenge = try ChallengeResponse(
            try await calls.send(
                .post, Endpoints.challenges.path,
                ChallengeRequest(purpose: .deviceToken, deviceID: enrollment.deviceID).json,
                idempotencyKey: Randomness.token(), during: operation))
        let request = DeviceTokenRequest(
            deviceID: enrollment.deviceID, challengeID: challenge.challengeID, username: username, password: password)
        let body = request.json
        let signature = try await DeviceRequestSignature(
            audience: issuer, deviceID: enrollment.deviceID, method: "POST",
            target: try HTTPTarget(issuer.url(path: path)), body: body.bytes, nonce: challenge.nonce,
            idempotencyKey: try request.signatureKey, issuedAt: NumericDate(clamping: clock.now.seconds)
        ).signed(by: try await signingKey(of: enrollment, during: operation))
        // Sent once: a wrong password counts.
        return try DeviceTokenResponse(
            try await calls.send(
                .post, path, body, deviceSignature: signature, during: operation))
    }
}
