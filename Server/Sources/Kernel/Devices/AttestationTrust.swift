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
