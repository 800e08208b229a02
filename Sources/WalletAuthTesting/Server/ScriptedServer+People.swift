public import Foundation
import WalletAuth
import WalletAuthWire

extension ScriptedServer {
    /// What stands between the right password and a session.
    public enum AccountState: Sendable, Hashable {
        /// Nothing.
        case ordinary
        /// Too many failures, or an operator.
        case deactivated
        /// Another password has to be chosen.
        case passwordChangeRequired
        /// The e-mail address has to be confirmed with this code.
        case emailUnverified(code: String)
        /// A second factor is asked for, whose right answer is this.
        case secondFactor(answer: String)
        /// One of these second factors is asked for from a device that is not enrolled, the first of them unless the person
        /// chooses another.
        case secondFactors([Factor])
        /// Works for these merchants: a native sign-in is for the one that it names, for the only one, or for the one that the
        /// person chooses.
        case employee(of: [Employer])
        /// Only a browser will do.
        case browserOnly
    }

    /// A merchant that somebody works for.
    public struct Employer: Sendable, Hashable {
        /// Its id.
        public var id: String
        /// Its name for people.
        public var name: String

        /// Creates a value. Each parameter sets the property of the same name.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The code that recovers every account; a deactivated one is closed by an operator here, and stays so.
    public static let recoveryCode = "12345678"

    /// A second factor of an account.
    public struct Factor: Sendable, Hashable {
        /// `otp`, `totp`, `secret_question`, `recovery_code`.
        public var method: String
        /// How a code is sent: `SMS`, `EMAIL`.
        public var channel: String?
        /// What is asked, where the method is a question.
        public var question: String?
        /// The right answer.
        public var answer: String

        /// Creates a value. Each parameter sets the property of the same name.
        public init(method: String, channel: String? = nil, question: String? = nil, answer: String) {
            self.method = method
            self.channel = channel
            self.question = question
            self.answer = answer
        }
    }

    /// Opens an account.
    /// - Parameters:
    ///   - username: the name to sign in with.
    ///   - password: the password.
    ///   - state: what stands in the way.
    ///   - subject: what tokens name; has to be a UUID in lower case where a device is to be enrolled, as this project's own
    ///     server has them. Nil makes one of the name.
    /// - Returns: the subject that tokens name.
    @discardableResult
    public func addPerson(
        _ username: String, password: String, state: AccountState = .ordinary, subject: String? = nil
    ) -> String {
        core.withLock { core in
            let subject = subject ?? "sub-\(username)"
            core.people[username] = ServerCore.Person(subject: subject, password: password, state: state)
            return subject
        }
    }

    /// Has a login nonce issued, as a backend would.
    /// - Parameters:
    ///   - username: whom it signs in, once.
    ///   - purpose: what for.
    /// - Returns: the nonce.
    public func issueLoginNonce(for username: String, purpose: String = "login") -> String {
        let nonce = "nonce-" + ServerCore.randomText()
        core.withLock { $0.loginNonces["\(purpose) \(nonce)"] = username }
        return nonce
    }

    /// Changes what stands between a person's password and a session.
    /// - Parameters:
    ///   - username: whose; nothing happens when there is no such account.
    ///   - state: what stands in the way from now on.
    public func setState(of username: String, _ state: AccountState) {
        core.withLock { $0.people[username]?.state = state }
    }

    /// A browser in which this person signs in at whatever page is shown, and comes back with a code.
    /// - Parameter username: who signs in.
    public func browser(of username: String) -> ScriptedUserAgent {
        ScriptedUserAgent { [self] url in .callback(try signIn(at: url, as: username)) }
    }

    /// Does what the person does on the server's page.
    /// - Parameters:
    ///   - authorizationURL: the page, as the SDK opened it.
    ///   - username: who signs in.
    /// - Returns: where the browser comes back to.
    /// - Throws: `UserAgentFailure` when the server shows an error page instead of going back to the app.
    public func signIn(at authorizationURL: URL, as username: String) throws -> URL {
        try core.withLock { core in
            try core.callback(to: authorizationURL, now: now) { core, request throws(OAuthError) in
                guard let person = core.people[username] else { throw OAuthError(.accessDenied, "nobody of that name") }
                return core.issueCode(
                    ServerCore.Code(
                        person: person.subject, challenge: request.codeChallenge, redirectURI: request.redirectURI,
                        scope: request.scope, nonce: request.nonce, thumbprint: request.dpopKeyThumbprint,
                        merchantID: request.merchantID, issuedAt: now))
            }
        }
    }

    /// Does what a person does who says no, or what a server does that refuses.
    /// - Parameters:
    ///   - authorizationURL: the page, as the SDK opened it.
    ///   - error: the error code.
    /// - Returns: where the browser comes back to.
    /// - Throws: `UserAgentFailure` when the server shows an error page instead of going back to the app.
    public func refuse(_ authorizationURL: URL, with error: String = "access_denied") throws -> URL {
        let code = (try? OAuthError.Code(error)) ?? .accessDenied
        return try core.withLock { core in
            try core.callback(to: authorizationURL, now: now) { _, _ throws(OAuthError) in throw OAuthError(code) }
        }
    }

    private var now: NumericDate { clock.serverTime }
}
