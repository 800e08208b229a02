import Crypto
import CryptoExtras
import Testing
import WalletAuthVerifier
import WalletAuthWire

@Suite("The proof of an operation that a passkey with an RSA key agreed to")
struct PasskeyEvidenceTests {
    private let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
    private let key: _RSA.Signing.PrivateKey

    init() throws { key = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private var keys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }

    /// A COSE_Key (RFC 8230 §4).
    private var publicKey: [UInt8] {
        get throws {
            let primitives = try key.publicKey.getKeyPrimitives()
            let exponent = Array(primitives.publicExponent)
            var bytes: [UInt8] = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00]
            bytes.append(contentsOf: Array(primitives.modulus))
            bytes.append(contentsOf: [0x21, 0x40 | UInt8(exponent.count)])
            bytes.append(contentsOf: exponent)
            return bytes
        }
    }

    private func passkey(for payload: [UInt8], event: SCAEventID) throws -> PasskeySignature {
        let browser = [UInt8](repeating: 0xB0, count: 32)
        let consent = PasskeyConsent(eventID: event, payloadHash: .operation(payload), browser: browser)
        var client = JSONObject()
        client.set("type", "webauthn.get")
        client.set("challenge", Base64URL.encode(consent.challenge([UInt8](repeating: 0x5E, count: 40))))
        client.set("origin", "https://auth.example")
        var data = Array(SHA256.hash(data: Array("auth.example".utf8)))
        data.append(contentsOf: [0x05, 0, 0, 0, 7])
        let signed = data + SHA256.hash(data: client.bytes)
        let signature = try key.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)
        return PasskeySignature(
            credentialID: [UInt8](repeating: 0xC1, count: 32), publicKey: try publicKey,
            relyingPartyID: "auth.example", origin: "https://auth.example", browser: browser,
            clientData: client.bytes, authenticatorData: data, signature: Array(signature.rawRepresentation))
    }

    /// An entry of the audit log.
    private func place(_ sequence: Int64) -> OperationEvidenceClaims.Place {
        OperationEvidenceClaims.Place(partition: 3, sequence: sequence, link: [7, 7, 7])
    }

    /// An operation that was agreed to, but for what a test changes.
    private func document(_ change: (inout PasskeySignature) -> Void = { _ in }) throws -> OperationEvidence {
        let asked: Int64 = 1_795_341_600
        let event = try SCAEventID("0190b3f2-0000-7000-8000-00000000002a")
        let account = try AccountID("0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11")
        let (operation, client) = (try WalletOperationID("op-1"), try ClientID("backend"))
        let payload = OperationPayload(
            eventID: event, operationID: operation, clientID: client, account: account,
            operation: try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: "Bakery", account: "DE02120300000000202051")),
            expiresAt: NumericDate(clamping: asked + 900))
        var signature = try passkey(for: payload.bytes, event: event)
        change(&signature)
        let claims = OperationEvidenceClaims(
            issuer: try Issuer("https://auth.example"), status: .verified, operationID: operation, clientID: client,
            account: account, session: try SessionID("5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22"), eventID: event,
            payload: payload.bytes, requestedAt: asked * 1000, expiresAt: asked * 1000 + 320_000, decision: .required,
            findings: [],
            steps: [
                OperationEvidenceClaims.Step(kind: .requested, at: asked * 1000, place: place(17)),
                OperationEvidenceClaims.Step(kind: .challenged, at: asked * 1000 + 5000, verification: .passkey),
                OperationEvidenceClaims.Step(kind: .verified, at: asked * 1000 + 20_000, place: place(18)),
            ],
            attempts: [
                OperationEvidenceClaims.Attempt(
                    verification: .passkey, at: asked * 1000 + 20_000, isRight: true, methods: ["pop", "uv"],
                    passkey: signature)
            ], authorization: nil)
        return try OperationEvidence(
            CompactJWSEncoder(signer: auditKey, type: .walletOperationEvidence)
                .encode(claims.json.bytes, signer: auditKey))
    }

    @Test("It is verified to the signature by the key")
    func verified() throws {
        let claims = try document().verified(by: keys)
        #expect(claims.factors.map(\.method) == ["pop", "uv"])
    }

    @Test("attack: a byte of the signature or of the key changed, and it proves nothing")
    func changed() throws {
        let signature = try document { $0.signature[9] ^= 1 }
        #expect(
            throws: EvidenceFault.contradiction(
                "the passkey's signature of attempt 1 is not by its key, or was changed")
        ) { try signature.verified(by: keys) }
        let modulus = try document { $0.publicKey[40] ^= 2 }
        #expect(throws: EvidenceFault.self) { try modulus.verified(by: keys) }
    }
}
