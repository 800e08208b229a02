import Core
import Crypto
import Synchronization
package import WalletAuthWire

@testable package import Kernel
@testable package import Operations
@testable package import SignIn
@testable package import Tokens

/// A registered client as its program sees it: it knows its id, its secret and its server.
package struct TestClient: Sendable {
    package let server: TestServer
    package let id: ClientID
    package let secret: ClientSecret?
    private let kept = KeptToken()

    package init(server: TestServer, id: ClientID, secret: ClientSecret?) {
        self.server = server
        self.id = id
        self.secret = secret
    }

    /// The same client at another process.
    package func at(_ server: TestServer) -> TestClient { TestClient(server: server, id: id, secret: secret) }

    /// How it presents itself.
    package var authentication: ClientAuthentication { secret.map { .basic(id, $0) } ?? .none(id) }

    /// Asks for tokens.
    package func token(
        _ grant: TokenRequest.Grant, as presented: ClientAuthentication? = nil, proof: TestKey? = nil,
        scope: Scope? = nil, resources: [String] = []
    ) async throws -> TokenOutcome {
        let request = TokenRequest(
            client: presented ?? authentication, grant: grant, scope: scope, resources: resources)
        return try await server.flows.tokens.grants.token(
            request, proof: try proof.map { try $0.present(to: server) } ?? .none, origin: TestServer.origin)
    }

    /// A token of the client's own. The requests of a minute share one: a race of theirs is about something else.
    package func ownToken() async throws -> AccessToken {
        let now = server.clock.now()
        if let token = kept.token(at: now) { return token }
        let token = try await self.token(.clientCredentials).tokens().accessToken
        kept.keep(token, since: now)
        return token
    }

    /// Renews.
    package func refresh(
        _ token: RefreshToken, attempt: RefreshAttempt? = nil, proof: TestKey? = nil
    ) async throws -> TokenOutcome {
        try await self.token(.refreshToken(token, attempt: attempt), proof: proof)
    }

    /// Tokens of a new session of an account, by a code that the sign-in gate could have issued.
    package func signIn(
        _ account: AccountID, scope: String = "openid wallet", proof: TestKey? = nil, merchant: MerchantID? = nil,
        methods: [String] = ["pwd"]
    ) async throws -> TokenResponse {
        let code = try await self.code(
            for: account, scope: scope, boundTo: proof, merchant: merchant, methods: methods)
        return try await token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: proof
        ).tokens()
    }

    /// A code for an account, bound to ``verifier``.
    package func code(
        for account: AccountID, scope: String = "openid wallet", boundTo key: TestKey? = nil,
        merchant: MerchantID? = nil, methods: [String] = ["pwd"]
    ) async throws -> AuthorizationCode {
        var grant = try grant(for: account, scope: scope, boundTo: key, merchant: merchant, methods: methods)
        grant.consent = try await allow(scope, by: account)
        grant.securityVersion = try await server.record(of: account)?.securityVersion ?? 1
        return try server.sealedCode(for: grant)
    }

    /// What such a code grants.
    package func grant(
        for account: AccountID, scope: String = "openid wallet", boundTo key: TestKey? = nil,
        merchant: MerchantID? = nil, methods: [String] = ["pwd"]
    ) throws -> AuthorizationGrant {
        let now = server.clock.now()
        return AuthorizationGrant(
            id: server.context.random.bytes(16), client: id, redirectURI: nil,
            challenge: CodeChallenge(verifier: TestClient.verifier), account: account, securityVersion: 1,
            scope: try Scope(scope), nonce: nil, authTime: now, acr: AuthenticationStrength.acr(of: methods),
            amr: methods,
            keyThumbprint: key?.thumbprint.bytes, merchant: merchant, resources: [], issuedAt: now)
    }

    /// The verifier of every code that these tests make.
    package static let verifier: CodeVerifier = {
        guard let verifier = try? CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") else {
            preconditionFailure("the verifier of RFC 7636 appendix B is well formed")
        }
        return verifier
    }()
}

/// The token that the copies of a client share.
private final class KeptToken: Sendable {
    private let kept = Mutex<(token: AccessToken, since: Timestamp)?>(nil)

    func token(at now: Timestamp) -> AccessToken? {
        kept.withLock { kept in
            guard let kept, kept.since <= now, now < kept.since + .minutes(1) else { return nil }
            return kept.token
        }
    }

    func keep(_ token: AccessToken, since now: Timestamp) { kept.withLock { $0 = (token, now) } }
}

extension TestServer {
    /// A code with any contents, sealed as the server does. No sign-in passed the gate for it.
    package func sealedCode(for grant: AuthorizationGrant) throws -> AuthorizationCode {
        let sealed = try context.sealing.seal(
            grant.bytes, for: .code, context: context.sealing.untilRestored("authorization-code"))
        return try AuthorizationCode("wac_" + Base64URL.encode(sealed))
    }

    /// Registers a public first-party client, which has to use DPoP.
    package func publicClient(
        _ id: String = "app", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        var registration = ClientRegistration(name: "App", kind: .public)
        registration.id = id
        registration.redirectURIs = ["https://app.example.com/callback"]
        registration.scopes = ["openid", "profile", "email", "offline_access", "wallet"]
        registration.firstParty = true
        adjust(&registration)
        return try await client(registration)
    }

    /// Registers a public first-party client that may do without DPoP.
    package func bearerClient(
        _ id: String = "app", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        try await publicClient(id) {
            $0.requiresDPoP = false
            adjust(&$0)
        }
    }

    /// Registers a confidential client.
    package func confidentialClient(
        _ id: String = "backend", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        var registration = ClientRegistration(name: "Backend", kind: .confidential)
        registration.id = id
        registration.scopes = ["openid", "wallet", "wallet_operations"]
        adjust(&registration)
        return try await client(registration)
    }

    private func client(_ registration: ClientRegistration) async throws -> TestClient {
        let answer = try await administer { try await ClientAdministration($0).create(registration) }
        return TestClient(
            server: self, id: try ClientID(try answer.string("clientId") ?? ""),
            secret: try answer.string("clientSecret").map { try ClientSecret($0) })
    }

    /// Makes an account with a password.
    package func account(
        _ username: String = "ada", password: String? = "correct horse battery",
        _ adjust: (inout AccountRegistration) -> Void = { _ in }
    ) async throws -> AccountID {
        var registration = AccountRegistration(username: username, password: password)
        adjust(&registration)
        let answer = try await administer { try await AccountAdministration($0).create(registration) }
        return try AccountID(try answer.string("accountId") ?? "")
    }
}

extension TokenOutcome {
    /// The tokens of an outcome that has to be one.
    package func tokens() throws -> TokenResponse { try get() }

    /// Why it was refused; `nil` where it was not.
    package var refusal: OAuthRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
