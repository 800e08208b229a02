import Crypto

/// The SHA-256 of an assertion's object: the bytes shown to the person, a new key, or the sign-in. It is the `txh` of
/// an assertion and the `payloadHash` of a request.
///
/// Each kind of content is hashed after its own label and a zero byte, so that hashes of different kinds never
/// coincide.
public struct PayloadHash: WireValue {
    /// The form of its text.
    public static var form: TextForm { .sha256 }

    /// 43 characters of base64url.
    public let rawValue: String

    /// Validates a hash's form.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "payloadHash") }

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

    /// The hash of a scanned sign-in's payload. It never coincides with a transaction's, whatever the bytes are.
    /// - Parameter bytes: the payload as the server sent it, never re-encoded.
    public static func scannedSignIn(_ bytes: some Collection<UInt8>) -> PayloadHash {
        PayloadHash(label: "wallet-scanned-sign-in-v1", bytes)
    }

    /// The hash of a payment consent's operation.
    /// - Parameter bytes: the operation as the server sent it, never re-encoded.
    public static func operation(_ bytes: some Collection<UInt8>) -> PayloadHash {
        PayloadHash(label: "wallet-sca-v1", bytes)
    }

    /// The hash of a native sign-in: its assertion is useless with another key or another verifier.
    /// - Parameters:
    ///   - thumbprint: the DPoP key of the sign-in.
    ///   - codeChallenge: the PKCE challenge of the sign-in.
    public static func signIn(thumbprint: JWKThumbprint, codeChallenge: CodeChallenge) -> PayloadHash {
        // Their types guarantee 43 characters each, so no separator is needed.
        PayloadHash(label: "wallet-login-v1", Array((thumbprint.rawValue + codeChallenge.rawValue).utf8))
    }

    /// The hash of a new key: a PIN key or a biometric key.
    /// - Parameter thumbprint: the key's RFC 7638 thumbprint.
    public static func key(_ thumbprint: JWKThumbprint) -> PayloadHash {
        PayloadHash(label: "wallet-key-v1", Array(thumbprint.rawValue.utf8))
    }
}
