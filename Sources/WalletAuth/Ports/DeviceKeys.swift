public import Foundation

/// Creates and keeps P-256 keys that cannot leave this device (in the Secure Enclave, or in software if there is none).
///
/// Key names are unique across all kinds of keys.
public protocol DeviceKeys: Sendable {
    /// Returns the signing key with this name, or nil if there is none: never created, removed, or lost by a restore
    /// onto another device.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure`` if the answer is unknown right now; nil always means that there is no key.
    func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)?

    /// Creates a signing key, replacing one with the same name.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``.
    func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey

    /// Returns the key agreement key with this name, or nil if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure`` if the answer is unknown right now; nil always means that there is no key.
    func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)?

    /// Creates a key agreement key, replacing one with the same name.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``.
    func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey

    /// Returns the biometric key with this name, or nil if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` if the device's enrolled faces or fingerprints have changed and
    ///   the device can tell without a prompt.
    func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)?

    /// Creates a key that signs only after a biometric check, replacing one with the same name.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``: `unsupported` if the device cannot make such a check.
    func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey

    /// Removes the key with this name, whatever its kind. Does nothing if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``.
    func removeKey(_ id: DeviceKeyID) async throws
}

/// A P-256 key pair whose private half never leaves the device.
public protocol DeviceKey: Sendable {
    /// The public key in the uncompressed form of SEC 1, 65 bytes, the first of them 0x04.
    var publicKey: Data { get }

    /// Signs with ECDSA over SHA-256 (ES256, RFC 7518 §3.4).
    /// - Parameter message: the message, not its hash.
    /// - Returns: `r ‖ s`, 64 bytes.
    /// - Throws: ``DeviceKeyFailure``.
    func sign(_ message: Data) async throws -> Data
}

/// A P-256 key pair for key agreement whose private half never leaves the device. Only this device can derive the same
/// secret again.
public protocol DeviceAgreementKey: Sendable {
    /// Derives a shared secret (ECDH, SP 800-56A §5.7.1.2).
    /// - Parameter publicKey: the other side's public key in the uncompressed form of SEC 1, 65 bytes.
    /// - Returns: the x coordinate, 32 bytes.
    /// - Throws: ``DeviceKeyFailure``; of kind `failed` if `publicKey` is not a point on P-256.
    func sharedSecret(with publicKey: Data) async throws -> Data
}

/// The name of a key. Letters, digits, `.`, `-` and `_` only.
public struct DeviceKeyID: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Creates a key name; characters that are not allowed become `_`.
    /// - Parameter name: any text.
    public init(_ name: String) {
        self.name = SecureStoreKey(name).name
    }

    /// The name.
    public var description: String { name }
}

/// The reason a key could not be created, found or used.
public struct DeviceKeyFailure: Error, Sendable, Equatable {
    /// The kind of failure.
    public enum Kind: Sendable, Equatable {
        /// The device is locked: try again later.
        case locked
        /// The key existed but can no longer be used (biometrics changed, restored onto another device).
        case invalidated
        /// The person refused the presence check, or failed it.
        case presenceRefused
        /// Too many failed presence checks: the device asks for its passcode first.
        case presenceLockedOut
        /// This device does not support such a key.
        case unsupported
        /// Any other failure; see `reason`.
        case failed
    }

    /// The kind of failure.
    public let kind: Kind
    /// A diagnostic text for developers.
    public let reason: String

    /// Creates a failure.
    /// - Parameters:
    ///   - kind: the kind of failure.
    ///   - reason: a diagnostic text for developers.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

extension DeviceKeyFailure {
    /// Maps a store failure to a failure of the key in it.
    init(_ failure: SecureStoreFailure) {
        let kind: Kind =
            switch failure.kind {
            case .locked: .locked
            case .damaged: .invalidated
            case .full, .denied, .busy, .failed: .failed
            }
        self.init(kind, reason: failure.reason)
    }
}

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
