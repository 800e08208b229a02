internal import Core
package import Kernel
package import WalletAuthWire

/// A native sign-in of a person without an account. Their proof is kept for ten minutes, sealed in the `auth_session`, so that an
/// account can be created for them.
package struct NativeGuest: Codable, Sendable {
    package var identity: VouchedGuest
    var authTime: Timestamp
    /// When the person signed in at the provider; `nil` if it does not say.
    var providerAuthTime: Timestamp?
    // The request that the sign-in is bound to.
    package var client: ClientID
    package var thumbprint: JWKThumbprint
    var challenge: CodeChallenge
    var scope: Scope
    var merchant: MerchantID?
    var requiredACR: [String]
    /// The id shared by all codes that requests for the account lead to; one of them opens a session.
    var grantID: [UInt8]
}

extension NativeGuest {
    package static func sessions(in context: ServerContext) -> SealedState<NativeGuest> {
        SealedState(context.sealing, purpose: .signIn, label: "guest-session", lifetime: ProvenGuest.lifetime)
    }
}
