public import WalletAuthWire

/// The claims that an authentication code must have.
public struct ExpectedOperation: Hashable, Sendable {
    /// The backend's client id.
    public var clientID: ClientID
    /// The person's account.
    public var account: AccountID
    /// The operation's id.
    public var id: WalletOperationID
    /// The operation's content.
    public var operation: WalletOperation
    /// The event in which the person gave consent; nil accepts any event, and exemptions.
    public var eventID: SCAEventID?
    /// The exact bytes that the person agreed to, if you have them (`OperationPayload`); nil skips the check of their
    /// hash.
    public var payload: [UInt8]?

    /// Creates an expectation. Each parameter sets the property of the same name.
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

/// The reason an authentication code is invalid.
public enum AuthenticationCodeFault: Error, Hashable, Sendable {
    /// The code is malformed, or its signature is not the issuer's.
    case forged(JOSEError)
    /// Its claims are malformed.
    case malformed(MalformedValue)
    /// A claim differs from the expected one: the claim's name.
    case differs(String)
    /// The issuer's keys are unavailable.
    case unavailable(IssuerUnavailable)
}

extension AuthenticationCode {
    /// Verifies the code offline, with the issuer's keys of the time. Use it for codes that are years old.
    ///
    /// A code does not expire: the operation remains authorized.
    ///
    /// - Parameters:
    ///   - keys: the issuer's keys at that time.
    ///   - issuer: the server that issued the code.
    ///   - expected: the claims that the code must have.
    /// - Returns: the code's claims.
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
    /// Verifies an authentication code with the issuer's current keys.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - expected: the claims that the code must have.
    /// - Returns: the code's claims.
    /// - Throws: ``AuthenticationCodeFault``. A code whose key was withdrawn is ``AuthenticationCodeFault/forged(_:)``
    ///   with an unknown key: keep the keys with the codes, and use `AuthenticationCode.verified(by:of:for:)`.
    public func verify(
        _ code: AuthenticationCode, for expected: ExpectedOperation
    ) async throws(AuthenticationCodeFault) -> AuthenticationCodeClaims {
        let keyID: String?
        do { keyID = try CompactJWS(code.rawValue).header.keyID } catch { throw .forged(error) }
        let keys: JWKSCache.Keys
        do { keys = try await self.keys(for: keyID) } catch { throw .unavailable(error) }
        do {
            return try code.verified(by: keys.verifiers, of: issuer, for: expected)
        } catch {
            if error == .forged(.unknownKey), keys.isUncertain {
                throw .unavailable(IssuerUnavailable(reason: "the code's key is unknown and cannot be fetched"))
            }
            throw error
        }
    }
}
