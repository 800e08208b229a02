public import Foundation
public import WalletAuth
public import WalletAuthWire

extension ScriptedServer {
    /// A request that the server has seen.
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
        /// The status that was answered.
        public let status: Int
    }

    /// A session that the server has opened.
    public struct OpenSession: Sendable, Hashable {
        /// Whose it is.
        public let subject: String
        /// How often it was renewed.
        public let generation: Int
        /// The thumbprint of the key that it is bound to.
        public let keyThumbprint: String?
        /// Why it has ended; nil while it goes on.
        public let endedBecause: EndReason?
    }

    /// Why a session ended.
    public enum EndReason: Sendable, Hashable {
        /// The app revoked it.
        case revoked
        /// A spent refresh token or code was used again.
        case reuse
        /// An operator, a password change: the test said so.
        case administrator
    }

    /// Every request that reached the server, in order; also those whose answer was lost.
    public var requests: [SeenRequest] {
        core.withLock { $0.requests }
    }

    /// How many requests with this grant type reached the token endpoint.
    /// - Parameter grant: the `grant_type`, for instance `refresh_token`.
    public func count(grant: String) -> Int {
        requests.count { $0.path == Endpoints.token.path && $0.form["grant_type"] == grant }
    }

    /// Every session there was, in the order in which they were opened.
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
    /// - Parameters:
    ///   - username: whose; nothing happens when there is no such account.
    ///   - reason: what ``sessions`` says about it.
    public func endSessions(of username: String, because reason: EndReason = .administrator) {
        core.withLock { core in
            guard let subject = core.people[username]?.subject else { return }
            for (id, session) in core.sessions where session.person == subject && session.endedBecause == nil {
                core.sessions[id]?.endedBecause = reason
            }
        }
    }

    /// Has every nonce that was given out refused from now on, as happens every few minutes.
    public func renewNonces() {
        core.withLock { $0.nonceNumber += 1 }
    }

    /// Creates an access token outside any session, as an app's backend would get it, for `signIn: .external`.
    /// - Parameters:
    ///   - username: whose.
    ///   - lifetime: how long it lives.
    ///   - merchantID: for which merchant.
    /// - Returns: the token, a JWT of bearer type.
    /// - Throws: `MalformedValue` when the merchant's id is malformed or there is no such account.
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
