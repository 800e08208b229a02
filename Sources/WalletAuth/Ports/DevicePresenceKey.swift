public import Foundation

/// A P-256 key pair that signs only after a face or fingerprint check, and that is lost when the device's enrolled
/// faces or fingerprints change.
public protocol DevicePresenceKey: Sendable {
    /// The public key in the uncompressed form of SEC 1, 65 bytes, the first of them 0x04.
    var publicKey: Data { get }

    /// Asks for a face or fingerprint and signs with ECDSA over SHA-256 (ES256, RFC 7518 §3.4).
    /// - Parameters:
    ///   - message: the message, not its hash.
    ///   - reason: shown to the person, in their language.
    /// - Returns: `r ‖ s`, 64 bytes.
    /// - Throws: ``DeviceKeyFailure``: `presenceRefused`, `presenceLockedOut`, `invalidated` …; `CancellationError`.
    func sign(_ message: Data, reason: String) async throws -> Data
}

extension DeviceKeyFailure {
    /// Maps a failed presence check.
    init(_ failure: UserPresenceFailure) {
        switch failure {
        case .refused: self.init(.presenceRefused, reason: "the person was not recognized, or declined")
        case .lockedOut:
            self.init(.presenceLockedOut, reason: "too many failures: the device asks for its passcode first")
        case .unavailable: self.init(.unsupported, reason: "this device cannot check for its owner")
        }
    }
}
