package import Crypto
package import CryptoExtras
internal import SoftwareAttesters
package import WalletAuthWire

/// An authenticator with one key, in software, for tests: it does what a test says, wrong things included.
package struct SoftwarePasskey: Sendable {
    /// The private key.
    package enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case edDSA(Curve25519.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)
    }

    /// What the authenticator says of itself and its person (WebAuthn §6.1).
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let userPresent = Flags(rawValue: 0x01)
        package static let userVerified = Flags(rawValue: 0x04)
        package static let backupEligible = Flags(rawValue: 0x08)
        package static let backedUp = Flags(rawValue: 0x10)
        package static let credential = Flags(rawValue: 0x40)
        package static let extensions = Flags(rawValue: 0x80)
    }

    /// The page that asks, as the browser tells it.
    package struct Page: Sendable {
        package var relyingParty: String
        package var origin: String
        /// `webauthn.create` or `webauthn.get`, unless a test says otherwise.
        package var type: String?
        package var crossOrigin: Bool?
        package var topOrigin: String?

        package init(relyingParty: String, origin: String) {
            self.relyingParty = relyingParty
            self.origin = origin
        }
    }

    package var key: Key
    package var credentialID: [UInt8]
    package var counter: UInt32 = 0
    package var userHandle: [UInt8]?
    package var flags: Flags = [.userPresent, .userVerified]
    package var attestsItself = false

    /// A new key.
    package init(_ algorithm: PasskeyAlgorithm = .es256) throws {
        switch algorithm {
        case .es256: key = .es256(P256.Signing.PrivateKey())
        case .edDSA: key = .edDSA(Curve25519.Signing.PrivateKey())
        case .rs256: key = .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        }
        var generator = SystemRandomNumberGenerator()
        credentialID = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The public half, a COSE_Key.
    package var publicKey: [UInt8] {
        get throws {
            var writer = CBORWriter()
            func pair(_ label: Int64, _ value: Int64) {
                writer.integer(label)
                writer.integer(value)
            }
            func pair(_ label: Int64, _ value: [UInt8]) {
                writer.integer(label)
                writer.bytes(value)
            }
            switch key {
            case .es256(let key):
                let point = Array(key.publicKey.rawRepresentation)
                writer.map(5)
                pair(1, 2)
                pair(3, -7)
                pair(-1, 1)
                pair(-2, Array(point[..<32]))
                pair(-3, Array(point[32...]))
            case .edDSA(let key):
                writer.map(4)
                pair(1, 1)
                pair(3, -8)
                pair(-1, 6)
                pair(-2, Array(key.publicKey.rawRepresentation))
            case .rs256(let key):
                let primitives = try key.publicKey.getKeyPrimitives()
                writer.map(4)
                pair(1, 3)
                pair(3, -257)
                pair(-1, Array(primitives.modulus))
                pair(-2, Array(primitives.publicExponent))
            }
            return writer.bytes
        }
    }

    /// Registers the key.
    package func register(_ challenge: [UInt8], on page: Page) throws -> PasskeyRegistrationResponse {
        let clientData = Self.clientData(page.type ?? "webauthn.create", challenge, page)
        let key = try publicKey
        let length = credentialID.count
        let data =
            authenticatorData(page, [.credential]) + [UInt8](repeating: 0, count: 16)
            + [UInt8(length >> 8), UInt8(length & 0xFF)] + credentialID + key
        var object = CBORWriter()
        object.map(3)
        object.text("fmt")
        object.text(attestsItself ? "packed" : "none")
        object.text("attStmt")
        if attestsItself {
            object.map(2)
            object.text("alg")
            object.integer(algorithm.rawValue)
            object.text("sig")
            object.bytes(try sign(data + SHA256.hash(data: clientData)))
        } else {
            object.map(0)
        }
        object.text("authData")
        object.bytes(data)
        return PasskeyRegistrationResponse(
            id: credentialID, clientData: clientData, attestationObject: object.bytes, transports: ["internal"])
    }

    /// Uses the key.
    package func use(_ challenge: [UInt8], on page: Page) throws -> PasskeyAssertionResponse {
        let clientData = Self.clientData(page.type ?? "webauthn.get", challenge, page)
        let data = authenticatorData(page, [])
        return PasskeyAssertionResponse(
            id: credentialID, clientData: clientData, authenticatorData: data,
            signature: try sign(data + SHA256.hash(data: clientData)), userHandle: userHandle)
    }

    package var algorithm: PasskeyAlgorithm {
        switch key {
        case .es256: .es256
        case .edDSA: .edDSA
        case .rs256: .rs256
        }
    }

    package func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .es256(let key): Array(try key.signature(for: bytes).derRepresentation)
        case .edDSA(let key): Array(try key.signature(for: bytes))
        case .rs256(let key):
            Array(try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    private func authenticatorData(_ page: Page, _ more: Flags) -> [UInt8] {
        Array(SHA256.hash(data: Array(page.relyingParty.utf8))) + [flags.union(more).rawValue]
            + (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
    }

    private static func clientData(_ type: String, _ challenge: [UInt8], _ page: Page) -> [UInt8] {
        var object = JSONObject()
        object.set("type", type)
        object.set("challenge", Base64URL.encode(challenge))
        object.set("origin", page.origin)
        object["crossOrigin"] = page.crossOrigin.map { .bool($0) }
        object.set("topOrigin", page.topOrigin)
        return object.bytes
    }
}
