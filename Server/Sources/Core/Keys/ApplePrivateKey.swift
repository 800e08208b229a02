internal import Crypto
package import WalletAuthWire

/// The private key of a team in Apple's `.p8` format: P-256, PKCS #8, PEM.
package struct ApplePrivateKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// - Throws: `MalformedValue` that says what the file contains instead.
    package init(file: [UInt8]) throws(MalformedValue) {
        guard let text = String(validating: file, as: UTF8.self) else {
            throw Self.malformed("is not text, unlike a .p8 file")
        }
        for (label, what) in Self.others where text.contains("-----BEGIN \(label)-----") {
            throw Self.malformed(
                "is \(what): use the AuthKey_….p8 file, which Apple's console offers for download once")
        }
        guard let begin = text.firstRange(of: "-----BEGIN PRIVATE KEY-----") else {
            throw Self.malformed("has no line -----BEGIN PRIVATE KEY-----, which every .p8 file has")
        }
        let rest = text[begin.upperBound...]
        guard let end = rest.firstRange(of: "-----END PRIVATE KEY-----") else {
            throw Self.malformed("is cut off: it has no line -----END PRIVATE KEY-----")
        }
        // Lines of any length: other programs break them at 76 characters, where swift-crypto takes 64 alone.
        guard let der = Self.decode(rest[..<end.lowerBound]) else {
            throw Self.malformed("has a character between its first and last line that is not base64")
        }
        guard der.firstRange(of: Self.curve) != nil else {
            throw Self.malformed("is no P-256 private key, as Apple's are, but another kind of key")
        }
        do { key = try P256.Signing.PrivateKey(derRepresentation: der) } catch {
            throw Self.malformed("is a damaged P-256 private key: a part of it is missing or was changed")
        }
    }

    /// The curve P-256 as an object identifier in DER (RFC 5480 §2.1.1.1).
    private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// Decodes base64, whatever whitespace it has.
    private static func decode(_ body: Substring) -> [UInt8]? {
        var text = body.filter { !$0.isWhitespace }
        while text.last == "=" { text.removeLast() }
        guard !text.contains(where: { $0 == "-" || $0 == "_" }) else { return nil }
        return Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_"))
    }

    private static let others = [
        ("PUBLIC KEY", "a public key"), ("CERTIFICATE", "a certificate"),
        ("EC PRIVATE KEY", "a key in OpenSSL's format"),
        ("RSA PRIVATE KEY", "an RSA key"), ("ENCRYPTED PRIVATE KEY", "an encrypted key"),
        ("OPENSSH PRIVATE KEY", "an SSH key"), ("CERTIFICATE REQUEST", "a certificate request"),
    ]

    private static func malformed(_ reason: String) -> MalformedValue {
        MalformedValue(field: "private-key", reason: reason)
    }

    /// Signs ES256 under Apple's ID of the key.
    package func signer(keyID: String) -> P256Signer { P256Signer(key, keyID: keyID) }
}
