/// What a ``DeviceProof`` says: the device that signs in holds its key, for this sign-in and no other.
///
/// It names the DPoP key and the PKCE challenge of the sign-in, so that whoever copies it can do nothing with it. Whether
/// the nonce is one of the server's own, and fresh, is left to the caller.
public struct DeviceProofContent: Hashable, Sendable {
    /// `aud`: the issuer.
    public let audience: Issuer
    /// `enr`: the device.
    public let deviceID: DeviceID
    /// `jkt`: the DPoP key of the request.
    public let thumbprint: JWKThumbprint
    /// `cc`: the PKCE challenge of the sign-in.
    public let codeChallenge: CodeChallenge
    /// `nonce`: the server's DPoP nonce.
    public let nonce: Nonce
    /// `iat`.
    public let issuedAt: NumericDate

    private static let members: Set = ["aud", "enr", "jkt", "cc", "nonce", "iat"]

    /// The sign-in that a proof must be for.
    public struct Expectation: Hashable, Sendable {
        /// This server.
        public var audience: Issuer
        /// The device that the request names.
        public var deviceID: DeviceID
        /// The key of the request's DPoP proof.
        public var thumbprint: JWKThumbprint
        /// The request's PKCE challenge.
        public var codeChallenge: CodeChallenge
        /// How old the proof may be.
        public var age: StatementAge

        /// Sets an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - deviceID: the device that the request names.
        ///   - thumbprint: the key of the request's DPoP proof.
        ///   - codeChallenge: the request's PKCE challenge.
        ///   - age: how old the proof may be.
        public init(
            audience: Issuer, deviceID: DeviceID, thumbprint: JWKThumbprint, codeChallenge: CodeChallenge,
            age: StatementAge = StatementAge()
        ) {
            self.audience = audience
            self.deviceID = deviceID
            self.thumbprint = thumbprint
            self.codeChallenge = codeChallenge
            self.age = age
        }
    }

    /// Says what a proof is to say.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - deviceID: the device.
    ///   - thumbprint: the DPoP key of the request.
    ///   - codeChallenge: the PKCE challenge of the sign-in.
    ///   - nonce: the last DPoP nonce that the server sent.
    ///   - issuedAt: the time, by the server's clock where the skew is known.
    public init(
        audience: Issuer, deviceID: DeviceID, thumbprint: JWKThumbprint, codeChallenge: CodeChallenge, nonce: Nonce,
        issuedAt: NumericDate
    ) {
        self.audience = audience
        self.deviceID = deviceID
        self.thumbprint = thumbprint
        self.codeChallenge = codeChallenge
        self.nonce = nonce
        self.issuedAt = issuedAt
    }

    /// Verifies a proof.
    /// - Parameters:
    ///   - proof: what the request brought.
    ///   - key: the device's key.
    ///   - expected: the sign-in that it must be for.
    ///   - now: the time of the verifier.
    /// - Returns: what the device said.
    /// - Throws: ``JOSEError`` for logs; the sender is told nothing but that the device is not known.
    public static func verified(
        _ proof: DeviceProof, by key: JWK, for expected: Expectation, now: NumericDate
    ) throws(JOSEError) -> DeviceProofContent {
        let claims = try DeviceStatement.claims(proof.reveal(), type: .deviceProof, by: key, members: members)
        let content = DeviceProofContent(
            audience: try claims.value("aud"), deviceID: try claims.value("enr"), thumbprint: try claims.value("jkt"),
            codeChallenge: try claims.value("cc"), nonce: try claims.value("nonce"), issuedAt: try claims.date("iat"))
        try require(content.audience == expected.audience, claim: "aud")
        try require(content.deviceID == expected.deviceID, claim: "enr")
        try require(content.thumbprint == expected.thumbprint, claim: "jkt")
        try require(content.codeChallenge == expected.codeChallenge, claim: "cc")
        try expected.age.check(content.issuedAt, now: now)
        return content
    }

    /// Signs the proof.
    /// - Parameter key: the device's key, which must show its public half.
    /// - Returns: the proof.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what a signer throws.
    public func signed(by key: any AsyncJWSSigner) async throws -> DeviceProof {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("aud", audience.rawValue)
        writer.member("enr", deviceID.rawValue)
        writer.member("jkt", thumbprint.rawValue)
        writer.member("cc", codeChallenge.rawValue)
        writer.member("nonce", nonce.rawValue)
        writer.member("iat", issuedAt.secondsSince1970)
        writer.endObject()
        return try DeviceProof(await DeviceStatement.sign(writer.bytes, type: .deviceProof, by: key))
    }
}
