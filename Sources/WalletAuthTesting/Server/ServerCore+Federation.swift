import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in by a provider's ID token, and accounts for people who come for the first time.
extension ServerCore {
    /// What a provider said.
    struct ProviderToken: Sendable {
        let provider: String
        let subject: String
        let nonce: String
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

    /// A nonce for a provider's token.
    mutating func providerNonce(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let thumbprint = try proof(of: request, now: now)
        let nonce = try Nonce(Self.randomText())
        let id = try ChallengeID("challenge-" + Self.randomText())
        providerNonces[id] = ProviderNonce(nonce: nonce, thumbprint: thumbprint)
        return .json(ChallengeResponse(challengeID: id, nonce: nonce, expiresIn: 300).json)
    }

    /// The name of whoever the token says, or the answer to a guest.
    mutating func signIn(
        _ login: FederatedLogin, _ request: AuthorizeChallengeRequest, thumbprint: JWKThumbprint?, now: NumericDate
    ) throws -> HTTPResponse {
        guard providers.contains(login.provider.rawValue) else {
            throw OAuthError(.invalidRequest, "There is no such provider.")
        }
        guard case .idToken(let token, let id) = login.credential,
            let challenge = providerNonces.removeValue(forKey: id), challenge.thumbprint == thumbprint,
            let said = idTokens.removeValue(forKey: token.reveal()), said.provider == login.provider.rawValue,
            said.nonce == challenge.nonce.rawValue
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
        return try obstacle(person.state, begun) ?? finish(begun, now: now)
    }

    /// Makes an account for a guest, and signs in.
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
