public import Foundation

/// Makes and keeps P-256 keys that cannot leave this device (Secure Enclave; in software where there is none).
///
/// Every key has a name of its own, whatever kind it is.
public protocol DeviceKeys: Sendable {
    /// The signing key of that name, or nil when there is none: never made, removed, or lost by a restore onto another
    /// device.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure`` when it cannot be told now; "cannot be told" is never answered by nil.
    func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)?

    /// Makes a signing key of that name; one that is already there is replaced.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``.
    func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey

    /// The key of that name that agrees on secrets, or nil when there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure`` when it cannot be told now; "cannot be told" is never answered by nil.
    func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)?

    /// Makes a key of that name that agrees on secrets; one that is already there is replaced.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``.
    func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey

    /// The key of that name that signs only after the device saw its holder, or nil when there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` where the faces or fingers that the device knows have changed and it can
    ///   tell without asking.
    func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)?

    /// Makes a key of that name that signs only after the device saw its holder; one that is already there is replaced.
    /// - Parameter id: the key's name.
    /// - Returns: the new key.
    /// - Throws: ``DeviceKeyFailure``: `unsupported` where the device cannot ask for its holder.
    func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey

    /// Removes the key of that name, whatever kind it is; nothing happens when there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``.
    func removeKey(_ id: DeviceKeyID) async throws
}

/// One P-256 key pair whose private half stays where it is.
public protocol DeviceKey: Sendable {
    /// The public key in the uncompressed form of SEC 1, 65 bytes, the first of them 0x04.
    var publicKey: Data { get }

    /// Signs with ECDSA over SHA-256 (ES256, RFC 7518 §3.4).
    /// - Parameter message: what is signed, not its hash.
    /// - Returns: `r ‖ s`, 64 bytes.
    /// - Throws: ``DeviceKeyFailure``.
    func sign(_ message: Data) async throws -> Data
}

/// One P-256 key pair for key agreement, whose private half stays where it is. Only this device finds again what it agreed on.
public protocol DeviceAgreementKey: Sendable {
    /// Agrees on a secret (ECDH, SP 800-56A section 5.7.1.2).
    /// - Parameter publicKey: the other side's public key in the uncompressed form of SEC 1, 65 bytes.
    /// - Returns: the x coordinate, 32 bytes.
    /// - Throws: ``DeviceKeyFailure``; of kind `failed` for what is no point of P-256.
    func sharedSecret(with publicKey: Data) async throws -> Data
}

/// The name of a key. Letters, digits, `.`, `-` and `_` only.
public struct DeviceKeyID: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let name: String

    /// Makes a key's name; other characters become `_`.
    /// - Parameter name: any text.
    public init(_ name: String) {
        self.name = SecureStoreKey(name).name
    }

    /// The name.
    public var description: String { name }
}

/// Why a key could not be made, found or used.
public struct DeviceKeyFailure: Error, Sendable, Equatable {
    /// What went wrong.
    public enum Kind: Sendable, Equatable {
        /// The device is locked: try again later.
        case locked
        /// The key was there and is of no use any more (biometrics changed, restored onto another device).
        case invalidated
        /// The person refused, or failed, to prove presence.
        case presenceRefused
        /// Too many failures to prove presence: the device asks for its passcode first.
        case presenceLockedOut
        /// This device cannot make such a key.
        case unsupported
        /// Anything else; `reason` says what.
        case failed
    }

    /// What went wrong.
    public let kind: Kind
    /// For a person who looks for the cause.
    public let reason: String

    /// Makes a failure.
    /// - Parameters:
    ///   - kind: what went wrong.
    ///   - reason: for a person who looks for the cause.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
