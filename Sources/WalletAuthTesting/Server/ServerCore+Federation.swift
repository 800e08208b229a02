import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in with a provider's code or ID token, and new accounts for unknown people.
extension ServerCore {
    /// A provider's statement in a code or a token.
    struct ProviderWord: Sendable, Hashable {
        let provider: String
        let subject: String
        let nonce: String?
    }

    /// A nonce for a provider's token, and the key that it was issued for.
    struct ProviderNonce: Sendable {
        let nonce: Nonce
        let thumbprint: JWKThumbprint?
    }

    /// A person whom a provider knows and the server does not.
    struct Guest: Sendable {
        let identity: String
        let challenge: Challenge
    }

    /// Issues a provider's token, signed with the server's own key.
    mutating func issueIDToken(_ word: ProviderWord, now: NumericDate) -> String {
        providers.insert(word.provider)
        var claims = IDTokenClaims(
            issuer: "https://\(word.provider).example.com", subject: word.subject, audience: [clientID],
            expiresAt: now.advanced(by: .seconds(600)), issuedAt: now)
        claims.nonce = word.nonce.flatMap { try? Nonce($0) }
        claims.authenticatedAt = now
        // Make tokens of the same moment differ.
        claims.sessionID = Self.randomText()
        let encoder = try? CompactJWSEncoder(signer: signer, type: nil)
        let token = (try? encoder?.encode(claims.json.bytes, signer: signer)) ?? Self.randomText()
        idTokens[token] = word
        return token
    }

    /// Issues a provider's code.
    mutating func issueProviderCode(_ word: ProviderWord) -> String {
        providers.insert(word.provider)
        let code = "provider-code-" + Self.randomText()
        providerCodes[code] = word
        return code
    }

    /// Issues a nonce for a provider's token.
    mutating func providerNonce(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let nonce = try Nonce(Self.randomText())
        let id = try ChallengeID("challenge-" + Self.randomText())
        providerNonces[id] = ProviderNonce(nonce: nonce, thumbprint: thumbprint)
        return .json(ChallengeResponse(challengeID: id, nonce: nonce, expiresIn: 300).json)
    }

    /// Signs in the person whom the provider names, or answers a guest.
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
            throw Refusal(response: insufficient(session, .noMatchingGuest).response(status: 403))
        }
        return try obstacle(person.state, begun, now: now) ?? finish(begun, now: now)
    }

    /// The provider's statement and its nonce. Verification consumes both, whatever the result.
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
        let wanted = try AccountCreationRequest(request.json)
        guard let guest = guests[wanted.session.reveal()], guest.challenge.thumbprint == thumbprint,
            guest.challenge.request.codeChallenge == wanted.codeChallenge
        else { throw OAuthError(.invalidSession, errorCode: .badRequest) }
        let name = wanted.username.rawValue
        guard people[name] == nil else {
            throw Refusal(response: insufficient(wanted.session, .usernameTaken).response(status: 409))
        }
        guests[wanted.session.reveal()] = nil
        people[name] = Person(subject: "sub-\(name)", password: Self.randomText(), state: .ordinary)
        identities[guest.identity] = name
        return try finish(
            Challenge(username: name, request: guest.challenge.request, thumbprint: thumbprint), now: now)
    }
}
