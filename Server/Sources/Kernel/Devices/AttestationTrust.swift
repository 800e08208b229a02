internal import Synchronization

/// Whose attestations are believed. The texts are PEM; `nil` for the roots that the program contains.
package struct AttestationTrust: Sendable {
    package var appleRoots: String?
    package var androidRoots: String?
    package let revokedAndroidSerials = RevokedSerials()

    package init() {}
}

/// The serial numbers of Android certificates that are revoked, in lower-case hexadecimal without leading zeros. The operator's list
/// changes while the server runs.
package final class RevokedSerials: Sendable {
    private let serials = Mutex<Set<String>>([])

    package var current: Set<String> { serials.withLock { $0 } }

    /// - Returns: whether they differ from the former ones.
    @discardableResult
    package func replace(with new: Set<String>) -> Bool {
        serials.withLock { serials in
            defer { serials = new }
            return serials != new
        }
    }
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
