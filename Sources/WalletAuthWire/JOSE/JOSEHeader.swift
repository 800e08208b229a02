/// A JWS header (RFC 7515 section 4) that has passed the rules: an algorithm that exists here, no extension, and no key
/// that the sender brought along unless this is a proof whose very point is that key.
public struct JOSEHeader: Hashable, Sendable {
    /// Whether a header may carry the sender's public key.
    public enum EmbeddedKey: Hashable, Sendable {
        /// `jwk` is refused: whoever verifies knows the keys already.
        case refused
        /// `jwk` must be there, as in DPoP proofs (RFC 9449 section 4.2).
        case required
    }

    /// `alg`.
    public let algorithm: SigningAlgorithm

    /// `typ`, where there is one.
    public let type: JWSType?

    /// `kid`, where there is one.
    public let keyID: String?

    /// `jwk`, where the rules ask for it.
    public let embeddedKey: JWK?

    /// Every longer header is refused.
    static let maximumBytes = 4096

    /// Parameters that let the sender choose the key, or that make the token something else than a plain JWS.
    private static let refused = ["crit", "jku", "x5u", "x5c", "b64", "enc", "zip"]

    /// Reads a header.
    /// - Parameters:
    ///   - bytes: the decoded header, JSON in UTF-8.
    ///   - embeddedKey: whether the sender's key may stand in it.
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
