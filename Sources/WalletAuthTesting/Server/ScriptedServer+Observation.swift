public import Foundation
public import WalletAuth
import WalletAuthTransport
public import WalletAuthWire

extension ScriptedServer {
    /// A request that reached the server.
    public struct SeenRequest: Sendable {
        /// The method.
        public let method: String
        /// The URL's path.
        public let path: String
        /// The header fields.
        public let headers: HTTPFields
        /// The body; empty if there is none.
        public let body: Data
        /// The parameters of a form body; empty for any other body.
        public let form: [String: String]
        /// The status of the response.
        public let status: Int
    }

    /// A session at the server.
    public struct OpenSession: Sendable, Hashable {
        /// The account's subject.
        public let subject: String
        /// The number of renewals.
        public let generation: Int
        /// The thumbprint of the key that it is bound to.
        public let keyThumbprint: String?
        /// The reason the session has ended; nil while it is active.
        public let endedBecause: EndReason?
    }

    /// The reason a session ended.
    public enum EndReason: Sendable, Hashable {
        /// The app revoked it.
        case revoked
        /// A used refresh token or code was sent again.
        case reuse
        /// The app removed the device that it was on.
        case deviceRemoved
        /// An administrative act, such as a password change, simulated by the test.
        case administrator
    }

    /// Every request that reached the server, in order, including those whose answer was lost.
    public var requests: [SeenRequest] {
        core.withLock { $0.requests }
    }

    /// The number of requests with this grant type at the token endpoint.
    ///
    /// - Parameter grant: the `grant_type`, such as `refresh_token`.
    public func count(grant: String) -> Int {
        requests.count { $0.path == Endpoints.token.path && $0.form["grant_type"] == grant }
    }

    /// Every session, in order of creation.
    public var sessions: [OpenSession] {
        core.withLock { core in
            core.sessions.values.sorted { $0.number < $1.number }.map { session in
                OpenSession(
                    subject: session.person, generation: session.generation,
                    keyThumbprint: session.thumbprint?.rawValue, endedBecause: session.endedBecause)
            }
        }
    }

    /// Ends a person's sessions, as an operator or a password change does.
    ///
    /// - Parameters:
    ///   - username: the account's username; nothing happens if there is no such account.
    ///   - reason: the reason that ``sessions`` reports.
    public func endSessions(of username: String, because reason: EndReason = .administrator) {
        core.withLock { core in
            guard let subject = core.people[username]?.subject else { return }
            for (id, session) in core.sessions where session.person == subject && session.endedBecause == nil {
                core.sessions[id]?.endedBecause = reason
            }
        }
    }

    /// Invalidates every nonce issued so far, as happens every few minutes.
    public func renewNonces() {
        core.withLock { $0.nonceNumber += 1 }
    }

    /// Creates an access token outside any session, as an app's backend would get it, for `signIn: .external`.
    ///
    /// - Parameters:
    ///   - username: the account's username.
    ///   - lifetime: the token's lifetime.
    ///   - merchantID: the merchant's id.
    /// - Returns: the token, a JWT of bearer type.
    /// - Throws: `MalformedValue` if the merchant's id is malformed or there is no such account.
    public func accessToken(
        for username: String, lifetime: Duration = .seconds(300), merchantID: String? = nil
    ) throws -> AccessToken {
        try core.withLock { core in
            try core.backendToken(
                for: username, lifetime: lifetime, merchantID: merchantID.map { try MerchantID($0) },
                now: clock.serverTime)
        }
    }
}
