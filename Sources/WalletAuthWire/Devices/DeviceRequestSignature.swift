import Crypto

/// A device's signature over one request, for requests that cost something and have no session: only the device itself
/// can spend a try of its PIN.
///
/// The caller checks that the nonce is its own and fresh, and remembers the `Idempotency-Key`. Recognize a repetition
/// by that key, never by the signature, which differs each time.
public struct DeviceRequestSignature: Hashable, Sendable {
    /// The header that carries the signature.
    public static let headerName = "Wallet-Device-Signature"

    /// `aud`: the issuer.
    public let audience: Issuer
    /// `enr`: the device.
    public let deviceID: DeviceID
    /// `htm`: the request's method.
    public let method: String
    /// `htu`: the request's URL, normalized.
    public let target: HTTPTarget
    /// `bh`: base64url of the body's SHA-256.
    public let bodyHash: String
    /// `nonce`: the server's DPoP nonce.
    public let nonce: Nonce
    /// `ik`: the request's `Idempotency-Key`.
    public let idempotencyKey: IdempotencyKey
    /// `iat`.
    public let issuedAt: NumericDate

    private static let members: Set = ["aud", "enr", "htm", "htu", "bh", "nonce", "ik", "iat"]

    /// The request that a signature must be for.
    public struct Expectation: Hashable, Sendable {
        /// This server.
        public var audience: Issuer
        /// The device that the request names.
        public var deviceID: DeviceID
        /// The request's method.
        public var method: String
        /// The request's URL from the client's point of view.
        public var target: HTTPTarget
        /// The request's body as received.
        public var body: [UInt8]
        /// The request's `Idempotency-Key`.
        public var idempotencyKey: IdempotencyKey

        /// Creates an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - deviceID: the device that the request names.
        ///   - method: the request's method.
        ///   - target: the request's URL.
        ///   - body: the request's body as received.
        ///   - idempotencyKey: the request's `Idempotency-Key`.
        public init(
            audience: Issuer, deviceID: DeviceID, method: String, target: HTTPTarget, body: [UInt8],
            idempotencyKey: IdempotencyKey
        ) {
            self.audience = audience
            self.deviceID = deviceID
            self.method = method
            self.target = target
            self.body = body
            self.idempotencyKey = idempotencyKey
        }
    }
}

extension DeviceRequestSignature {
    /// Creates the content of a signature.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - deviceID: the device.
    ///   - method: the request's method.
    ///   - target: the request's URL.
    ///   - body: the exact bytes of the request's body.
    ///   - nonce: the server's last DPoP nonce.
    ///   - idempotencyKey: the request's `Idempotency-Key`.
    ///   - issuedAt: the time, in server time if the offset is known.
    public init(
        audience: Issuer, deviceID: DeviceID, method: String, target: HTTPTarget, body: [UInt8], nonce: Nonce,
        idempotencyKey: IdempotencyKey, issuedAt: NumericDate
    ) {
        self.init(
            audience: audience, deviceID: deviceID, method: method, target: target, bodyHash: Self.hash(of: body),
            nonce: nonce, idempotencyKey: idempotencyKey, issuedAt: issuedAt)
    }

    private static func hash(of body: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(data: body))) }

    /// Verifies a signature.
    /// - Parameters:
    ///   - text: the header's value. The caller checks that there is exactly one such header.
    ///   - key: the device's key.
    ///   - expected: the request that it must be for.
    ///   - now: the verifier's time.
    /// - Returns: the signed content.
    /// - Throws: ``JOSEError``, for logs only; the sender learns only that the credentials are wrong.
    public static func verified(
        _ text: String, by key: JWK, for expected: Expectation, now: NumericDate
    ) throws(JOSEError) -> DeviceRequestSignature {
        let claims = try DeviceStatement.claims(text, type: .deviceRequest, by: key, members: members)
        let target: HTTPTarget
        do {
            let text = try claims.string("htu")
            // Nearly every signature names the URL as expected, already normalized.
            let isExpected = text.utf8.elementsEqual(expected.target.rawValue.utf8)
            target = isExpected ? expected.target : try HTTPTarget(text)
        } catch { throw .claim(name: "htu", .malformed) }
        let signature = DeviceRequestSignature(
            audience: try claims.issuer("aud", expected: expected.audience), deviceID: try claims.value("enr"),
            method: try claims.string("htm"), target: target, bodyHash: try claims.string("bh"),
            nonce: try claims.value("nonce"), idempotencyKey: try claims.value("ik"),
            issuedAt: try claims.date("iat"))
        try require(signature.audience == expected.audience, claim: "aud")
        try require(signature.deviceID == expected.deviceID, claim: "enr")
        try require(signature.method == expected.method, claim: "htm")
        try require(signature.target == expected.target, claim: "htu")
        try require(ConstantTime.equal(signature.bodyHash, hash(of: expected.body)), claim: "bh")
        try require(signature.idempotencyKey == expected.idempotencyKey, claim: "ik")
        try StatementAge.check(signature.issuedAt, now: now)
        return signature
    }

    /// Signs the request.
    /// - Parameter key: the device's key, which must have a public half.
    /// - Returns: the header's value.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what the signer throws.
    public func signed(by key: any AsyncJWSSigner) async throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("aud", audience.rawValue)
        writer.member("enr", deviceID.rawValue)
        writer.member("htm", method)
        writer.member("htu", target.rawValue)
        writer.member("bh", bodyHash)
        writer.member("nonce", nonce.rawValue)
        writer.member("ik", idempotencyKey.rawValue)
        writer.member("iat", issuedAt.secondsSince1970)
        writer.endObject()
        return try await DeviceStatement.sign(writer.bytes, type: .deviceRequest, by: key)
    }
}
