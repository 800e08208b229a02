import Crypto
import WalletAuthWire

/// An authenticator that signs what a test says, wrong things included.
struct SamplePasskey: Sendable {
    let key = P256.Signing.PrivateKey()
    let id = [UInt8](repeating: 0xC1, count: 32)

    /// What a test changes before it is signed.
    struct Statement: Sendable {
        var type = "webauthn.get"
        var origin = "https://auth.example"
        var crossOrigin: Bool? = false
        var relyingParty = "auth.example"
        /// User present and verified.
        var flags: UInt8 = 0x05
        var browser = [UInt8](repeating: 0xB0, count: 32)
        var random = [UInt8](repeating: 0x5E, count: 40)
    }

    /// The public half, a COSE_Key.
    var publicKey: [UInt8] {
        let point = Array(key.publicKey.rawRepresentation)
        var bytes: [UInt8] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        bytes.append(contentsOf: point[..<32])
        bytes.append(contentsOf: [0x22, 0x58, 0x20])
        bytes.append(contentsOf: point[32...])
        return bytes
    }

    /// A COSE_Key by RSA: it cannot sign.
    static var rsaKey: [UInt8] {
        var bytes: [UInt8] = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00]
        bytes.append(contentsOf: [UInt8](repeating: 0xC5, count: 256))
        bytes.append(contentsOf: [0x21, 0x43, 0x01, 0x00, 0x01])
        return bytes
    }

    /// Signs for an operation.
    func signature(
        for payload: [UInt8], event: String = SampleEvidence.event, _ statement: Statement = Statement()
    ) throws -> PasskeySignature {
        let consent = PasskeyConsent(
            eventID: try SCAEventID(event), payloadHash: .operation(payload), browser: statement.browser)
        var client = JSONObject()
        client.set("type", statement.type)
        client.set("challenge", Base64URL.encode(consent.challenge(statement.random)))
        client.set("origin", statement.origin)
        client["crossOrigin"] = statement.crossOrigin.map { .bool($0) }
        var data = Array(SHA256.hash(data: Array(statement.relyingParty.utf8)))
        data.append(statement.flags)
        data.append(contentsOf: [0, 0, 0, 7])
        let signed = data + SHA256.hash(data: client.bytes)
        return PasskeySignature(
            credentialID: id, publicKey: publicKey, relyingPartyID: "auth.example", origin: "https://auth.example",
            browser: statement.browser, clientData: client.bytes, authenticatorData: data,
            signature: Array(try key.signature(for: signed).derRepresentation))
    }
}

extension SampleEvidence {
    /// A payment that was agreed to by a passkey, after a wrong one, and carried out.
    func byPasskey(_ signature: PasskeySignature?) async throws -> OperationEvidenceClaims {
        var claims = try await authorized()
        claims.steps[1].verification = .passkey
        for index in claims.attempts.indices { claims.attempts[index].verification = .passkey }
        claims.attempts[1].methods = ["pop", "uv"]
        claims.attempts[1].device = nil
        claims.attempts[1].passkey = signature
        claims.authorization?.code = try code(for: payload(), methods: ["pwd", "pop", "uv"])
        return claims
    }
}
