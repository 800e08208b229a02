/// Whose attestations are believed. The texts are PEM; `nil` for the roots that the program contains.
package struct AttestationTrust: Sendable, Hashable {
    package var appleRoots: String?
    package var androidRoots: String?
    /// The serial numbers of Android certificates that are revoked, in lower-case hexadecimal without leading zeros.
    package var revokedAndroidSerials: Set<String> = []

    package init() {}
}

/// What a client asks of the app that enrolls a device.
package enum AttestationPolicy: String, Sendable, Codable, Hashable, CaseIterable {
    /// Attestations are ignored.
    case off
    /// A valid attestation is kept; without one, the device is enrolled all the same.
    case recorded
    /// Without a valid attestation, no device is enrolled.
    case required
}

/// An Android app: its package, and the SHA-256 of a certificate that it is signed with.
package struct AndroidApp: Sendable, Hashable {
    package let package: String
    package let digest: [UInt8]

    /// - Parameter text: the package, `=`, and 64 hexadecimal digits, which may be separated by colons as `keytool` prints them.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 255,
            parts[0].wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/) != nil,
            let digest = Self.bytes(hexadecimal: parts[1].filter { $0 != ":" }), digest.count == 32
        else { return nil }
        package = String(parts[0])
        self.digest = digest
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The stored form.
    package var text: String {
        let digits = digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return package + "=" + digits.joined()
    }
}
