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
        guard text.contains("-----BEGIN PRIVATE KEY-----") else {
            throw Self.malformed("has no line -----BEGIN PRIVATE KEY-----, which every .p8 file has")
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimming(while: \.isWhitespace) }
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: lines.joined(separator: "\n"))
        } catch {
            throw Self.malformed("contains no P-256 private key in PKCS #8: it is cut off, or is another kind of key")
        }
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

extension Substring {
    /// The substring without leading and trailing characters that match.
    fileprivate func trimming(while test: (Character) -> Bool) -> Substring {
        var text = self
        while let first = text.first, test(first) { text.removeFirst() }
        while let last = text.last, test(last) { text.removeLast() }
        return text
    }
}
