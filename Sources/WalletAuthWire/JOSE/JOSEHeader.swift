/// A validated JWS header (RFC 7515 §4): a known algorithm, no extension, and no key supplied by the sender, unless the
/// proof is about that key.
public struct JOSEHeader: Hashable, Sendable {
    /// Whether a header may contain the sender's public key.
    public enum EmbeddedKey: Hashable, Sendable {
        /// `jwk` is refused: the verifier already knows the keys.
        case refused
        /// `jwk` is required, as in DPoP proofs (RFC 9449 §4.2).
        case required
    }

    /// `alg`.
    public let algorithm: SigningAlgorithm

    /// `typ`, if there is one.
    public let type: JWSType?

    /// `kid`, if there is one.
    public let keyID: String?

    /// `jwk`, if the rules require it.
    public let embeddedKey: JWK?

    /// A longer header is refused.
    static let maximumBytes = 4096

    /// Parameters that let the sender choose the key, or that make the token anything but a plain JWS.
    private static let refused = ["crit", "jku", "x5u", "x5c", "b64", "enc", "zip"]

    /// Parses a header.
    /// - Parameters:
    ///   - bytes: the decoded header, JSON in UTF-8.
    ///   - embeddedKey: whether it may contain the sender's key.
    init(parsing bytes: [UInt8], embeddedKey: EmbeddedKey) throws(JOSEError) {
        let object: JSONObject
        do {
            object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: Self.maximumBytes, depth: 4))
        } catch { throw .malformedJSON(error) }
        for name in Self.refused where object[name] != nil { throw .headerNotAllowed(name) }
        guard let algorithm = object["alg"]?.string.flatMap(SigningAlgorithm.init(named:)) else {
            throw .algorithmNotAllowed
        }
        self.algorithm = algorithm

        do {
            type = try object.string("typ").map(JWSType.init)
            keyID = try object.string("kid")
        } catch { throw .malformedJSON(error) }
        if let keyID, !(1...255).contains(keyID.utf8.count) { throw .headerNotAllowed("kid") }

        switch (embeddedKey, object["jwk"]) {
        case (.refused, nil): self.embeddedKey = nil
        case (.refused, _?): throw .headerNotAllowed("jwk")
        case (.required, .object(let key)?): self.embeddedKey = try JWK(key)
        case (.required, _): throw .headerNotAllowed("jwk")
        }
    }
}
