package import Core
import Crypto
import Synchronization
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn

/// An OpenID provider in a test's hands: what it publishes, what its token endpoint answers, and what it was asked.
package final class TestProvider: Sendable {
    package let issuer: String
    package let clientID = "wallet-server"

    private struct State {
        var keys: [P256Signer] = []
        var metadata: [String: JSONValue] = [:]
        var tokenAnswer: ProviderHTTP.Answer?
        var repository: (@Sendable (JSONObject) -> JSONObject)?
        var isDown = false
        var requests: [ProviderHTTP.Request] = []
    }

    private let state: Mutex<State>

    package init(issuer: String = "https://id.example.com") {
        self.issuer = issuer
        var state = State()
        state.keys = [P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")]
        self.state = Mutex(state)
    }

    /// What answers in its place.
    package var http: ProviderHTTP { ProviderHTTP { try self.answer($0) } }

    /// What answers in the place of several.
    package static func http(_ providers: TestProvider...) -> ProviderHTTP {
        ProviderHTTP { request in
            guard let asked = providers.first(where: { request.url.hasPrefix($0.issuer) }) else { throw Down() }
            return try asked.answer(request)
        }
    }

    // MARK: What a test says

    /// The keys that it publishes, and signs with the last of.
    package var keys: [P256Signer] {
        get { state.withLock { $0.keys } }
        set { state.withLock { $0.keys = newValue } }
    }

    /// Members of the discovery document that are not as they should be.
    package func publish(_ name: String, _ value: JSONValue) { state.withLock { $0.metadata[name] = value } }

    /// Whether there is no answer.
    package func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// What the token endpoint answers.
    package func answerCode(_ status: Int, _ body: String) {
        state.withLock { $0.tokenAnswer = ProviderHTTP.Answer(status: status, body: Array(body.utf8)) }
    }

    /// What the repository answers to a question.
    package func answerPassword(_ answer: @escaping @Sendable (JSONObject) -> JSONObject) {
        state.withLock { $0.repository = answer }
    }

    /// What it was asked.
    package var requests: [ProviderHTTP.Request] { state.withLock { $0.requests } }

    /// Forgets what it was asked up to now.
    package func forgetRequests() { state.withLock { $0.requests = [] } }

    /// How often a path was asked for.
    package func asked(_ path: String) -> Int { requests.count { $0.url == issuer + path } }

    /// What an ID token says where nothing is wrong with it.
    package func claims(_ subject: String = "sub-1", nonce: String?, now: Timestamp) -> JSONObject {
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims.set("sub", subject)
        claims.set("aud", clientID)
        claims.set("exp", now.seconds + 300)
        claims.set("iat", now.seconds)
        claims.set("nonce", nonce)
        return claims
    }

    /// An ID token.
    package func token(_ claims: JSONObject, type: JWSType = .jwt, key: P256Signer? = nil) throws -> String {
        let signer = try key ?? last(keys)
        return try CompactJWSEncoder(signer: signer, type: type).encode(claims.bytes, signer: signer)
    }

    private func last(_ keys: [P256Signer]) throws -> P256Signer {
        guard let key = keys.last else { throw Down() }
        return key
    }

    // MARK: What it answers

    private struct Down: Error {}

    private func answer(_ request: ProviderHTTP.Request) throws -> ProviderHTTP.Answer {
        let state = state.withLock { state in
            state.requests.append(request)
            return state
        }
        if state.isDown { throw Down() }
        func json(_ object: JSONObject) -> ProviderHTTP.Answer { .init(status: 200, body: object.bytes) }
        switch request.url {
        case issuer + "/.well-known/openid-configuration":
            var document = JSONObject(strings: [
                "issuer": issuer, "jwks_uri": issuer + "/keys", "token_endpoint": issuer + "/token",
            ])
            for (name, value) in state.metadata { document[name] = value }
            return json(document)
        case issuer + "/keys": return json(JWKSet(state.keys.compactMap(\.publicJWK)).json)
        case issuer + "/token":
            guard let answer = state.tokenAnswer else { throw Down() }
            return answer
        case issuer + "/verify":
            guard let repository = state.repository else { throw Down() }
            return json(repository(try JSONValue.object(parsing: request.body)))
        default: return ProviderHTTP.Answer(status: 404, body: [])
        }
    }
}

extension TestServer {
    /// Adds a provider under the name `example`.
    package func add(
        _ provider: TestProvider, as id: String = "example", trustsEmail: Bool = false,
        emailIsSecondFactor: Bool = false,
        brand: String? = nil, label: String? = nil, redirectsToOtherHosts: Bool = false
    ) async throws {
        var registration = OpenIDRegistration(id: id, issuer: provider.issuer, clientID: provider.clientID)
        registration.clientSecret = "a secret: with marks/"
        registration.trustsEmail = trustsEmail
        registration.emailIsSecondFactor = emailIsSecondFactor
        registration.brand = brand
        registration.isOnSignInPage = label != nil
        registration.label = label
        registration.redirectsToOtherHosts = redirectsToOtherHosts
        try await administer { try await ProviderAdministration($0).add(registration) }
        // It was looked at when it was added.
        provider.forgetRequests()
    }
}

extension TestApp {
    /// A nonce of the server's, bound to the app's key.
    package func federatedNonce() async throws -> ChallengeResponse {
        try await client.server.challenge(ChallengeRequest(purpose: .federatedIdentity), to: key)
    }

    /// Signs in by an ID token.
    package func signIn(idToken: String, _ challenge: ChallengeID, provider: String = "example") async throws
        -> NativeSignInOutcome
    {
        try await step(
            .begin(
                .federatedIdentity(
                    FederatedLogin(
                        provider: try ProviderID(provider),
                        credential: .idToken(try IDToken(idToken), challenge: challenge)))))
    }

    /// Signs in as a person at a provider, by a token that is valid except for what a test changes.
    package func signIn(
        at provider: TestProvider, as subject: String = "sub-1", named id: String = "example",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> NativeSignInOutcome {
        let nonce = try await federatedNonce()
        var claims = provider.claims(subject, nonce: nonce.nonce.rawValue, now: client.server.clock.now())
        change(&claims)
        return try await signIn(idToken: provider.token(claims), nonce.challengeID, provider: id)
    }

    /// Makes an account for a guest.
    package func createAccount(
        _ guest: AuthSession, username: String = "ada", client other: TestClient? = nil,
        _ change: (inout AccountCreationRequest) throws -> Void = { _ in }
    ) async throws -> NativeSignInOutcome {
        let server = client.server
        var request = AccountCreationRequest(
            clientID: (other ?? client).id, codeChallenge: CodeChallenge(verifier: TestClient.verifier), session: guest,
            username: try Username(username))
        try change(&request)
        let path = Endpoints.accounts.path
        let header = try key.proof(
            method: "POST", url: server.context.settings.issuer.url(path: path), server: server,
            nonce: server.context.proofs.currentNonce())
        return try await server.flows.signIn.native.createAccount(
            request, proof: PresentedProof(header: header, method: "POST", path: path),
            origin: RequestOrigin(address: address))
    }
}

extension NativeSignInOutcome {
    /// What carries a guest on, of an outcome that has to be that.
    package func guest() throws -> AuthSession {
        guard case .refused(.noMatchingGuest(let session)) = self else {
            throw Unexpected(what: errorCode ?? "no guest")
        }
        return session
    }
}
