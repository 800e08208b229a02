/// The content of a ``DeviceProof``: the signing-in device has its key, for this sign-in and no other.
///
/// It names the sign-in's DPoP key and PKCE challenge, so that a copy is useless. The caller checks that the nonce is
/// its own and fresh.
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

        /// Creates an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - deviceID: the device that the request names.
        ///   - thumbprint: the key of the request's DPoP proof.
        ///   - codeChallenge: the request's PKCE challenge.
        public init(
            audience: Issuer, deviceID: DeviceID, thumbprint: JWKThumbprint, codeChallenge: CodeChallenge
        ) {
            self.audience = audience
            self.deviceID = deviceID
            self.thumbprint = thumbprint
            self.codeChallenge = codeChallenge
        }
    }

    /// Creates the content of a proof.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - deviceID: the device.
    ///   - thumbprint: the DPoP key of the request.
    ///   - codeChallenge: the PKCE challenge of the sign-in.
    ///   - nonce: the server's last DPoP nonce.
    ///   - issuedAt: the time, in server time if the offset is known.
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
    ///   - proof: the proof in the request.
    ///   - key: the device's key.
    ///   - expected: the sign-in that it must be for.
    ///   - now: the verifier's time.
    /// - Returns: the signed content.
    /// - Throws: ``JOSEError``, for logs only; the sender learns only that the device is unknown.
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
        try StatementAge.check(content.issuedAt, now: now)
        return content
    }

    /// Signs the proof.
    /// - Parameter key: the device's key, which must have a public half.
    /// - Returns: the proof.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what the signer throws.
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
