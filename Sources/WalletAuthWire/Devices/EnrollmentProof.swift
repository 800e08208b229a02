import Crypto

/// The content that a new device's key signs at the enrollment: the account, the server's challenge, the request's DPoP
/// key, and the device's name. A stolen challenge cannot enroll another key, nor the right key under another name.
public struct EnrollmentProof: Hashable, Sendable {
    /// `aud`: the issuer.
    public let audience: Issuer
    /// `sub`: the account.
    public let account: AccountID
    /// `nonce`: the challenge's.
    public let nonce: Nonce
    /// `jkt`: the DPoP key of the request.
    public let thumbprint: JWKThumbprint
    /// `kh`: base64url of the SHA-256 over LP(name) ‖ LP(platform).
    public let nameHash: String
    /// `iat`.
    public let issuedAt: NumericDate

    private static let members: Set = ["aud", "sub", "nonce", "jkt", "kh", "iat"]

    /// The enrollment that a proof must be for.
    public struct Expectation: Hashable, Sendable {
        /// This server.
        public var audience: Issuer
        /// The account of the request's access token.
        public var account: AccountID
        /// The nonce of the challenge in the request.
        public var nonce: Nonce
        /// The key of the request's DPoP proof.
        public var thumbprint: JWKThumbprint
        /// The device's name in the request.
        public var name: String
        /// The platform in the request.
        public var platform: String

        /// Creates an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - account: the account of the request's access token.
        ///   - nonce: the nonce of the challenge.
        ///   - thumbprint: the key of the request's DPoP proof.
        ///   - name: the device's name in the request.
        ///   - platform: the platform in the request.
        public init(
            audience: Issuer, account: AccountID, nonce: Nonce, thumbprint: JWKThumbprint, name: String,
            platform: String
        ) {
            self.audience = audience
            self.account = account
            self.nonce = nonce
            self.thumbprint = thumbprint
            self.name = name
            self.platform = platform
        }
    }
}

extension EnrollmentProof {
    /// Creates the content of a proof.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - account: the account.
    ///   - nonce: the challenge's nonce.
    ///   - thumbprint: the DPoP key of the request.
    ///   - name: the device's name.
    ///   - platform: the device's platform.
    ///   - issuedAt: the time, in server time if the offset is known.
    /// - Throws: ``MalformedValue`` if name or platform is longer than 65,535 bytes.
    public init(
        audience: Issuer, account: AccountID, nonce: Nonce, thumbprint: JWKThumbprint, name: String, platform: String,
        issuedAt: NumericDate
    ) throws(MalformedValue) {
        self.init(
            audience: audience, account: account, nonce: nonce, thumbprint: thumbprint,
            nameHash: try Self.hash(name: name, platform: platform), issuedAt: issuedAt)
    }

    private static func hash(name: String, platform: String) throws(MalformedValue) -> String {
        var fields = LengthPrefixed()
        try fields.append(Array(name.utf8))
        try fields.append(Array(platform.utf8))
        return Base64URL.encode(Array(SHA256.hash(data: fields.bytes)))
    }

    /// Verifies a proof.
    /// - Parameters:
    ///   - text: the proof in the request.
    ///   - key: the key being enrolled.
    ///   - expected: the enrollment that it must be for.
    ///   - now: the verifier's time.
    /// - Returns: the signed content.
    /// - Throws: ``JOSEError``, for logs only.
    public static func verified(
        _ text: String, by key: JWK, for expected: Expectation, now: NumericDate
    ) throws(JOSEError) -> EnrollmentProof {
        let claims = try DeviceStatement.claims(text, type: .enrollment, by: key, members: members)
        let proof = EnrollmentProof(
            audience: try claims.value("aud"), account: try claims.value("sub"), nonce: try claims.value("nonce"),
            thumbprint: try claims.value("jkt"), nameHash: try claims.string("kh"), issuedAt: try claims.date("iat"))
        try require(proof.audience == expected.audience, claim: "aud")
        try require(proof.account == expected.account, claim: "sub")
        try require(proof.nonce.matches(expected.nonce), claim: "nonce")
        try require(proof.thumbprint == expected.thumbprint, claim: "jkt")
        let nameHash: String
        do { nameHash = try hash(name: expected.name, platform: expected.platform) } catch {
            throw .claim(name: "kh", .malformed)
        }
        try require(ConstantTime.equal(proof.nameHash, nameHash), claim: "kh")
        try StatementAge.check(proof.issuedAt, now: now)
        return proof
    }

    /// Signs the proof.
    /// - Parameter key: the key being enrolled, which must have a public half.
    /// - Returns: the compact text.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what the signer throws.
    public func signed(by key: any AsyncJWSSigner) async throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("aud", audience.rawValue)
        writer.member("sub", account.rawValue)
        writer.member("nonce", nonce.rawValue)
        writer.member("jkt", thumbprint.rawValue)
        writer.member("kh", nameHash)
        writer.member("iat", issuedAt.secondsSince1970)
        writer.endObject()
        return try await DeviceStatement.sign(writer.bytes, type: .enrollment, by: key)
    }
}
