public import Foundation

/// An authorization code that the app obtained itself, with everything needed to redeem it.
public struct OAuthCodeResponse: Sendable, Hashable {
    /// The authorization code.
    public let code: String
    /// The PKCE pair of the authorization request.
    public let challenge: OAuthCodeChallenge
    /// The redirect URI of the authorization request; nil to leave it out of the token request.
    public let redirectURI: URL?
    /// The nonce of the authorization request, if it had one. The ID token must repeat it.
    public let nonce: String?

    /// Creates a code response.
    /// - Parameters:
    ///   - code: the authorization code from the callback.
    ///   - challenge: the pair whose challenge was in the authorization request.
    ///   - redirectURI: the redirect URI of the authorization request, exactly. This project's server does not need it, since
    ///     the verifier proves the same; servers that follow RFC 6749 do.
    ///   - nonce: the nonce of the authorization request, if it had one.
    public init(code: String, challenge: OAuthCodeChallenge, redirectURI: URL? = nil, nonce: String? = nil) {
        self.code = code
        self.challenge = challenge
        self.redirectURI = redirectURI
        self.nonce = nonce
    }
}

extension OAuthCodeResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description, without the code.
    public var description: String { "OAuthCodeResponse(<redacted>)" }
    /// A redacted description, without the code.
    public var debugDescription: String { description }
    /// An empty mirror, without the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
