/// A JWS in compact form (RFC 7515 §7.1), parsed and **not yet verified**.
///
/// Its payload is available only through ``verified(by:type:)-(JWSVerifier,_)``, or through a property whose name says
/// that it is unverified.
public struct CompactJWS: Hashable, Sendable {
    /// The header. It is well-formed, but no more trustworthy than the rest.
    public let header: JOSEHeader

    /// The sender's payload, without any verification.
    public let unverifiedPayload: [UInt8]

    /// The signature, decoded.
    public let signature: [UInt8]

    /// The signing input: header and payload as received, with a dot in between.
    public let signingInput: [UInt8]

    /// The default limit on the length, in bytes.
    public static let maximumBytes = 16_384

    /// Splits and decodes a compact JWS.
    /// - Parameters:
    ///   - text: three dot-separated parts of canonical base64url.
    ///   - embeddedKey: whether the header may contain the sender's key.
    ///   - maximumBytes: a longer text is refused unread.
    public init(
        _ text: String, embeddedKey: JOSEHeader.EmbeddedKey = .refused, maximumBytes: Int = CompactJWS.maximumBytes
    ) throws(JOSEError) {
        guard text.utf8.count <= maximumBytes else { throw .tooLarge }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(of: 0x2E), let last = bytes.lastIndex(of: 0x2E), first < last,
            !bytes[(first + 1)..<last].contains(0x2E)
        else { throw .malformed }
        guard let header = Base64URL.decode(bytes[..<first]),
            let payload = Base64URL.decode(bytes[(first + 1)..<last]),
            let signature = Base64URL.decode(bytes[(last + 1)...])
        else { throw .malformed }
        self.header = try JOSEHeader(parsing: header, embeddedKey: embeddedKey)
        unverifiedPayload = payload
        self.signature = signature
        signingInput = Array(bytes[..<last])
    }

    /// Combines the parts of a general JWS.
    /// - Parameters:
    ///   - header: base64url.
    ///   - payload: base64url, and the same decoded.
    ///   - signature: base64url.
    init(
        header: String, payload: (text: String, bytes: [UInt8]), signature: String
    ) throws(JOSEError) {
        guard let headerBytes = Base64URL.decode(header), let signatureBytes = Base64URL.decode(signature) else {
            throw .malformed
        }
        self.header = try JOSEHeader(parsing: headerBytes, embeddedKey: .refused)
        unverifiedPayload = payload.bytes
        self.signature = signatureBytes
        var input = Array(header.utf8)
        input.append(0x2E)
        input.append(contentsOf: payload.text.utf8)
        signingInput = input
    }

    /// Verifies with one key.
    /// - Parameters:
    ///   - verifier: the key. Its algorithm must be the header's.
    ///   - type: the required `typ`; nil accepts any, or none.
    /// - Returns: the verified payload.
    public func verified(by verifier: any JWSVerifier, type: JWSType? = nil) throws(JOSEError) -> VerifiedJWS {
        if let type, header.type != type { throw .wrongType }
        guard header.algorithm == verifier.algorithm else { throw .algorithmDoesNotFitKey }
        guard verifier.isValid(signature, for: signingInput) else { throw .invalidSignature }
        return VerifiedJWS(header: header, payload: unverifiedPayload)
    }

    /// How many keys may be tried for a header that names none.
    private static let mostTried = 8

    /// Verifies with the key named by the header's `kid`, or else with each key of its algorithm.
    /// - Parameters:
    ///   - verifiers: the trusted keys. Without a `kid`, at most eight of them may match the algorithm.
    ///   - type: the required `typ`; nil accepts any, or none.
    /// - Returns: the verified payload.
    public func verified(by verifiers: [any JWSVerifier], type: JWSType? = nil) throws(JOSEError) -> VerifiedJWS {
        let candidates: [any JWSVerifier]
        if let keyID = header.keyID {
            candidates = verifiers.filter { $0.keyID == keyID }
        } else {
            candidates = verifiers.filter { $0.algorithm == header.algorithm }
        }
        guard let last = candidates.last, candidates.count <= (header.keyID == nil ? Self.mostTried : 1) else {
            throw .unknownKey
        }
        let verifier = candidates.dropLast().first { $0.isValid(signature, for: signingInput) } ?? last
        return try verified(by: verifier, type: type)
    }
}

/// A JWS with a verified signature: only this package's verification creates one.
public struct VerifiedJWS: Hashable, Sendable {
    /// The header.
    public let header: JOSEHeader

    /// The signed bytes, never re-encoded.
    public let payload: [UInt8]

    /// The payload as claims.
    /// - Throws: ``JOSEError/malformedJSON(_:)`` if it is not a JSON object.
    public func claims() throws(JOSEError) -> JWTClaims { try JWTClaims(parsing: payload) }
}

/// Creates compact JWS of one key and one type. The header is encoded once: on a hot path, only the payload is new.
public struct CompactJWSEncoder: Sendable {
    private let headerAndPoint: [UInt8]

    /// Prepares a header `{alg, typ?, kid?, jwk?}`.
    /// - Parameters:
    ///   - signer: the key that will sign.
    ///   - type: the value of `typ`.
    ///   - embeddedKey: whether the header contains the signer's public key.
    /// - Throws: ``JOSEError/headerNotAllowed(_:)`` if the public key is required and the signer has none.
    public init(
        signer: any AsyncJWSSigner, type: JWSType?, embeddedKey: JOSEHeader.EmbeddedKey = .refused
    ) throws(JOSEError) {
        var header = JSONObject()
        header.set("typ", type?.headerValue)
        header["alg"] = .string(signer.algorithm.rawValue)
        switch embeddedKey {
        case .refused: header.set("kid", signer.keyID)
        case .required:
            guard let key = signer.publicJWK else { throw .headerNotAllowed("jwk") }
            header["jwk"] = .object(key.publicMembers)
        }
        var text: [UInt8] = []
        Base64URL.append(header.bytes, to: &text)
        text.append(0x2E)
        headerAndPoint = text
    }

    /// The signing input for a payload.
    /// - Parameter payload: any bytes.
    public func signingInput(_ payload: [UInt8]) -> [UInt8] {
        var text = headerAndPoint
        Base64URL.append(payload, to: &text)
        return text
    }

    /// Signs a payload.
    /// - Parameters:
    ///   - payload: any bytes.
    ///   - signer: the key that the header was prepared for.
    /// - Returns: the compact text.
    /// - Throws: what the signer throws.
    public func encode(_ payload: [UInt8], signer: any JWSSigner) throws -> String {
        let input = signingInput(payload)
        return Self.text(input, signature: try signer.sign(input))
    }

    /// Signs a payload with a key that may have to wait.
    /// - Parameters:
    ///   - payload: any bytes.
    ///   - signer: the key that the header was prepared for.
    /// - Returns: the compact text.
    /// - Throws: whatever the signer throws.
    public func encode(_ payload: [UInt8], signer: any AsyncJWSSigner) async throws -> String {
        let input = signingInput(payload)
        return Self.text(input, signature: try await signer.sign(input))
    }

    /// The compact text of a signing input and its signature.
    package static func text(_ input: [UInt8], signature: [UInt8]) -> String {
        var text = input
        text.append(0x2E)
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
