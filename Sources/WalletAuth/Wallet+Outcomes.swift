public import Foundation
public import WalletAuthWire

extension Wallet {
    /// How ``Wallet/setUp()`` ended.
    public enum SetUpOutcome: Sendable, Hashable {
        /// A kept session goes on.
        case restored
        /// Somebody has just signed in.
        case signedIn
        /// The browser is open; its answer will come through ``Wallet/receivedOAuthCodeOrToken(_:)``.
        case awaitingCallback
    }

    /// How ``Wallet/logout()`` ended.
    public enum LogoutOutcome: Sendable, Hashable {
        /// The server has ended the session: it answered 200, which alone says so (RFC 7009 section 2.2).
        case revoked
        /// Nobody was signed in; ``Wallet/sendQueuedRevocations()`` tells whether the server knows of the sign-out before. Older
        /// kits call this an error of the number 403.
        case notSignedIn
        /// The server will be told by the next ``Wallet/setUp()``. On a full disk there was no room to remember it: then the session ends at the
        /// server by its own time.
        case queued
        /// The server refused to end the session, which goes on there by its own time; ``Wallet/revocationRefusal`` says why. A
        /// refusal without a reason is asked again by the next ``Wallet/setUp()``, three times in all.
        case refused
        /// The server has no place to ask for it: the session goes on there by its own time.
        case notOffered

        /// The number of older kits' tables: 403 where nobody was signed in.
        public var statusCode: Int? { self == .notSignedIn ? ErrorCode.notSignedIn.statusCode() : nil }
    }

    /// Whose session it is.
    public struct SignedInIdentity: Sendable, Hashable {
        /// The issuer's name for the person; nil when the server told neither in an ID token nor in the access token.
        public let subject: String?
        /// The merchant that the session acts for.
        public let merchantID: String?
        /// The server's name for the session (`sid`).
        public let sessionID: String?
        /// The scopes that were granted.
        public let scopes: [String]
        /// How the access token is presented: by itself, or with a proof by this device's key.
        public let tokenType: TokenType
        /// When the access token ends, by the server's clock.
        public let accessTokenExpiresAt: Date?
    }
}
