import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sign-in with an identity provider, and the creation of an account for a new guest.
extension NativeLogin {
    private static let federated = WalletError.Operation.loginByFederatedIdentity

    /// Requests a nonce for the provider's ID token.
    func federatedNonce() async throws -> FederatedNonce {
        guard let key = try await binding.keyForSignIn(at: try await discovery.metadata()) else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: Self.federated, reason: "the server does not support DPoP"
            )
        }
        let url = try enroller.issuer.url(of: Endpoints.challenges.path, during: Self.federated)
        let answer = try await exchange.send(
            HTTPRequest(url, .json(ChallengeRequest(purpose: .federatedIdentity).json)), proof: key,
            policy: .untilSent)
        let challenge = try answer.message(ChallengeResponse.self, during: Self.federated)
        return FederatedNonce(value: challenge.nonce.rawValue, challengeID: challenge.challengeID.rawValue)
    }

    /// Signs in with an identity provider.
    /// - Parameter appleUser: Apple's identifier for the person, which the session remembers.
    func begin(
        _ identity: FederatedIdentity, strength: Wallet.LoginStrength, extras: LoginExtras,
        during operation: WalletError.Operation = Self.federated, appleUser: String? = nil
    ) async throws -> LoginOutcome {
        let login = try WalletError.argument(
            operation, .invalidCredentials, reason: { "no provider issues this: \($0)" }
        ) { try FederatedLogin(identity) }
        let attempt = try await attempt(operation, strength: strength, extras: extras, appleUser: appleUser)
        return try await send(attempt) { _ in .begin(.federatedIdentity(login)) }
    }

    /// Creates an account for a guest and continues the sign-in.
    func createAccount(_ account: NewAccount, for guest: LoginContinuation) async throws -> LoginOutcome {
        let request = try WalletError.argument(guest.attempt.operation) {
            AccountCreationRequest(
                clientID: clientID, codeChallenge: guest.attempt.challenge.challenge, session: guest.session,
                username: try Username(account.username), email: try account.email.map { try EmailAddress($0) },
                locale: try account.locale.map { try LocaleTag($0) }, acceptedTerms: account.acceptedTerms)
        }
        let url = try enroller.issuer.url(of: Endpoints.accounts.path, during: guest.attempt.operation)
        let answer = try await exchange.send(
            HTTPRequest(url, .json(request.json)), proof: guest.attempt.key, policy: .untilSent)
        return try await outcome(of: answer, guest.attempt)
    }
}

extension FederatedLogin {
    fileprivate init(_ identity: FederatedIdentity) throws(MalformedValue) {
        let credential: Credential
        switch identity.credential {
        case .authorizationCode(let code, let redirectURI, let verifier, let token, let nonce):
            credential = .authorizationCode(
                try AuthorizationCode(code), redirectURI: redirectURI,
                verifier: try verifier.map { text throws(MalformedValue) in try CodeVerifier(text) },
                challenge: try ChallengeID(nonce.challengeID),
                idToken: try token.map { text throws(MalformedValue) in try IDToken(text) })
        case .idToken(let token, let nonce):
            credential = .idToken(try IDToken(token), challenge: try ChallengeID(nonce.challengeID))
        case .password(let username, let password):
            credential = .password(username: username, try Password(password))
        }
        self.init(provider: try ProviderID(identity.provider), credential: credential)
    }
}

extension AppleCredential {
    /// Apple's identifier for the person, from the identity token. A session exists only after the server has verified
    /// that token, so the app is not asked for the identifier.
    var user: String? { UnverifiedClaims(identityToken)?.claims.subject }
}
