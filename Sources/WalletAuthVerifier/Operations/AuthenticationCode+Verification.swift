public import WalletAuthWire

/// What an authentication code has to say.
public struct ExpectedOperation: Hashable, Sendable {
    /// The backend's client, for which the code was made.
    public var clientID: ClientID
    /// Whose operation it is.
    public var account: AccountID
    /// The operation's name.
    public var id: WalletOperationID
    /// What it does.
    public var operation: WalletOperation
    /// The event by which the person agreed; nil takes any, and an exemption too.
    public var eventID: SCAEventID?
    /// The very bytes that the person agreed to, where they are at hand (`OperationPayload`); nil does not
    /// look at their hash.
    public var payload: [UInt8]?

    /// Expects an operation. Each parameter sets the property of the same name.
    public init(
        clientID: ClientID, account: AccountID, id: WalletOperationID, operation: WalletOperation,
        eventID: SCAEventID? = nil, payload: [UInt8]? = nil
    ) {
        self.clientID = clientID
        self.account = account
        self.id = id
        self.operation = operation
        self.eventID = eventID
        self.payload = payload
    }
}

/// Why an authentication code proves nothing.
public enum AuthenticationCodeFault: Error, Hashable, Sendable {
    /// It is malformed, or its signature is not the issuer's.
    case forged(JOSEError)
    /// Its claims are malformed.
    case malformed(MalformedValue)
    /// It is about something else: the claim that differs.
    case differs(String)
    /// The issuer's keys cannot be had.
    case unavailable(IssuerUnavailable)
}

extension AuthenticationCode {
    /// Verifies the code without asking anybody: for evidence that is years old, by keys that were kept beside it.
    ///
    /// A code has no end: that an operation was authorized stays true.
    /// - Parameters:
    ///   - keys: the issuer's keys of the time.
    ///   - issuer: who made the code.
    ///   - expected: what it has to say.
    /// - Returns: what it says.
    /// - Throws: ``AuthenticationCodeFault``.
    public func verified(
        by keys: JWKSet, of issuer: Issuer, for expected: ExpectedOperation
    ) throws(AuthenticationCodeFault) -> AuthenticationCodeClaims {
        try verified(by: keys.keys.compactMap { try? $0.verifier() }, of: issuer, for: expected)
    }

    func verified(
        by verifiers: [any JWSVerifier], of issuer: Issuer, for expected: ExpectedOperation
    ) throws(AuthenticationCodeFault) -> AuthenticationCodeClaims {
        let object: JSONObject
        do {
            object = try CompactJWS(rawValue).verified(by: verifiers, type: .walletOperation).claims().object
        } catch { throw .forged(error) }
        let claims: AuthenticationCodeClaims
        do { claims = try AuthenticationCodeClaims(object) } catch { throw .malformed(error) }
        guard claims.issuer == issuer else { throw .differs("iss") }
        guard claims.clientID == expected.clientID else { throw .differs("aud") }
        guard claims.account == expected.account else { throw .differs("sub") }
        guard claims.operationID == expected.id else { throw .differs("walletOperationId") }
        guard claims.operation == expected.operation else { throw .differs("operation") }
        try check(claims, expected)
        return claims
    }

    private func check(
        _ claims: AuthenticationCodeClaims, _ expected: ExpectedOperation
    ) throws(AuthenticationCodeFault) {
        guard case .verified(let consent) = claims.basis else {
            guard expected.eventID == nil, expected.payload == nil else { throw .differs("sca") }
            return
        }
        if let event = expected.eventID, consent.eventID != event { throw .differs("eventId") }
        guard let bytes = expected.payload else { return }
        guard consent.payloadHash == .operation(bytes) else { throw .differs("operationHash") }
        let payload: OperationPayload
        do { payload = try OperationPayload(parsing: bytes) } catch { throw .malformed(error) }
        guard payload.eventID == consent.eventID, payload.operationID == claims.operationID,
            payload.clientID == claims.clientID, payload.account == claims.account,
            payload.operation == claims.operation
        else { throw .differs("operationHash") }
    }
}

extension TrustedIssuer {
    /// Verifies an authentication code by the issuer's present keys.
    /// - Parameters:
    ///   - code: the code.
    ///   - expected: what it has to say.
    /// - Returns: what it says.
    /// - Throws: ``AuthenticationCodeFault``. A code by a key that is gone is ``AuthenticationCodeFault/forged(_:)`` by an
    ///   unknown key: keep the keys with the codes, and see
    ///   `AuthenticationCode.verified(by:of:for:)`.
    public func verify(
        _ code: AuthenticationCode, for expected: ExpectedOperation
    ) async throws(AuthenticationCodeFault) -> AuthenticationCodeClaims {
        let keyID: String?
        do { keyID = try CompactJWS(code.rawValue).header.keyID } catch { throw .forged(error) }
        let keys: KeyBook.Keys
        do { keys = try await self.keys(for: keyID) } catch { throw .unavailable(error) }
        do {
            return try code.verified(by: keys.verifiers, of: issuer, for: expected)
        } catch {
            if error == .forged(.unknownKey), keys.isUncertain {
                throw .unavailable(IssuerUnavailable(reason: "the code's key is not known, and cannot be asked for"))
            }
            throw error
        }
    }
}
