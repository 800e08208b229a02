internal import Foundation
package import WalletAuthWire

/// An Android app, by the name of its package and its signing certificate.
package struct AndroidApp: Sendable, Hashable {
    package let name: String
    /// SHA-256 of the certificate.
    package let certificate: [UInt8]

    /// - Parameter text: the package, `=`, and the digest in hexadecimal, with or without colons.
    /// - Throws: `MalformedValue`.
    package init(_ text: String) throws(MalformedValue) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 255,
            parts[0].wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/) != nil,
            let certificate = Self.bytes(parts[1].replacing(":", with: "")), certificate.count == 32
        else {
            throw MalformedValue(
                field: "--android-app", reason: "must be a package, = and the 64 hexadecimal digits of a SHA-256")
        }
        name = String(parts[0])
        self.certificate = certificate
    }

    private static func bytes(_ hex: some StringProtocol) -> [UInt8]? {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }

    private var pairs: [String] { certificate.map { String(format: "%02X", $0) } }

    /// As it is registered.
    package var text: String { "\(name)=\(pairs.joined())" }
    /// The certificate's digest as Android's tools write it.
    package var fingerprint: String { pairs.joined(separator: ":") }
    /// The origin that Android states for the app.
    package var passkeyOrigin: String { "android:apk-key-hash:\(Base64URL.encode(certificate))" }
}
