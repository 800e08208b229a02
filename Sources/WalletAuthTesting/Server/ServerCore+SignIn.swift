import Foundation
import WalletAuth
import WalletAuthWire

extension ServerCore {
    /// A native sign-in that needs another step.
    struct Challenge: Sendable {
        let username: String
        var request: AuthorizeChallengeRequest
        let thumbprint: JWKThumbprint?
        /// The index of the requested second factor.
        var factor = 0
        /// The step of a recovery; nil for any other sign-in.
        var recovery: Recovery?
        /// When its last code was sent.
        var sentAt: NumericDate?
        /// The enrolled device that proved itself.
        var device: DeviceID?

        /// Whether a step may name its merchant: the one of the previous step, or the chosen one.
        func allows(_ step: AuthorizeChallengeRequest) -> Bool {
            if case .proceed(_, .chooseMerchant) = step.step, request.merchantID == nil { return true }
            return request.merchantID == step.merchantID
        }

        /// A recovery's steps.
        enum Recovery: Sendable {
            case awaitsCode
            case mayChoosePassword
        }
    }

    /// The authorize-challenge endpoint: the password, and any further steps that the account's state requires.
    mutating func authorizeChallenge(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let form = try FormParameters(parsing: request.bytes)
        let parsed = try AuthorizeChallengeRequest(form: form)
        guard parsed.clientID.rawValue == clientID else { throw OAuthError(.invalidClient) }
        let thumbprint = try proof(of: request, now: now)
        switch parsed.step {
        case .begin(.pin), .begin(.deviceToken):
            throw OAuthError(
                .invalidRequest, "the scripted server does not support sign-in with a device's PIN or token",
                errorCode: .badRequest)
        case .begin(.passkey(let login)):
            guard let name = person(provedBy: login.assertion, for: parsed.codeChallenge), let person = people[name],
                login.username.map({ $0.rawValue == name }) ?? true
            else { throw OAuthError(.accessDenied, errorCode: .invalidCredentials) }
            var challenge = Challenge(username: name, request: parsed, thumbprint: thumbprint)
            challenge.device = device(
                of: person, provedBy: (login.deviceID, login.deviceProof), challenge, now: now)
            // A passkey is two factors.
            if case .secondFactors = person.state { return try finish(challenge, now: now) }
            return try obstacle(person.state, challenge, now: now) ?? finish(challenge, now: now)
        case .begin(.accountPIN(let login)):
            return try signIn(login, parsed, thumbprint: thumbprint, now: now)
        case .begin(.federatedIdentity(let login)):
            return try signIn(login, parsed, thumbprint: thumbprint, now: now)
        case .begin(.recovery(let login)):
            var challenge = Challenge(username: login.username.rawValue, request: parsed, thumbprint: thumbprint)
            challenge.recovery = .awaitsCode
            let session = try AuthSession("session-" + Self.randomText())
            challenges[session.reveal()] = challenge
            return recovering(session, now: now)
        case .begin(.nonce(let login)):
            let name = loginNonces.removeValue(forKey: "\(login.purpose) \(login.nonce.reveal())")
            guard let name, let person = people[name] else {
                throw OAuthError(.accessDenied, errorCode: .invalidCredentials)
            }
            let challenge = Challenge(username: name, request: parsed, thumbprint: thumbprint)
            return try signedIn(person, by: (login.deviceID, login.deviceProof), challenge, now: now)
        case .begin(.password(let login)):
            guard let person = people[login.username.rawValue], person.password == login.password.reveal() else {
                throw OAuthError(.accessDenied, errorCode: .invalidCredentials)
            }
            let challenge = Challenge(
                username: login.username.rawValue, request: parsed, thumbprint: thumbprint)
            return try signedIn(person, by: (login.deviceID, login.deviceProof), challenge, now: now)
        case .proceed(let session, let continuation):
            guard let challenge = challenges[session.reveal()], challenge.thumbprint == thumbprint,
                challenge.request.codeChallenge == parsed.codeChallenge, challenge.allows(parsed)
            else { throw OAuthError(.invalidSession, errorCode: .badRequest) }
            return try proceed(session, challenge, continuation, now: now)
        }
    }

    /// Compares the PIN of an account. It sets no password.
    private mutating func signIn(
        _ login: AccountPINLogin, _ request: AuthorizeChallengeRequest, thumbprint: JWKThumbprint?, now: NumericDate
    ) throws -> HTTPResponse {
        guard people.values.contains(where: { $0.accountPIN != nil }) else {
            throw OAuthError(.unauthorizedClient, errorCode: .loginStrategyUnavailable)
        }
        let name = login.username.rawValue
        guard let person = people[name], let pin = person.accountPIN, person.wrongPINs < 5 else {
            throw OAuthError(.accessDenied, errorCode: .invalidCredentials)
        }
        guard pin == login.pin.reveal() else {
            people[name]?.wrongPINs += 1
            throw OAuthError(.accessDenied, errorCode: .invalidCredentials)
        }
        people[name]?.wrongPINs = 0
        if person.state == .passwordChangeRequired {
            throw OAuthError(.accessDenied, errorCode: .passwordChangeRequired)
        }
        let challenge = Challenge(username: name, request: request, thumbprint: thumbprint)
        return try signedIn(person, by: (login.deviceID, login.deviceProof), challenge, now: now)
    }

    /// After the first factor: the step that the account's state requires. A linked device replaces a second factor.
    private mutating func signedIn(
        _ person: Person, by proof: (id: DeviceID?, proof: DeviceProof?), _ challenge: Challenge, now: NumericDate
    ) throws -> HTTPResponse {
        var challenge = challenge
        challenge.device = device(of: person, provedBy: proof, challenge, now: now)
        if case .secondFactors = person.state, challenge.device != nil { return try finish(challenge, now: now) }
        return try obstacle(person.state, challenge, now: now) ?? finish(challenge, now: now)
    }

    private mutating func proceed(
        _ session: AuthSession, _ challenge: Challenge, _ continuation: Continuation, now: NumericDate
    ) throws -> HTTPResponse {
        var challenge = challenge
        let state = people[challenge.username]?.state
        if challenge.recovery == .awaitsCode { return try recover(session, challenge, continuation, now: now) }
        switch (state, continuation) {
        case (_?, .newPassword(let password)) where challenge.recovery == .mayChoosePassword:
            people[challenge.username]?.password = password.reveal()
        case (.passwordChangeRequired?, .newPassword(let password)):
            people[challenge.username]?.password = password.reveal()
            people[challenge.username]?.state = .ordinary
        case (.emailUnverified(let code)?, .emailCode(let given)):
            guard given.reveal() == code else { throw again(session, .emailUnverified) }
            people[challenge.username]?.state = .ordinary
        case (.emailUnverified?, .resendEmail):
            throw again(session, .emailUnverified, sentCode: send(session, now: now))
        case (.secondFactor(let answer)?, .mfa(_, let given)):
            guard given.reveal() == answer else { return wrongFactor(session) }
        case (.secondFactors(let factors)?, .mfa(_, let given)):
            guard factors.indices.contains(challenge.factor), given.reveal() == factors[challenge.factor].answer else {
                return wrongFactor(session)
            }
        case (.secondFactors(let factors)?, .passkey(let assertion)):
            guard factors.contains(where: { $0.method == AccountFactorList.Factor.passkeyMethod }),
                person(provedBy: assertion, for: challenge.request.codeChallenge) == challenge.username
            else { return wrongFactor(session) }
        case (.secondFactors(let factors)?, .chooseFactor(let kind)):
            let chosen = factors.firstIndex { $0.method == kind.method && $0.channel == kind.channel }
            guard let chosen else { throw OAuthError(.invalidRequest, "no such factor", errorCode: .badRequest) }
            if chosen != challenge.factor { challenges[session.reveal()]?.sentAt = nil }
            challenges[session.reveal()]?.factor = chosen
            return asking(factors, chosen, session, now: now)
        case (.secondFactors(let factors)?, .resendFactor):
            return asking(factors, challenge.factor, session, now: now)
        case (.employee?, .chooseMerchant(let merchant)): challenge.request.merchantID = merchant
        default: throw OAuthError(.invalidRequest, "this does not match the current step", errorCode: .badRequest)
        }
        challenges[session.reveal()] = nil
        return try finish(challenge, now: now)
    }

    /// A recovery's answer, the same for every name.
    private mutating func recovering(_ session: AuthSession, now: NumericDate) -> HTTPResponse {
        let sending = send(session, now: now)
        let refusal = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .recoveryCodeRequired), authSession: session,
            recovery: RecoveryPrompt(
                digits: 8, resendAfter: sending.resendAfter, expiresIn: 600, sent: sending.isSent))
        return refusal.response()
    }

    /// Sends a code, unless one was sent less than thirty seconds ago.
    private mutating func send(_ session: AuthSession, now: NumericDate) -> CodeSending {
        if let last = challenges[session.reveal()]?.sentAt {
            let wait = last.secondsSince1970 + Self.interval - now.secondsSince1970
            if wait > 0 { return CodeSending(isSent: false, resendAfter: wait) }
        }
        challenges[session.reveal()]?.sentAt = now
        return CodeSending(isSent: true, resendAfter: Self.interval)
    }

    /// Seconds between two codes.
    private static let interval: Int64 = 30

    private mutating func recover(
        _ session: AuthSession, _ challenge: Challenge, _ continuation: Continuation, now: NumericDate
    ) throws -> HTTPResponse {
        switch continuation {
        case .resendRecovery: return recovering(session, now: now)
        case .recoveryAnswer(let code):
            guard let person = people[challenge.username], code.reveal() == ScriptedServer.recoveryCode else {
                return wrongFactor(session)
            }
            guard person.state != .deactivated else {
                throw OAuthError(.accessDenied, errorCode: .walletDeactivated)
            }
            challenges[session.reveal()]?.recovery = .mayChoosePassword
            throw again(session, .passwordChangeRequired)
        default: throw OAuthError(.invalidRequest, "this does not match the current step", errorCode: .badRequest)
        }
    }

    mutating func finish(_ challenge: Challenge, now: NumericDate) throws -> HTTPResponse {
        guard let person = people[challenge.username] else { throw OAuthError(.invalidSession) }
        let merchant: MerchantID?
        switch try merchantPlace(of: person, challenge) {
        case .found(let found): merchant = found
        case .several(let choice): return choice
        }
        let code = issueCode(
            Code(
                person: person.subject, challenge: challenge.request.codeChallenge, redirectURI: nil,
                scope: challenge.request.scope ?? .none, nonce: nil, thumbprint: challenge.thumbprint,
                merchantID: merchant, issuedAt: now, device: challenge.device))
        guard let code else { throw OAuthError(.serverError) }
        var attributes = JSONObject()
        attributes["push_enabled"] = .bool(false)
        return .json(AuthorizeChallengeResponse(authorizationCode: code, additionalAttributes: attributes).json)
    }

    /// The merchant of a sign-in, once everything else is verified.
    private enum MerchantPlace {
        case found(MerchantID?)
        /// The answer that asks the person to choose.
        case several(HTTPResponse)
    }

    private mutating func merchantPlace(of person: Person, _ challenge: Challenge) throws -> MerchantPlace {
        guard case .employee(let employers) = person.state else { return .found(challenge.request.merchantID) }
        if let named = challenge.request.merchantID {
            guard employers.contains(where: { $0.id == named.rawValue }) else {
                throw OAuthError(.accessDenied, errorCode: .notAnEmployee)
            }
            return .found(named)
        }
        let merchants = try employers.map { Merchant(id: try MerchantID($0.id), name: $0.name) }
        if merchants.count == 1 { return .found(merchants[0].id) }
        let text = "session-" + Self.randomText()
        challenges[text] = challenge
        let refusal = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .merchantRequired), authSession: try AuthSession(text),
            merchants: merchants)
        return .several(refusal.response())
    }

    /// The answer that the account's state requires instead of a code; nil if there is none.
    mutating func obstacle(
        _ state: ScriptedServer.AccountState, _ challenge: Challenge, now: NumericDate
    ) -> HTTPResponse? {
        let text = "session-" + Self.randomText()
        guard let session = try? AuthSession(text) else { return nil }
        let refusal: InsufficientAuthorization
        switch state {
        case .ordinary, .employee: return nil
        case .deactivated: refusal = InsufficientAuthorization(OAuthError(.accessDenied, errorCode: .walletDeactivated))
        case .browserOnly: refusal = InsufficientAuthorization(OAuthError(.redirectToWeb))
        case .passwordChangeRequired: refusal = insufficient(session, .passwordChangeRequired)
        case .emailUnverified:
            challenges[text] = challenge
            return insufficient(session, .emailUnverified, sentCode: send(session, now: now)).response()
        case .secondFactors(let factors):
            challenges[text] = challenge
            return asking(factors, challenge.factor, session, now: now)
        case .secondFactor:
            guard let token = try? MFAToken("mfa-" + Self.randomText()) else { return nil }
            refusal = InsufficientAuthorization(
                OAuthError(.insufficientAuthorization, errorCode: .mfaRequired), authSession: session,
                secondFactor: InsufficientAuthorization.SecondFactor(token: token, method: "otp", channel: "SMS"))
        }
        if refusal.authSession != nil { challenges[text] = challenge }
        return refusal.response()
    }

    /// Requests one of an account's second factors.
    private mutating func asking(
        _ factors: [ScriptedServer.Factor], _ asked: Int, _ session: AuthSession, now: NumericDate
    ) -> HTTPResponse {
        guard factors.indices.contains(asked), let token = try? MFAToken("mfa-" + Self.randomText()) else {
            return .json(OAuthError(.invalidSession, errorCode: .badRequest).json, status: 400)
        }
        let factor = factors[asked]
        let others = factors.indices.filter { $0 != asked }.map { factors[$0] }
        let sending = factor.channel == nil ? nil : send(session, now: now)
        var asking = InsufficientAuthorization.SecondFactor(
            token: token, method: factor.method, question: factor.question, channel: factor.channel,
            resendAfter: sending?.resendAfter,
            alternatives: others.map { .init(method: $0.method, channel: $0.channel) })
        asking.sent = sending?.isSent
        let refusal = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .mfaRequired), authSession: session,
            secondFactor: asking)
        return refusal.response()
    }

    private func wrongFactor(_ session: AuthSession) -> HTTPResponse {
        insufficient(session, .invalidCredentials).response(status: 401)
    }

    func insufficient(
        _ session: AuthSession, _ code: ErrorCode, sentCode: CodeSending? = nil
    ) -> InsufficientAuthorization {
        InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: code), authSession: session, sentCode: sentCode)
    }

    private func again(_ session: AuthSession, _ code: ErrorCode, sentCode: CodeSending? = nil) -> Refusal {
        Refusal(response: insufficient(session, code, sentCode: sentCode).response())
    }
}
