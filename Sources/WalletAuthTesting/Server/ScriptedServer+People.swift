public import Foundation
import WalletAuth
import WalletAuthTransport
public import WalletAuthWire

extension ScriptedServer {
    /// The obstacles between the right password and a session.
    public enum AccountState: Sendable, Hashable {
        /// No obstacle.
        case ordinary
        /// Deactivated after too many wrong attempts or by an operator.
        case deactivated
        /// The person must choose another password.
        case passwordChangeRequired
        /// The person must confirm the e-mail address with this code.
        case emailUnverified(code: String)
        /// The person must pass a second factor with this answer.
        case secondFactor(answer: String)
        /// The person must pass one of these second factors, unless the device is enrolled: the first one, or another
        /// of their choice.
        case secondFactors([Factor])
        /// The person works for these merchants. A native sign-in is for the merchant that it names, for the only one,
        /// or for the one that the person chooses.
        case employee(of: [Employer])
        /// The person must sign in with a browser.
        case browserOnly
    }

    /// A merchant that a person works for.
    public struct Employer: Sendable, Hashable {
        /// Its id.
        public var id: String
        /// Its display name.
        public var name: String

        /// Creates an employer. Each parameter sets the property of the same name.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The code that recovers any account, except a deactivated one: the operator has closed it.
    public static let recoveryCode = "12345678"

    /// The code that proves a newcomer's address.
    public static let registrationCode = "87654321"

    /// Lets newcomers make accounts with ``registrationCode``, or no longer.
    /// - Parameters:
    ///   - isOn: whether they may.
    ///   - byPasskey: whether a passkey may take the place of a password.
    public func setRegistration(_ isOn: Bool, byPasskey: Bool = false) {
        core.withLock { core in
            core.takesNewcomers = isOn
            core.registersByPasskey = byPasskey
        }
    }

    /// A second factor of an account.
    public struct Factor: Sendable, Hashable {
        /// The method: `otp`, `totp`, `secret_question`, `recovery_code`, or `passkey`, whose answer is not compared.
        public var method: String
        /// How a code is sent: `SMS` or `EMAIL`.
        public var channel: String?
        /// The question, if the method is a secret question.
        public var question: String?
        /// The right answer.
        public var answer: String

        /// Creates a factor. Each parameter sets the property of the same name.
        public init(method: String, channel: String? = nil, question: String? = nil, answer: String) {
            self.method = method
            self.channel = channel
            self.question = question
            self.answer = answer
        }
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - username: the name to sign in with.
    ///   - password: the password.
    ///   - state: the obstacle after the right password.
    ///   - subject: the subject in tokens. To enroll a device it must be a lowercase UUID, as at the real server. Nil
    ///     derives one from the name.
    /// - Returns: the subject in tokens.
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

    /// Issues a login nonce, as a backend would.
    ///
    /// - Parameters:
    ///   - username: the account that it signs in, once.
    ///   - purpose: the purpose of the nonce.
    /// - Returns: the nonce.
    public func issueLoginNonce(for username: String, purpose: String = "login") -> String {
        let nonce = "nonce-" + ServerCore.randomText()
        core.withLock { $0.loginNonces["\(purpose) \(nonce)"] = username }
        return nonce
    }

    /// Gives an account a PIN, in place of any earlier one. The server takes account PINs as soon as one account has one.
    ///
    /// - Parameters:
    ///   - username: the account's username; nothing happens if there is no such account.
    ///   - pin: the PIN; nil removes it. Five wrong ones in a row lock it.
    public func setAccountPIN(of username: String, _ pin: String?) {
        core.withLock { core in
            core.people[username]?.accountPIN = pin
            core.people[username]?.wrongPINs = 0
        }
    }

    /// Sets what the userinfo endpoint knows about a person. It returns the claims that the token's scope covers; the
    /// default ``Settings/scopes`` have no `email`, `phone` and `address`.
    ///
    /// - Parameters:
    ///   - username: the account's username; nothing happens if there is no such account.
    ///   - claims: the claims by name, in place of the former ones. `sub` is always the account's.
    public func setClaims(of username: String, _ claims: [String: JSONValue]) {
        core.withLock { core in
            core.people[username]?.claims = JSONObject()
            for (name, value) in claims.sorted(by: { $0.key < $1.key }) {
                core.people[username]?.claims[name] = value
            }
        }
    }

    /// Sets the obstacle between a person's password and a session.
    ///
    /// - Parameters:
    ///   - username: the account's username; nothing happens if there is no such account.
    ///   - state: the obstacle from now on.
    public func setState(of username: String, _ state: AccountState) {
        core.withLock { $0.people[username]?.state = state }
    }

    /// A browser in which this person signs in on every page and returns with a code.
    ///
    /// - Parameter username: the account's username.
    public func browser(of username: String) -> ScriptedUserAgent {
        ScriptedUserAgent { [self] url in .callback(try signIn(at: url, as: username)) }
    }

    /// Signs in on the server's page, as the person would.
    ///
    /// - Parameters:
    ///   - authorizationURL: the page, as the SDK opened it.
    ///   - username: the account's username.
    /// - Returns: the URL that the browser returns to.
    /// - Throws: `UserAgentFailure` if the server shows an error page instead of returning to the app.
    public func signIn(at authorizationURL: URL, as username: String) throws -> URL {
        try core.withLock { core in
            try core.callback(to: authorizationURL, now: now) { core, request throws(OAuthError) in
                guard let person = core.people[username] else {
                    throw OAuthError(.accessDenied, "no account has this username")
                }
                guard let challenge = request.codeChallenge else {
                    throw OAuthError(.invalidRequest, "code_challenge is missing")
                }
                return core.issueCode(
                    ServerCore.Code(
                        person: person.subject, challenge: challenge, redirectURI: request.redirectURI,
                        scope: request.scope, nonce: request.nonce, thumbprint: request.dpopKeyThumbprint,
                        merchantID: request.merchantID, issuedAt: now))
            }
        }
    }

    /// Declines on the server's page, as the person would, or simulates a refusal by the server.
    ///
    /// - Parameters:
    ///   - authorizationURL: the page, as the SDK opened it.
    ///   - error: the error code.
    /// - Returns: the URL that the browser returns to.
    /// - Throws: `UserAgentFailure` if the server shows an error page instead of returning to the app.
    public func refuse(_ authorizationURL: URL, with error: String = "access_denied") throws -> URL {
        let code = (try? OAuthError.Code(error)) ?? .accessDenied
        return try core.withLock { core in
            try core.callback(to: authorizationURL, now: now) { _, _ throws(OAuthError) in throw OAuthError(code) }
        }
    }

    private var now: NumericDate { clock.serverTime }
}
