package import Kernel
package import Store
package import WalletAuthWire

/// The client's requirements for the sign-in.
package struct SignInIntent: Sendable {
    package var client: RegisteredClient
    /// `nil` for a native sign-in.
    package var redirectURI: String?
    package var challenge: CodeChallenge
    package var scope: Scope
    package var nonce: Nonce?
    /// The thumbprint of the key that the code is bound to: 32 bytes.
    package var keyThumbprint: [UInt8]?
    /// The browser's cookie, if the sign-in comes from one.
    package var browser: KnownDeviceCookie?
    /// The enrolled device that the sign-in comes from.
    package var device: UniqueID?
    /// Whether that device's own key was proved. Only then is it linked, and only then can it be a factor.
    package var isDeviceProved = false
    /// Identifies the redemption if the proof may open only one session, however often the request is repeated: 16 bytes.
    /// `nil` creates a separate code each time.
    package var grantID: [UInt8]?
    package var merchant: MerchantID?
    package var resources: [String]
    /// The acceptable authentication context classes; empty for any.
    package var requiredACR: [String] = []
    package var entrance = Entrance.browser
    /// Properties from the app for the sign-in's entry in the audit log.
    package var properties: [String: String] = [:]
    /// The consent that a third-party client needs.
    package var consent = ClientConsentTerms.remembered
    /// The id of the only account that may sign in; `nil` for any. Compared as text, so that a malformed one admits no account.
    package var expectedAccount: String?
    package var origin: RequestOrigin

    /// The kinds of sign-in, which differ in what they can ask of a person.
    package enum Entrance: Sendable {
        case browser
        /// An app's own screens, with a proof of its key. They can ask for a second factor.
        case native
        /// A client's backend, which passes on a guest's proof. It can ask for nothing.
        case backend
    }
}
