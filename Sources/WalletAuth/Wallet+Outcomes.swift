public import Foundation
public import WalletAuthWire

extension Wallet {
    /// The result of ``Wallet/setUp()``.
    public enum SetUpOutcome: Sendable, Hashable {
        /// A stored session continues.
        case restored
        /// The person has just signed in.
        case signedIn
        /// The browser is open; its callback will arrive through ``Wallet/receivedOAuthCodeOrToken(_:)``.
        case awaitingCallback
    }

    /// How ``Wallet/logout()`` ended.
    public enum LogoutOutcome: Sendable, Hashable {
        /// The server has ended the session: it answered 200, which alone says so (RFC 7009 §2.2).
        case revoked
        /// No one was signed in. ``Wallet/sendQueuedRevocations()`` says whether the server knows of the previous
        /// sign-out. Older kits call this an error with the number 403.
        case notSignedIn
        /// The next ``Wallet/setUp()`` tells the server: of this session, or of one that a step-up replaced. A full disk
        /// may have no room to remember it; the session then stays active at the server until it expires.
        case queued
        /// The server refused to end the session, which stays active there until it expires;
        /// ``Wallet/revocationRefusal`` says why. After a refusal without a reason, a ``Wallet/setUp()`` at least a
        /// minute later asks again, three times in all.
        case refused
        /// The server has no revocation endpoint: the session stays active there until it expires.
        case notOffered

        /// The number in older kits' tables: 403 if no one was signed in.
        public var statusCode: Int? { self == .notSignedIn ? ErrorCode.notSignedIn.statusCode() : nil }
    }

    /// The owner of a session.
    public struct SignedInIdentity: Sendable, Hashable {
        /// The issuer's identifier for the person; nil if the server named none in an ID token or in the access token.
        public let subject: String?
        /// The merchant that the session acts for.
        public let merchantID: String?
        /// The server's identifier for the session (`sid`).
        public let sessionID: String?
        /// The scopes that were granted.
        public let scopes: [String]
        /// How the access token is presented: alone, or with a proof by this device's key.
        public let tokenType: TokenType
        /// When the access token expires, in server time.
        public let accessTokenExpiresAt: Date?
        /// The authentication context class that the sign-in reached (`acr`); nil if the server did not say. It is the
        /// server's word over TLS: a backend relies on the access token instead.
        public let acr: String?
        /// When the person signed in, in server time (`auth_time`); nil if the server did not say.
        public let authenticatedAt: Date?

        /// Whether both are of one session, which may have been renewed.
        package func isOfSession(of other: Self) -> Bool {
            subject == other.subject && sessionID == other.sessionID
        }
    }
}
