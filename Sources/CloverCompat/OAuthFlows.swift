internal import Foundation
internal import WalletAuth

/// A way to sign in: ``FullOAuth``, ``PartialOAuth`` or ``NoOAuth``. A type of the app's own is refused by
/// ``CloverPaymentSDK/setup(configuration:)``.
public protocol OAuthFlowType: Sendable {}

extension CloverPaymentSDK {
    /// A way to sign in.
    public typealias OAuthFlowType = CloverCompat.OAuthFlowType

    /// The SDK opens the browser for the sign-in, and renews the token.
    public struct FullOAuth: OAuthFlowType {
        /// Where the browser returns to: claimed https, a custom scheme of the app, or loopback, as registered for the client.
        /// Other http URLs are refused.
        public var redirectURI: String

        /// Creates the flow.
        /// - Parameter redirectURI: where the browser returns to.
        public init(redirectURI: String) { self.redirectURI = redirectURI }
    }

    /// The app obtains the code, and the SDK redeems it and renews the token.
    public struct PartialOAuth: OAuthFlowType {
        /// The code that the app received; nil to continue with the stored session. The same code passed again, by a callback or
        /// at the next start, continues too.
        public var codeResponse: OAuthCodeResponse?

        /// Creates the flow.
        /// - Parameter codeResponse: the code; nil to continue with the stored session.
        public init(codeResponse: OAuthCodeResponse?) { self.codeResponse = codeResponse }
    }

    /// The app obtains the token and renews it with ``CloverPaymentSDK/updateToken(_:)``. It is kept in memory only. A token that
    /// has expired or was signed out begins no second session: pass another one.
    public struct NoOAuth: OAuthFlowType {
        /// The token.
        public var token: String

        /// Creates the flow.
        /// - Parameter token: the token.
        public init(token: String) { self.token = token }
    }
}

/// See ``CloverPaymentSDK/FullOAuth``.
public typealias FullOAuth = CloverPaymentSDK.FullOAuth
/// See ``CloverPaymentSDK/PartialOAuth``.
public typealias PartialOAuth = CloverPaymentSDK.PartialOAuth
/// See ``CloverPaymentSDK/NoOAuth``.
public typealias NoOAuth = CloverPaymentSDK.NoOAuth

extension CloverPaymentSDK.NoOAuth: CustomStringConvertible, CustomReflectable {
    /// A redacted description, without the token.
    public var description: String { "NoOAuth(token: <redacted>)" }
    /// An empty mirror, without the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OAuthFlowType {
    /// The wallet's way to sign in.
    /// - Throws: ``CloverGenericError``.
    var walletSignIn: WalletAuth.Wallet.SignIn {
        get throws {
            switch self {
            case let flow as CloverPaymentSDK.FullOAuth:
                return .full(redirectURI: try URL(redirectURI: flow.redirectURI))
            case let flow as CloverPaymentSDK.PartialOAuth:
                return .partial(codeResponse: try flow.codeResponse?.walletResponse)
            case let flow as CloverPaymentSDK.NoOAuth: return .external(token: flow.token, expiresAt: nil)
            default: throw CloverGenericError("\(type(of: self)) is none of FullOAuth, PartialOAuth and NoOAuth.")
            }
        }
    }
}

extension URL {
    /// - Throws: ``CloverGenericError`` if the text is not a URL.
    init(redirectURI text: String) throws {
        guard let url = URL(string: text) else {
            throw CloverGenericError("The redirect URI \"\(text)\" is not a URL.")
        }
        self = url
    }
}
