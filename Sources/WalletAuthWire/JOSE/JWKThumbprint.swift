import Crypto

/// A key's identifier, computed from the key: base64url of a SHA-256 (RFC 7638). DPoP's `jkt`.
public struct JWKThumbprint: WireValue {
    /// The form of its text.
    public static var form: TextForm { .sha256 }

    /// 43 characters.
    public let rawValue: String

    /// Validates a thumbprint's form.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "jkt") }

    /// Creates a thumbprint from its bytes.
    /// - Parameter bytes: a SHA-256, 32 bytes.
    public init(bytes: [UInt8]) throws(MalformedValue) { try self.init(Base64URL.encode(bytes)) }

    /// Computes the thumbprint of a key.
    /// - Parameter jwk: a public key.
    public init(of jwk: JWK) {
        // Only the required members, sorted by name, without white space (RFC 7638 §3.2).
        var text: [UInt8] = []
        func member(_ prefix: String, _ bytes: [UInt8]) {
            text.append(contentsOf: prefix.utf8)
            Base64URL.append(bytes, to: &text)
        }
        switch jwk.key {
        case .p256(let x, let y):
            member(#"{"crv":"P-256","kty":"EC","x":""#, x)
            member(#"","y":""#, y)
        case .ed25519(let x):
            member(#"{"crv":"Ed25519","kty":"OKP","x":""#, x)
        case .rsa(let modulus, let exponent):
            member(#"{"e":""#, exponent)
            member(#"","kty":"RSA","n":""#, modulus)
        }
        text.append(contentsOf: #""}"#.utf8)
        rawValue = Base64URL.encode(Array(SHA256.hash(data: text)))
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { Base64URL.decode(rawValue) ?? [] }
}
