public import Foundation

/// Has the platform say which app this is.
public protocol AppAttester: Sendable {
    /// Makes a key of the platform's and has it attested.
    /// - Parameter clientDataHash: what the platform signs, 32 bytes. It names the server's challenge and the key that this app
    ///   vouches for.
    /// - Returns: the attestation in the format of Apple's App Attest; nil if this device or build has none. Whether the server
    ///   accepts the app without one is its operator's policy.
    /// - Throws: ``AppAttesterFailure`` if the platform cannot answer now.
    func attest(_ clientDataHash: Data) async throws -> Data?
}

/// The platform cannot attest the app at the moment; it may later.
public struct AppAttesterFailure: Error, Sendable, Equatable {
    /// A diagnostic text for developers.
    public let reason: String

    /// Creates a failure.
    /// - Parameter reason: a diagnostic text for developers.
    public init(reason: String) { self.reason = reason }
}
