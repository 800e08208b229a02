import Crypto

/// What an assertion is about, as a SHA-256: the bytes that were shown, the key that is brought, the sign-in that goes on.
/// It is the `txh` of an assertion and the `payloadHash` of a request.
///
/// Each kind of content is hashed behind a label of its own and a zero byte, so that the hash of one kind never is the hash
/// of another.
public struct PayloadHash: WireValue {
    /// 43 characters of base64url.
    public let rawValue: String

    /// Checks a hash's form.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw MalformedValue(field: "payloadHash", reason: "is not base64url of a SHA-256 hash")
        }
        rawValue = text
    }

    private init(label: String, _ bytes: some Collection<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(label.utf8) + [0])
        hash.update(data: Array(bytes))
        rawValue = Base64URL.encode(Array(hash.finalize()))
    }

    /// The hash of a transaction's signing payload.
    /// - Parameter bytes: the payload as the server sent it, never re-encoded.
    public static func transaction(_ bytes: some Collection<UInt8>) -> PayloadHash {
        PayloadHash(label: "wallet-transaction-v1", bytes)
    }

    /// The hash of the operation that a payment consent is about.
    /// - Parameter bytes: the operation as the server sent it, never re-encoded.
    public static func operation(_ bytes: some Collection<UInt8>) -> PayloadHash {
        PayloadHash(label: "wallet-sca-v1", bytes)
    }

    /// The hash of a native sign-in: an assertion for one is of no use to whoever has another key or another verifier.
    /// - Parameters:
    ///   - thumbprint: the DPoP key of the sign-in.
    ///   - codeChallenge: the PKCE challenge of the sign-in.
    public static func signIn(thumbprint: JWKThumbprint, codeChallenge: CodeChallenge) -> PayloadHash {
        // Both are 43 characters by their types, so nothing has to stand between them.
        PayloadHash(label: "wallet-login-v1", Array((thumbprint.rawValue + codeChallenge.rawValue).utf8))
    }

    /// The hash of a key that is brought along: a new PIN key, a new biometric key.
    /// - Parameter thumbprint: the key's RFC 7638 thumbprint.
    public static func key(_ thumbprint: JWKThumbprint) -> PayloadHash {
        PayloadHash(label: "wallet-key-v1", Array(thumbprint.rawValue.utf8))
    }
}
