public import Foundation

/// Has the app's backend vouch for this instance of the app, where the server asks for that with each request for tokens: the client is
/// registered with `attest_jwt_client_auth_dpop`. It goes into ``Wallet/Ports/clientAttester``.
public protocol ClientAttester: Sendable {
    /// Asks the backend, which first makes sure which app asks; for instance by Apple's App Attest.
    /// - Parameter key: the public key that the tokens are bound to, a JWK in JSON.
    /// - Returns: the attestation of this key, a signed JWT. The SDK keeps it in memory until it expires.
    /// - Throws: any error. The call that needed the attestation ends with ``WalletError/Code/attestationUnavailable``.
    func attestation(of key: Data) async throws -> String
}
