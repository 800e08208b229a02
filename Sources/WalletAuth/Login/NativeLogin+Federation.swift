import Foundation
import WalletAuthWire

/// Signing in by another provider's word, and the account of somebody who comes for the first time.
extension NativeLogin {
    private static let federated = WalletError.Operation.loginByFederatedIdentity

    /// A nonce of the server's for the provider's ID token.
    func federatedNonce() async throws -> FederatedNonce {
        guard let key = try await key() else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: Self.federated, reason: "the server offers no DPoP")
        }
        let answer = try await server.send(
            ServerConnection.Call(
                url: try url(Endpoints.challenges), body: .json(ChallengeRequest(purpose: .federatedIdentity).json),
                proof: key, policy: .untilSent))
        guard answer.isSuccess else { throw answer.problem(during: Self.federated) }
        let challenge = try ChallengeResponse(try answer.object())
        return FederatedNonce(value: challenge.nonce.rawValue, challengeID: challenge.challengeID.rawValue)
    }

    func begin(_ identity: FederatedIdentity, extras: LoginExtras) async throws -> LoginOutcome {
        let login: FederatedLogin
        do { login = try FederatedLogin(identity) } catch {
            throw WalletError(
                .invalidCredentials, .refused, during: Self.federated,
                statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "no provider gives this: \(error)")
        }
        let attempt = Attempt(
            operation: Self.federated, challenge: OAuthCodeChallenge(), scopes: configuration.scopes, extras: extras,
            key: try await key())
        return try await send(attempt) { _ in .begin(.federatedIdentity(login)) }
    }

    /// Makes an account for a guest, and goes on with the sign-in.
    func createAccount(_ account: NewAccount, for guest: LoginContinuation) async throws -> LoginOutcome {
        let request: AccountCreationRequest
        do {
            request = AccountCreationRequest(
                clientID: clientID, codeChallenge: guest.attempt.challenge.challenge, session: guest.session,
                username: try Username(account.username), email: account.email,
                locale: try account.locale.map { try LocaleTag($0) }, acceptedTerms: account.acceptedTerms)
        } catch {
            throw WalletError(.badRequest, .refused, during: guest.attempt.operation, reason: "\(error)")
        }
        let answer = try await server.send(
            ServerConnection.Call(
                url: try url(Endpoints.accounts), body: .json(request.json), proof: guest.attempt.key,
                policy: .untilSent))
        return try await outcome(of: answer, guest.attempt)
    }

    private func url(_ endpoint: Endpoint) throws -> URL {
        guard let url = URL(string: enroller.issuer.url(path: endpoint.path)) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: Self.federated, reason: "the issuer is no URL")
        }
        return url
    }
}

extension FederatedLogin {
    fileprivate init(_ identity: FederatedIdentity) throws(MalformedValue) {
        let credential: Credential
        switch identity.credential {
        case .authorizationCode(let code, let redirectURI, let verifier, let nonce):
            credential = .authorizationCode(
                try AuthorizationCode(code), redirectURI: redirectURI,
                verifier: try verifier.map { text throws(MalformedValue) in try CodeVerifier(text) },
                challenge: try ChallengeID(nonce.challengeID))
        case .idToken(let token, let nonce):
            credential = .idToken(try IDToken(token), challenge: try ChallengeID(nonce.challengeID))
        case .password(let username, let password):
            credential = .password(username: username, try Password(password))
        }
        self.init(provider: try ProviderID(identity.provider), credential: credential)
    }
}
