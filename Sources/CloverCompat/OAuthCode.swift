internal import Foundation
internal import WalletAuth
internal import WalletAuthWire

extension CloverPaymentSDK {
    /// A verifier and its challenge (RFC 7636, S256), for a sign-in that the app performs itself.
    public struct OAuthCodeChallenge: Sendable, Hashable {
        fileprivate let pair: WalletAuth.OAuthCodeChallenge

        /// Creates a pair from the system's random number generator.
        public init() { pair = WalletAuth.OAuthCodeChallenge() }

        /// The secret half. It stays in the app until the code is redeemed.
        public var verifier: String { pair.verifier.reveal() }
        /// The `code_challenge` of the authorization request; its `code_challenge_method` is `S256`.
        public var challenge: String { pair.challenge.rawValue }
    }

    /// A code that the app received itself, with the challenge of its request.
    public struct OAuthCodeResponse: Sendable, Hashable {
        /// The code.
        public let code: String
        /// The pair whose challenge was in the authorization request.
        public let challenge: OAuthCodeChallenge
        /// The redirect URI of the authorization request. Nil suffices for this project's server.
        public let redirectURI: String?
        /// The nonce of the authorization request; nil if it had none.
        public let nonce: String?

        /// Creates a response.
        /// - Parameters:
        ///   - code: the code from the callback.
        ///   - challenge: the pair whose challenge was in the authorization request.
        ///   - redirectURI: the redirect URI of that request; nil suffices for this project's server.
        ///   - nonce: the nonce of that request; nil if it had none.
        public init(
            code: String, challenge: OAuthCodeChallenge, redirectURI: String? = nil, nonce: String? = nil
        ) {
            self.code = code
            self.challenge = challenge
            self.redirectURI = redirectURI
            self.nonce = nonce
        }
    }
}

/// See ``CloverPaymentSDK/OAuthCodeChallenge``.
public typealias OAuthCodeChallenge = CloverPaymentSDK.OAuthCodeChallenge
/// See ``CloverPaymentSDK/OAuthCodeResponse``.
public typealias OAuthCodeResponse = CloverPaymentSDK.OAuthCodeResponse

extension CloverPaymentSDK.OAuthCodeResponse: CustomStringConvertible, CustomReflectable {
    /// A redacted description, without the code.
    public var description: String { "OAuthCodeResponse(<redacted>)" }
    /// An empty mirror, without the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CloverPaymentSDK.OAuthCodeResponse {
    /// The wallet's code response.
    /// - Throws: ``CloverGenericError`` if the redirect URI is not a URL.
    var walletResponse: WalletAuth.OAuthCodeResponse {
        get throws {
            WalletAuth.OAuthCodeResponse(
                code: code, challenge: challenge.pair,
                redirectURI: try redirectURI.map { try URL(redirectURI: $0) }, nonce: nonce)
        }
    }
}
