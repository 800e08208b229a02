import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in by a provider's code or ID token, and accounts for people who come for the first time.
extension ServerCore {
    /// What a provider says by a code or a token.
    struct ProviderWord: Sendable, Hashable {
        let provider: String
        let subject: String
        let nonce: String?
    }

    /// A nonce for a provider's token, and the key that it was made for.
    struct ProviderNonce: Sendable {
        let nonce: Nonce
        let thumbprint: JWKThumbprint?
    }

    /// Somebody whom a provider knows and the server does not.
    struct Guest: Sendable {
        let identity: String
        let challenge: Challenge
    }

    /// A token of the provider's, which the server's own key signs.
    mutating func issueIDToken(_ word: ProviderWord, now: NumericDate) -> String {
        providers.insert(word.provider)
        var claims = IDTokenClaims(
            issuer: "https://\(word.provider).example.com", subject: word.subject, audience: [clientID],
            expiresAt: now.advanced(by: .seconds(600)), issuedAt: now)
        claims.nonce = word.nonce.flatMap { try? Nonce($0) }
        claims.authenticatedAt = now
        // Two tokens of one moment are two texts.
        claims.sessionID = Self.randomText()
        let encoder = try? CompactJWSEncoder(signer: signer, type: nil)
        let token = (try? encoder?.encode(claims.json.bytes, signer: signer)) ?? Self.randomText()
        idTokens[token] = word
        return token
    }

    /// A code of the provider's.
    mutating func issueProviderCode(_ word: ProviderWord) -> String {
        providers.insert(word.provider)
        let code = "provider-code-" + Self.randomText()
        providerCodes[code] = word
        return code
    }

    /// A nonce for a provider's token.
    mutating func providerNonce(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let nonce = try Nonce(Self.randomText())
        let id = try ChallengeID("challenge-" + Self.randomText())
        providerNonces[id] = ProviderNonce(nonce: nonce, thumbprint: thumbprint)
        return .json(ChallengeResponse(challengeID: id, nonce: nonce, expiresIn: 300).json)
    }

    /// Signs in whom the provider names, or answers a guest.
    mutating func signIn(
        _ login: FederatedLogin, _ request: AuthorizeChallengeRequest, thumbprint: JWKThumbprint?, now: NumericDate
    ) throws -> HTTPResponse {
        guard providers.contains(login.provider.rawValue) else {
            throw OAuthError(.invalidRequest, "There is no such provider.")
        }
        guard let (said, challenge) = provenWord(of: login), challenge.thumbprint == thumbprint,
            said.provider == login.provider.rawValue, said.nonce == challenge.nonce.rawValue
        else { throw OAuthError(.accessDenied, errorCode: .invalidCredentials) }
        let identity = "\(said.provider) \(said.subject)"
        let begun = Challenge(username: identities[identity] ?? "", request: request, thumbprint: thumbprint)
        guard let person = people[begun.username] else {
            let session = try AuthSession("guest-" + Self.randomText())
            guests[session.reveal()] = Guest(identity: identity, challenge: begun)
            throw Refusal(
                response: .json(
                    InsufficientAuthorization(
                        OAuthError(.insufficientAuthorization, errorCode: .noMatchingGuest), authSession: session
                    ).json, status: 403))
        }
        return try obstacle(person.state, begun, now: now) ?? finish(begun, now: now)
    }

    /// What the provider says by what the app brought, and the nonce that it was to be said for. Each of them is spent by this,
    /// whatever comes of it.
    private mutating func provenWord(of login: FederatedLogin) -> (ProviderWord, ProviderNonce)? {
        let word: ProviderWord?
        let id: ChallengeID
        switch login.credential {
        case .authorizationCode(let code, _, _, let challenge, let token):
            let said = providerCodes.removeValue(forKey: code.reveal())
            let isOfOnePerson = token.map { idTokens.removeValue(forKey: $0.reveal()) == said } ?? true
            (word, id) = (isOfOnePerson ? said : nil, challenge)
        case .idToken(let token, let challenge): (word, id) = (idTokens.removeValue(forKey: token.reveal()), challenge)
        case .password: return nil
        }
        let nonce = providerNonces.removeValue(forKey: id)
        return word.flatMap { word in nonce.map { (word, $0) } }
    }

    /// Creates an account for a guest, and signs in.
    mutating func createAccount(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let wanted = try AccountCreationRequest(JSONValue.object(parsing: Array(request.body ?? Data())))
        guard let guest = guests[wanted.session.reveal()], guest.challenge.thumbprint == thumbprint,
            guest.challenge.request.codeChallenge == wanted.codeChallenge
        else { throw OAuthError(.invalidSession, errorCode: .badRequest) }
        let name = wanted.username.rawValue
        guard people[name] == nil else {
            throw Refusal(
                response: .json(
                    InsufficientAuthorization(
                        OAuthError(.insufficientAuthorization, errorCode: .usernameTaken),
                        authSession: wanted.session
                    ).json, status: 409))
        }
        guests[wanted.session.reveal()] = nil
        people[name] = Person(subject: "sub-\(name)", password: Self.randomText(), state: .ordinary)
        identities[guest.identity] = name
        return try finish(
            Challenge(username: name, request: guest.challenge.request, thumbprint: thumbprint), now: now)
    }
}
