import WalletAuth
import WalletAuthWire

/// Accounts that newcomers make.
extension ServerCore {
    /// A newcomer on the way to an account.
    struct Registration: Sendable {
        let challenge: CodeChallenge
        let scope: Scope?
        let thumbprint: JWKThumbprint?
        let address: String
        var isProved = false
        /// The user name and credential of the account, once it is made.
        var made: (username: String, credential: RegistrationFinish.Credential)?
    }

    /// Sends a code, which is always the same.
    mutating func register(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let wanted = try RegistrationRequest(request.json)
        guard !wanted.wantsPasskey || (takesNewcomers && registersByPasskey) else {
            return Self.problem(400, "passkey_not_taken")
        }
        guard takesNewcomers else { return Self.problem(403, ErrorCode.registrationOff.rawValue) }
        let session = try AuthSession("registration-" + Self.randomText())
        registrations[session.reveal()] = Registration(
            challenge: wanted.codeChallenge, scope: wanted.scope, thumbprint: thumbprint,
            address: wanted.email?.rawValue ?? wanted.phone ?? "")
        return .json(
            RegistrationPrompt(session: session, digits: 8, sent: true, resendAfter: 30, expiresIn: 600).json)
    }

    /// Compares the code.
    mutating func confirmRegistration(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let answer = try RegistrationConfirmation(request.json)
        guard let begun = registrations[answer.session.reveal()], begun.thumbprint == thumbprint,
            begun.challenge == answer.codeChallenge
        else { return Self.problem(400, "invalid_session") }
        guard answer.code.reveal() == ScriptedServer.registrationCode else {
            return Self.problem(400, "invalid_code")
        }
        registrations[answer.session.reveal()]?.isProved = true
        return .json(
            ConfirmedRegistration(
                session: answer.session, termsURL: nil, takesPasskey: registersByPasskey, expiresIn: 900
            ).json)
    }

    /// The options of a passkey in place of a password.
    mutating func registrationPasskey(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let wanted = try RegistrationPasskeyRequest(request.json)
        let (session, name) = (wanted.session.reveal(), wanted.username.rawValue)
        guard let begun = registrations[session], begun.isProved, begun.thumbprint == thumbprint,
            begun.challenge == wanted.codeChallenge
        else { return Self.problem(400, "invalid_session") }
        guard registersByPasskey else { return Self.problem(400, "passkey_not_taken") }
        guard people[name] == nil else { return Self.problem(409, ErrorCode.usernameTaken.rawValue) }
        return .json(try creation(named: name, for: .registration(session: session)).json)
    }

    /// Makes the account and signs in. Repeated with the same name and password or passkey, it signs in again.
    mutating func finishRegistration(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let wanted = try RegistrationFinish(request.json)
        guard let begun = registrations[wanted.session.reveal()], begun.isProved, begun.thumbprint == thumbprint,
            begun.challenge == wanted.codeChallenge
        else { throw OAuthError(.invalidSession, errorCode: .badRequest) }
        let name = wanted.username.rawValue
        if let made = begun.made {
            guard made == (name, wanted.credential) else {
                throw OAuthError(.accessDenied, errorCode: .addressTaken)
            }
        } else {
            guard people[name] == nil else {
                throw Refusal(response: insufficient(wanted.session, .usernameTaken).response(status: 409))
            }
            var password: String?
            switch wanted.credential {
            case .password(let chosen): password = chosen.reveal()
            case .passkey(let response):
                let use = PasskeyUse.registration(session: wanted.session.reveal())
                guard keep(response, for: use, of: name, name: "Passkey", now: now) != nil else {
                    throw OAuthError(.invalidRequest, "the passkey is not valid", errorCode: .badRequest)
                }
            }
            people[name] = Person(subject: "sub-\(name)", password: password, state: .ordinary)
            registrations[wanted.session.reveal()]?.made = (name, wanted.credential)
        }
        let step = AuthorizeChallengeRequest(
            clientID: wanted.clientID, codeChallenge: wanted.codeChallenge,
            step: .proceed(wanted.session, .resendEmail), scope: begun.scope)
        return try finish(Challenge(username: name, request: step, thumbprint: thumbprint), now: now)
    }

    static func problem(_ status: Int, _ code: String) -> HTTPResponse {
        .json(Problem(status: status, code: code, title: "Refused").json, status: status)
    }
}
