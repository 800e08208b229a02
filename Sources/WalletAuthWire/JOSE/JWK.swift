public import Crypto

/// A public key as JSON (RFC 7517): P-256, Ed25519, or RSA as data.
///
/// A private or symmetric key is refused: sending one is a mistake, and storing it a worse one.
public struct JWK: Hashable, Sendable {
    /// The kinds of keys, with their bytes.
    public enum Key: Hashable, Sendable {
        /// A point of P-256, its coordinates 32 bytes each, big-endian (RFC 7518 §6.2).
        case p256(x: [UInt8], y: [UInt8])
        /// An Ed25519 key of 32 bytes (RFC 8037 §2).
        case ed25519(x: [UInt8])
        /// An RSA key, big-endian without leading zeros (RFC 7518 §6.3).
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    /// The key.
    public let key: Key

    /// The key's identifier.
    public let keyID: String?

    /// Creates a key.
    /// - Parameters:
    ///   - key: the key.
    ///   - keyID: its identifier, 1 to 255 bytes.
    /// - Throws: ``JOSEError/keyNotAllowed(_:)`` if the bytes are not such a key.
    public init(_ key: Key, keyID: String? = nil) throws(JOSEError) {
        switch key {
        case .p256(let x, let y):
            guard x.count == 32, y.count == 32, (try? P256.Signing.PublicKey(rawRepresentation: x + y)) != nil else {
                throw .keyNotAllowed("is not a point of P-256")
            }
        case .ed25519(let x):
            guard x.count == 32 else { throw .keyNotAllowed("is not 32 bytes") }
        case .rsa(let modulus, let exponent):
            // RFC 7518 §3.3 requires at least 2048 bits; above 8192, a single verification attacks the processor.
            guard let first = modulus.first, first != 0 else {
                throw .keyNotAllowed("has a modulus with a leading zero")
            }
            let bits = modulus.count * 8 - first.leadingZeroBitCount
            guard (2048...8192).contains(bits), modulus.last.map({ $0 & 1 == 1 }) == true else {
                throw .keyNotAllowed("has a modulus that is not 2048 to 8192 bits of an odd number")
            }
            guard let lead = exponent.first, lead != 0, exponent.count <= 4, exponent != [1],
                exponent.last.map({ $0 & 1 == 1 }) == true
            else { throw .keyNotAllowed("has an exponent that is not odd, above 1 and of at most 32 bits") }
        }
        if let keyID {
            guard (1...255).contains(keyID.utf8.count) else {
                throw .keyNotAllowed("has a kid that is empty or too long")
            }
        }
        self.key = key
        self.keyID = keyID
    }

    /// A P-256 key.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: its identifier.
    public init(_ publicKey: P256.Signing.PublicKey, keyID: String? = nil) {
        let raw = Array(publicKey.rawRepresentation)
        key = .p256(x: Array(raw[..<32]), y: Array(raw[32...]))
        self.keyID = keyID
    }

    /// An Ed25519 key.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: its identifier.
    public init(_ publicKey: Curve25519.Signing.PublicKey, keyID: String? = nil) {
        key = .ed25519(x: Array(publicKey.rawRepresentation))
        self.keyID = keyID
    }

    /// The algorithm of this key.
    public var algorithm: SigningAlgorithm {
        switch key {
        case .p256: .es256
        case .ed25519: .edDSA
        case .rsa: .rs256
        }
    }

    /// The RFC 7638 thumbprint.
    public var thumbprint: JWKThumbprint { JWKThumbprint(of: self) }
}

extension JWK {
    /// Members of private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads a public key.
    /// - Parameter object: the JWK; unknown members are ignored.
    /// - Throws: ``JOSEError/keyNotAllowed(_:)`` if it is not an accepted key, or is not for signatures.
    public init(_ object: JSONObject) throws(JOSEError) {
        guard !object.names.contains(where: JWK.privateMembers.contains) else {
            throw .keyNotAllowed("has members of a private key")
        }
        let key = try JWK.key(object)
        try JWK.checkUse(object)
        if let named = object["kid"], named.string == nil { throw .keyNotAllowed("has a kid that is not a string") }
        try self.init(key, keyID: object["kid"]?.string)
        if let named = object["alg"] {
            guard named.string.flatMap(SigningAlgorithm.init(named:)) == algorithm else {
                throw .algorithmDoesNotFitKey
            }
        }
    }

    private static func key(_ object: JSONObject) throws(JOSEError) -> Key {
        func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
            guard let text = object[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
                throw .keyNotAllowed("has no canonical base64url in \(name)")
            }
            return bytes
        }
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("EC", "P-256"): return .p256(x: try bytes("x"), y: try bytes("y"))
        case ("OKP", "Ed25519"): return .ed25519(x: try bytes("x"))
        case ("RSA", _): return .rsa(modulus: try bytes("n"), exponent: try bytes("e"))
        default: throw .keyNotAllowed("is neither P-256 nor Ed25519 nor RSA")
        }
    }

    private static func checkUse(_ object: JSONObject) throws(JOSEError) {
        if let use = object["use"], use.string != "sig" { throw .keyNotAllowed("is not for signatures") }
        if let operations = object["key_ops"], operations.strings?.contains("verify") != true {
            throw .keyNotAllowed("is not for verifying")
        }
    }

    /// Only the members that make up the key itself.
    public var publicMembers: JSONObject {
        var object = JSONObject()
        switch key {
        case .p256(let x, let y):
            object["kty"] = "EC"
            object["crv"] = "P-256"
            object["x"] = .string(Base64URL.encode(x))
            object["y"] = .string(Base64URL.encode(y))
        case .ed25519(let x):
            object["kty"] = "OKP"
            object["crv"] = "Ed25519"
            object["x"] = .string(Base64URL.encode(x))
        case .rsa(let modulus, let exponent):
            object["kty"] = "RSA"
            object["n"] = .string(Base64URL.encode(modulus))
            object["e"] = .string(Base64URL.encode(exponent))
        }
        return object
    }

    /// The key as in a key set: with `kid`, `use` and `alg`.
    public var json: JSONObject {
        var object = publicMembers
        object.set("kid", keyID)
        object["use"] = "sig"
        object["alg"] = .string(algorithm.rawValue)
        return object
    }
}

/// A set of public keys (RFC 7517 §5).
public struct JWKSet: Hashable, Sendable {
    /// The supported keys.
    public let keys: [JWK]

    /// Creates a set.
    /// - Parameter keys: at most 64.
    public init(_ keys: [JWK]) { self.keys = Array(keys.prefix(64)) }

    /// Reads a set. Unknown kinds of keys are skipped (RFC 7517 §5); a private key refuses the whole set.
    /// - Parameter object: the set, of at most 64 keys.
    /// - Throws: ``JOSEError`` of the first check that fails.
    public init(_ object: JSONObject) throws(JOSEError) {
        guard let entries = object["keys"]?.array, entries.count <= 64 else { throw .malformed }
        var keys: [JWK] = []
        for entry in entries {
            guard let entry = entry.object else { throw .malformed }
            do {
                keys.append(try JWK(entry))
            } catch .keyNotAllowed("has members of a private key") {
                throw .keyNotAllowed("has members of a private key")
            } catch {
                continue
            }
        }
        self.keys = keys
    }

    /// The set as JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["keys"] = .array(keys.map { .object($0.json) })
        return object
    }

    /// Returns the key with an identifier.
    /// - Parameter keyID: the identifier.
    public subscript(keyID: String) -> JWK? { keys.first { $0.keyID == keyID } }
}

/// A device's key as a member of a ``WireMessage``: of P-256, and without `kid`, `use` and `alg`.
extension JWK: Codable {
    /// Reads the public key of P-256 in a message.
    /// - Parameter decoder: the decoder of a ``WireMessage``; keys elsewhere are read as JSON.
    /// - Throws: ``MalformedValue`` for any other key.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? WireDecoder else {
            throw MalformedValue(field: "key", reason: "is not in a message")
        }
        guard let key = decoder.value.object.flatMap({ try? JWK($0) }), case .p256 = key.key else {
            throw decoder.fault("is not a public key of P-256")
        }
        self = key
    }

    /// Writes ``publicMembers``.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: PublicMember.self)
        let json = publicMembers
        for name in PublicMember.allCases {
            try members.encodeIfPresent(json[name.rawValue]?.string, forKey: name)
        }
    }

    private enum PublicMember: String, CodingKey, CaseIterable {
        case kty, crv, x, y, n, e
    }
}
