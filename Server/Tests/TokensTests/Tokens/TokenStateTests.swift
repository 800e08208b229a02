import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite(
    "What becomes of tokens after they were issued",
    .covers("POST /oauth2/revoke, /oauth2/introspect", "GET|POST /oauth2/userinfo"))
struct TokenStateTests {
    private func introspect(_ token: String, by client: TestClient) async throws -> Result<
        IntrospectionResponse, OAuthRefusal
    > {
        let request = TokenStateRequest(client: client.authentication, token: try PresentedToken(token))
        return try await client.server.flows.tokens.introspection.introspect(request)
    }

    private func isActive(_ token: String, by client: TestClient) async throws -> Bool {
        guard case .success(.active) = try await introspect(token, by: client) else { return false }
        return true
    }

    private func userInfo(
        _ token: PresentedAccessToken, on server: TestServer, proof: String? = nil
    ) async throws -> Result<UserInfo, OAuthRefusal> {
        try await server.flows.tokens.userInfo.claims(
            token, proof: PresentedProof(header: proof, method: "GET", path: Endpoints.userInfo.path))
    }

    @Test("A resource server sees a token while its session lives, and nothing of it afterwards")
    func introspection() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let resource = try await server.confidentialClient("api") { $0.introspection = true }
        let tokens = try await client.signIn(account)
        let found = try await introspect(
            tokens.accessToken.reveal(), by: resource)
        guard case .success(.active(let claims, let type, let username)) = found else {
            Issue.record("the token is not active: \(String(describing: found))")
            return
        }
        #expect(claims.subject == account.rawValue)
        #expect(type == .bearer)
        #expect(username == nil, "the resource server is not the operator's own")
        try await client.revoke(tokens.accessToken.reveal())
        #expect(try await !isActive(tokens.accessToken.reveal(), by: resource))
    }

    @Test("An expired, forged or foreign token is inactive, and says nothing more")
    func inactive() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let resource = try await server.confidentialClient("api") { $0.introspection = true }
        let stranger = try await server.confidentialClient("stranger")
        let tokens = try await client.signIn(account)
        let token = tokens.accessToken.reveal()
        #expect(try await !isActive(token, by: stranger))
        #expect(try await !isActive(try #require(tokens.refreshToken).reveal(), by: resource))
        #expect(try await !isActive(String(token.dropLast(4)) + "AAAA", by: resource))
        #expect(try await !isActive("garbage", by: resource))
        #expect(try await isActive(token, by: resource))
        server.clock.advance(by: .seconds(301))
        #expect(try await !isActive(token, by: resource))
    }

    @Test("attack: a public client, which proves nothing, gets no answer about stolen tokens")
    func introspectionByPublicClient() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let tokens = try await client.signIn(try await server.account())
        let outcome = try await introspect(tokens.accessToken.reveal(), by: client)
        guard case .failure(.invalidClient(.publicClient)) = outcome else {
            Issue.record("a public client was answered: \(String(describing: outcome))")
            return
        }
    }

    @Test(
        "Userinfo returns what the scope allows, and no more", .conformance("oidcc-scope-profile", "oidcc-scope-email"))
    func userInfoClaims() async throws {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let client = try await server.bearerClient()
        let wide = try await client.signIn(account, scope: "openid profile email")
        let found = try await userInfo(.bearer(wide.accessToken), on: server)
        guard case .success(let info) = found else {
            Issue.record("no claims: \(String(describing: found))")
            return
        }
        #expect(info.subject == account.rawValue)
        #expect(info.claims["preferred_username"]?.string == "ada")
        #expect(info.claims["email"]?.string == "ada@example.com")
        #expect(info.claims["email_verified"]?.bool == true)
        let narrow = try await client.signIn(account, scope: "openid")
        let outcome = try await userInfo(.bearer(narrow.accessToken), on: server)
        guard case .success(let little) = outcome else {
            Issue.record("no claims: \(String(describing: outcome))")
            return
        }
        #expect(little.claims.names == ["sub"])
        let none = try await client.signIn(account, scope: "wallet")
        let answer = try await userInfo(.bearer(none.accessToken), on: server)
        guard case .failure(.insufficientScope) = answer else {
            Issue.record("told without openid: \(String(describing: answer))")
            return
        }
    }

    @Test(
        "Userinfo tells what the account says about its person, each claim by its scope and none that it has not",
        .conformance("oidcc-scope-address", "oidcc-scope-phone", "oidcc-scope-all"))
    func personalClaims() async throws {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
            $0.phone = "+35921234567"
            $0.profile = ProfileChange(
                name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", locale: "en-gb",
                address: "12 St James’s Square\nLondon", phoneVerified: true)
        }
        let client = try await server.bearerClient { $0.scopes += ["phone", "address"] }
        func claims(_ scope: String, of account: AccountID) async throws -> JSONObject {
            let token = try await client.signIn(account, scope: scope).accessToken
            guard case .success(let info) = try await userInfo(.bearer(token), on: server) else { return JSONObject() }
            return info.claims
        }
        let all = try await claims("openid profile email phone address", of: account)
        #expect(all["email"]?.string == "ada@example.com")
        #expect(all["name"]?.string == "Ada Lovelace")
        #expect(all["given_name"]?.string == "Ada")
        #expect(all["family_name"]?.string == "Lovelace")
        #expect(all["locale"]?.string == "en-GB")
        #expect(all["phone_number"]?.string == "+35921234567")
        #expect(all["phone_number_verified"]?.bool == true)
        #expect(all["address"]?.object?["formatted"]?.string == "12 St James’s Square\nLondon")
        #expect(try await claims("openid", of: account).names == ["sub"])
        #expect(
            Set(try await claims("openid profile", of: account).names)
                == ["sub", "name", "given_name", "family_name", "preferred_username", "locale"])
        #expect(
            Set(try await claims("openid phone", of: account).names) == [
                "sub", "phone_number", "phone_number_verified",
            ])
        #expect(Set(try await claims("openid address", of: account).names) == ["sub", "address"])
        let bare = try await server.account("bare")
        let little = try await claims("openid profile phone address", of: bare)
        #expect(Set(little.names) == ["sub", "preferred_username"])
        let typed = try await claims("openid profile", of: server.account("Grace.Hopper"))
        #expect(typed["preferred_username"]?.string == "Grace.Hopper")
    }

    @Test("The metadata names every claim that userinfo tells, and the scopes that they come by")
    func claimsSupported() async throws {
        let server = try await TestServer.start()
        let metadata = server.flows.discovery.metadata()
        #expect(
            Set(metadata.claims).isSuperset(of: [
                "sub", "name", "given_name", "family_name", "preferred_username", "locale", "email", "email_verified",
                "phone_number", "phone_number_verified", "address",
            ]))
        #expect(Set(metadata.scopes).isSuperset(of: ["openid", "profile", "email", "phone", "address"]))
    }

    @Test("attack: a stolen key-bound token is worth nothing as bearer, without a proof, or with another key's")
    func boundToken() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let key = TestKey()
        let token = try await client.signIn(try await server.account(), proof: key).accessToken
        let url = server.context.settings.issuer.url(path: Endpoints.userInfo.path)
        func proof(by key: TestKey, for token: AccessToken?) throws -> String {
            try key.proof(
                method: "GET", url: url, server: server, nonce: server.context.proofs.currentNonce(), accessToken: token
            )
        }
        guard case .failure(.unusableToken(.unproved)) = try await userInfo(.bearer(token), on: server),
            case .failure(.invalidDPoPProof) = try await userInfo(.dpop(token), on: server),
            case .failure(.unusableToken(.otherKey)) = try await userInfo(
                .dpop(token), on: server, proof: proof(by: TestKey(), for: token)),
            case .failure(.invalidDPoPProof) = try await userInfo(
                .dpop(token), on: server, proof: proof(by: key, for: nil))
        else {
            Issue.record("a stolen token was taken")
            return
        }
        let good = try proof(by: key, for: token)
        let result = try await userInfo(.dpop(token), on: server, proof: good)
        guard case .success = result else {
            Issue.record("the holder was refused: \(String(describing: result))")
            return
        }
        let outcome = try await userInfo(.dpop(token), on: server, proof: good)
        guard case .failure(.invalidDPoPProof) = outcome else {
            Issue.record("a proof was taken twice: \(String(describing: outcome))")
            return
        }
    }

    @Test("An expired token is said to have expired, and since when; attack: a forged one learns nothing")
    func expired() async throws {
        let server = try await TestServer.start()
        let token = try await server.bearerClient().signIn(try await server.account()).accessToken
        let claims = try AccessTokenClaims(JSONValue.object(parsing: CompactJWS(token.reveal()).unverifiedPayload))
        let parts = token.reveal().split(separator: ".")
        let forged = try AccessToken("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))")
        server.clock.advance(by: .seconds(claims.expiresAt.secondsSince1970 - claims.issuedAt.secondsSince1970 + 42))
        for _ in 0..<2 {
            guard case .failure(let refusal) = try await userInfo(.bearer(token), on: server),
                case .unusableToken(.expired(let ago)) = refusal
            else {
                Issue.record("the token is not said to have expired")
                return
            }
            #expect((42...44).contains(ago))
            #expect(refusal.code == "invalid_token")
            #expect(refusal.reason == "The access token expired \(ago) seconds ago.")
        }
        guard case .failure(.invalidToken) = try await userInfo(.bearer(forged), on: server) else {
            Issue.record("a forged token learns why it is refused")
            return
        }
    }

    @Test("attack: an ID token is not an access token", .threat("Stolen access and refresh tokens"))
    func tokenConfusion() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient { $0.idTokenAlgorithm = "ES256" }
        let tokens = try await client.signIn(try await server.account())
        let disguised = try AccessToken(try #require(tokens.idToken).reveal())
        let found = try await userInfo(.bearer(disguised), on: server)
        guard case .failure(.invalidToken) = found else {
            Issue.record("an ID token was taken for an access token: \(String(describing: found))")
            return
        }
    }

    @Test("A client's own token names itself, its resource and its scope, and no person's scope")
    func clientCredentials() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient { $0.resources = ["https://api.example.com"] }
        let tokens = try await client.token(.clientCredentials, resources: ["https://api.example.com"]).tokens()
        let claims = try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(tokens.accessToken.reveal()).unverifiedPayload))
        #expect(claims.subject == "backend")
        #expect(claims.audience == ["https://api.example.com"])
        #expect(try claims.scope == Scope("wallet wallet_operations"))
        #expect(claims.sessionID == nil)
        #expect(tokens.refreshToken == nil)
        #expect(
            try await client.token(.clientCredentials, resources: ["https://evil.example"]).refusal == .invalidTarget)
        #expect(try await client.token(.clientCredentials, scope: Scope("openid")).refusal == .invalidScope(["openid"]))
        #expect(try await client.token(.clientCredentials, scope: Scope("admin")).refusal == .invalidScope(["admin"]))
    }

    @Test("A client that only signs people in learns why it gets no token of its own; for its own resource it gets one")
    func signInOnly() async throws {
        let server = try await TestServer.start()
        let site = try await server.confidentialClient("site") { $0.scopes = ["openid", "profile"] }
        let refusal = try #require(try await site.token(.clientCredentials).refusal)
        #expect(refusal == .noOwnScope && refusal.code == "unauthorized_client")
        #expect(refusal.reason.contains("client update --add-scope"))
        let service = try await server.confidentialClient("service") {
            $0.scopes = ["openid"]
            $0.resources = ["https://api.example.com"]
        }
        let token = try await service.token(.clientCredentials).tokens().accessToken
        let claims = try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(token.reveal()).unverifiedPayload))
        #expect(claims.audience == ["https://api.example.com"])
    }

    @Test("A token that this server signed is refused with the reason: a client's own, a revoked key, an ended session")
    func reasons() async throws {
        let server = try await TestServer.start()
        let machine = try await server.confidentialClient().token(.clientCredentials).tokens().accessToken
        let ofClient = try await userInfo(.bearer(machine), on: server)
        guard case .failure(.unusableToken(.ofClient)) = ofClient else {
            Issue.record("\(ofClient)")
            return
        }
        let client = try await server.bearerClient()
        let ended = try await client.signIn(try await server.account("grace")).accessToken
        try await server.administer(["account", "deactivate", "grace"])
        let afterEnd = try await userInfo(.bearer(ended), on: server)
        guard case .failure(.unusableToken(.ended)) = afterEnd else {
            Issue.record("\(afterEnd)")
            return
        }
        let signed = try await client.signIn(try await server.account()).accessToken
        guard case .success = try await userInfo(.bearer(signed), on: server) else {
            Issue.record("the token does not work")
            return
        }
        try await server.administer(["keys", "revoke", "--", try server.context.keyRing.signer(.es256).id])
        let withdrawn = try await userInfo(.bearer(signed), on: server)
        guard case .failure(.unusableToken(.keyWithdrawn)) = withdrawn else {
            Issue.record("\(withdrawn)")
            return
        }
    }

    @Test("A deleted client's tokens are dead for introspection and userinfo, with a session and without")
    func deletedClient() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let backend = try await server.confidentialClient()
        let resource = try await server.confidentialClient("api") { $0.introspection = true }
        let person = try await client.signIn(try await server.account()).accessToken
        let machine = try await backend.token(.clientCredentials).tokens().accessToken
        #expect(try await isActive(person.reveal(), by: resource))
        #expect(try await isActive(machine.reveal(), by: resource))
        try await server.administer(["client", "delete", client.id.rawValue])
        try await server.administer(["client", "delete", backend.id.rawValue])
        #expect(try await !isActive(person.reveal(), by: resource))
        #expect(try await !isActive(machine.reveal(), by: resource))
        let outcome = try await userInfo(.bearer(person), on: server)
        guard case .failure(.unusableToken(.ended)) = outcome else {
            Issue.record("userinfo was given to a deleted client: \(String(describing: outcome))")
            return
        }
    }

    @Test("A token with openid is meant for the server too; attack: one for another audience opens no userinfo")
    func userInfoAudience() async throws {
        let server = try await TestServer.start()
        let issuer = server.context.settings.issuer.rawValue
        let client = try await server.bearerClient { $0.resources = ["https://api.example.com"] }
        let account = try await server.account()
        let token = try await client.signIn(account, scope: "openid wallet").accessToken
        var claims = try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(token.reveal()).unverifiedPayload))
        #expect(claims.audience == ["https://api.example.com", issuer])
        let found = try await userInfo(.bearer(token), on: server)
        guard case .success = found else {
            Issue.record("no claims: \(String(describing: found))")
            return
        }
        claims.audience = ["https://api.example.com"]
        let foreign = try server.context.keyRing.signer(.es256).accessToken(claims)
        let outcome = try await userInfo(.bearer(foreign), on: server)
        guard case .failure(.unusableToken(.otherAudience)) = outcome else {
            Issue.record("a token for another audience was taken: \(String(describing: outcome))")
            return
        }
        let plain = try await client.signIn(account, scope: "wallet").accessToken
        let audience = try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(plain.reveal()).unverifiedPayload)
        ).audience
        #expect(audience == ["https://api.example.com"])
    }
}
