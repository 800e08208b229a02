import Crypto
import Testing
import WalletAuthWire

/// A server and a device that make evidence as it is in real life, but for what a test changes.
struct SampleEvidence: Sendable {
    let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
    let issuerKey = P256Signer(P256.Signing.PrivateKey(), keyID: "es-1")
    let deviceKey = P256Signer(P256.Signing.PrivateKey())
    let pinKey = P256Signer(P256.Signing.PrivateKey())

    /// 2026-11-22 10:00:00, in seconds.
    static let asked: Int64 = 1_795_341_600
    static let event = "0190b3f2-0000-7000-8000-00000000002a"
    static let account = "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11"

    var keys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }

    func operation(_ cents: Int64 = 90_00) throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: cents, currency: .euro),
            payee: Payee(name: "Anna Verna", account: "DE02120300000000202051"))
    }

    func payload(_ cents: Int64 = 90_00, event: String = SampleEvidence.event) throws -> OperationPayload {
        OperationPayload(
            eventID: try SCAEventID(event), operationID: try WalletOperationID("op-1"),
            clientID: try ClientID("shop"), account: try AccountID(Self.account), operation: try operation(cents),
            expiresAt: NumericDate(clamping: Self.asked + 900))
    }

    /// The compact form of the device's own signature over an operation.
    func deviceSignature(
        over payload: [UInt8], event: String = SampleEvidence.event, account: String = SampleEvidence.account,
        at seconds: Int64 = SampleEvidence.asked + 20, by key: P256Signer? = nil, isPIN: Bool = true
    ) async throws -> String {
        let assertion = DeviceAssertion(
            audience: try Issuer("https://auth.example"), account: try AccountID(account),
            deviceID: try DeviceID("device-1"), factor: isPIN ? .pin(try #require(PINEpoch(exactly: 3))) : .biometric,
            challengeID: try ChallengeID("0190b3f2-0000-7000-8000-0000000000aa"),
            nonce: try Nonce("bm9uY2Utbm9uY2Utbm9uY2Utbm9uY2U"),
            act: .sca(try TransactionID(event), .operation(payload)), issuedAt: NumericDate(clamping: seconds))
        let signed = try await assertion.signed(by: key ?? deviceKey, pinKey).reveal()
        let first = try #require(try GeneralJWS(Array(signed.utf8)).signatures.first)
        return String(decoding: first.signingInput, as: UTF8.self) + "." + Base64URL.encode(first.signature)
    }

    func code(
        for payload: OperationPayload, basis: AuthenticationCodeClaims.Basis? = nil,
        operation: WalletOperation? = nil, methods: [String] = ["pwd", "swk", "pin"], by key: P256Signer? = nil
    ) throws -> AuthenticationCode {
        let key = key ?? issuerKey
        let claims = AuthenticationCodeClaims(
            issuer: try Issuer("https://auth.example"), clientID: payload.clientID, account: payload.account,
            id: "code-1", issuedAt: NumericDate(clamping: Self.asked + 30), operationID: payload.operationID,
            operation: operation ?? payload.operation,
            basis: basis
                ?? .verified(
                    AuthenticationCodeClaims.Consent(
                        eventID: payload.eventID, payloadHash: payload.hash, methods: methods,
                        at: NumericDate(clamping: Self.asked + 20))))
        return try AuthenticationCode(
            CompactJWSEncoder(signer: key, type: .walletOperation).encode(claims.json.bytes, signer: key))
    }

    /// An entry of the audit log.
    static func place(_ sequence: Int64) -> OperationEvidenceClaims.Place {
        OperationEvidenceClaims.Place(partition: 3, sequence: sequence, link: [7, 7, 7])
    }

    /// A payment that was agreed to by the PIN of a device, after a wrong one, and carried out.
    func authorized() async throws -> OperationEvidenceClaims {
        let payload = try payload()
        let asked = Self.asked * 1000
        let circumstances = OperationEvidenceClaims.Circumstances(
            address: "192.0.2.1", userAgent: "Wallet/3.1 (iOS 18)", traceID: "00000000000000000000000000000001")
        func step(
            _ kind: OperationEvidenceClaims.Step.Kind, _ seconds: Int64, _ sequence: Int64
        ) -> OperationEvidenceClaims.Step {
            OperationEvidenceClaims.Step(
                kind: kind, at: asked + seconds * 1000, circumstances: circumstances,
                place: Self.place(sequence))
        }
        var verified = step(.verified, 20, 18)
        verified.signIn = OperationEvidenceClaims.SignIn(methods: ["pwd"], at: asked - 60_000, isCounted: true)
        return OperationEvidenceClaims(
            issuer: try Issuer("https://auth.example"), status: .authorized, operationID: payload.operationID,
            clientID: payload.clientID, account: payload.account,
            session: try SessionID("5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22"), eventID: payload.eventID,
            payload: payload.bytes, requestedAt: asked, expiresAt: asked + 320_000, decision: .required,
            findings: [
                ExemptionFinding(.lowValue, isGranted: false, reason: "The amount is above 30.00 EUR.")
            ],
            steps: [
                step(.requested, 0, 17),
                OperationEvidenceClaims.Step(
                    kind: .challenged, at: asked + 5000, verification: .devicePIN, circumstances: circumstances),
                verified, step(.authorized, 30, 19),
            ],
            attempts: [
                OperationEvidenceClaims.Attempt(
                    verification: .devicePIN, at: asked + 10_000, isRight: false, methods: []),
                OperationEvidenceClaims.Attempt(
                    verification: .devicePIN, at: asked + 20_000, isRight: true, methods: ["swk", "pin"],
                    device: OperationEvidenceClaims.Device(
                        id: try DeviceID("device-1"), key: try #require(deviceKey.publicJWK),
                        signature: try await deviceSignature(over: payload.bytes)), circumstances: circumstances),
            ],
            authorization: OperationEvidenceClaims.Authorization(
                code: try code(for: payload), key: try #require(issuerKey.publicJWK)))
    }

    /// A payment that needed no consent, and was not carried out.
    func exempt() throws -> OperationEvidenceClaims {
        let payload = try payload()
        let asked = Self.asked * 1000
        return OperationEvidenceClaims(
            issuer: try Issuer("https://auth.example"), status: .exempt, operationID: payload.operationID,
            clientID: payload.clientID, account: payload.account,
            session: try SessionID("5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22"), eventID: payload.eventID,
            payload: payload.bytes, requestedAt: asked, expiresAt: asked + 300_000, decision: .exempt(.lowValue),
            findings: [ExemptionFinding(.lowValue, isGranted: true, reason: "Payment 1 of 5.")],
            steps: [OperationEvidenceClaims.Step(kind: .exempted, at: asked, place: Self.place(17))], attempts: [],
            authorization: nil)
    }

    func sign(
        _ claims: OperationEvidenceClaims, by key: P256Signer? = nil, type: JWSType = .walletOperationEvidence
    ) throws -> OperationEvidence {
        try sign(claims.json.bytes, by: key, type: type)
    }

    func sign(
        _ bytes: [UInt8], by key: P256Signer? = nil, type: JWSType = .walletOperationEvidence
    ) throws -> OperationEvidence {
        let key = key ?? auditKey
        return try OperationEvidence(CompactJWSEncoder(signer: key, type: type).encode(bytes, signer: key))
    }
}
