import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Apps that an attester vouches for", .threat("A script or another app in place of the app"))
struct AttestedClientTests {
    private static let method = "attest_jwt_client_auth_dpop"

    /// An app whose operator's backend attests its instances.
    private struct AttestedApp {
        let server: TestServer
        let client: TestClient
        let attester = P256Signer(P256.Signing.PrivateKey(), keyID: "a1")
        /// The key of one instance.
        let key = TestKey()

        init() async throws {
            server = try await TestServer.start()
            let keys = try AttestedClientTests.set(of: attester)
            client = try await server.publicClient("attested") {
                $0.authenticationMethod = AttestedClientTests.method
                $0.keySet = keys
            }
        }

        /// What the attester says of the instance's key, as far as a test does not change it.
        func attestation(
            by signer: P256Signer? = nil, type: JWSType = .clientAttestation,
            _ change: (inout JSONObject) -> Void = { _ in }
        ) throws -> ClientAuthentication {
            let now = server.clock.now().seconds
            var claims = JSONObject()
            claims.set("sub", client.id)
            claims.set("iat", now)
            claims.set("exp", now + 3600)
            claims["cnf"] = ["jwk": .object(key.publicKey.json)]
            change(&claims)
            let signer = signer ?? attester
            let encoder = try CompactJWSEncoder(signer: signer, type: type)
            return .attestation(client.id, try ClientAttestation(encoder.encode(claims.bytes, signer: signer)))
        }

        func token(
            _ grant: TokenRequest.Grant, as presented: ClientAuthentication, by key: TestKey?
        ) async throws -> TokenOutcome {
            try await server.flows.tokens.grants.token(
                TokenRequest(client: presented, grant: grant),
                proof: try key.map { try $0.present(to: server) } ?? .none,
                origin: TestServer.origin)
        }

        func redeem(_ code: AuthorizationCode, as presented: ClientAuthentication, by key: TestKey?) async throws
            -> TokenOutcome
        {
            try await token(
                .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), as: presented, by: key)
        }

        func signIn() async throws -> TokenResponse {
            try await redeem(try await client.code(for: server.account()), as: attestation(), by: key).tokens()
        }
    }

    private static func set(of signer: P256Signer) throws -> String {
        JSONValue.object(JWKSet([try #require(signer.publicJWK)]).json).text
    }

    @Test("An attested instance redeems its code and renews, with one attestation until it expires")
    func attested() async throws {
        let app = try await AttestedApp()
        let attestation = try app.attestation()
        let code = try await app.client.code(for: app.server.account())
        let tokens = try await app.redeem(code, as: attestation, by: app.key).tokens()
        #expect(tokens.tokenType == .dpop)
        let renewed = try await app.token(
            .refreshToken(try #require(tokens.refreshToken), attempt: nil), as: attestation, by: app.key
        ).tokens()
        app.server.clock.advance(by: .seconds(3631))
        let renewal = TokenRequest.Grant.refreshToken(try #require(renewed.refreshToken), attempt: nil)
        let refusal = try #require(try await app.token(renewal, as: attestation, by: app.key).refusal)
        #expect(refusal == .clientAttestation(.expired))
        #expect(refusal.code == "use_fresh_attestation")
        #expect(try await app.token(renewal, as: app.attestation(), by: app.key).refusal == nil)
    }

    @Test("attack: attestations of another key, client, type or signer, too long, or without what they need")
    func badAttestations() async throws {
        let app = try await AttestedApp()
        let code = try await app.client.code(for: app.server.account())
        let now = app.server.clock.now().seconds
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "a1")
        let other = P256Signer(P256.Signing.PrivateKey(), keyID: "a2")
        func claim(_ name: String, _ fault: JOSEError.ClaimFault) -> ClientAttestationFault {
            .claim(.claim(name: name, fault))
        }
        var privateKey = app.key.publicKey.json
        privateKey.set("d", Base64URL.encode([UInt8](repeating: 1, count: 32)))
        let bad: [(ClientAuthentication, ClientAttestationFault)] = [
            (try app.attestation(by: stranger), .unproved(.invalidSignature)),
            (try app.attestation(by: other), .unproved(.unknownKey)),
            (try app.attestation(type: .jwt), .unproved(.wrongType)),
            (try app.attestation { $0.set("sub", "other") }, claim("sub", .mismatch)),
            (try app.attestation { $0["sub"] = nil }, claim("sub", .missing)),
            (try app.attestation { $0["exp"] = nil }, claim("exp", .missing)),
            (try app.attestation { $0.set("exp", now + 86_400 + 60) }, claim("exp", .tooFar)),
            (try app.attestation { $0.set("exp", now - 60) }, .expired),
            (try app.attestation { $0.set("iat", now - 86_400 - 60) }, .expired),
            (try app.attestation { $0.set("iat", now + 60) }, claim("iat", .tooEarly)),
            (try app.attestation { $0.set("nbf", now + 60) }, claim("nbf", .tooEarly)),
            (try app.attestation { $0["cnf"] = nil }, claim("cnf", .missing)),
            (
                try app.attestation { $0["cnf"] = ["jkt": .string(app.key.thumbprint.rawValue)] },
                claim("cnf", .malformed)
            ),
            (try app.attestation { $0["cnf"] = ["jwk": .object(privateKey)] }, claim("cnf", .malformed)),
            (try app.attestation { $0["cnf"] = ["jwk": .object(TestKey().publicKey.json)] }, .otherKey),
            (.attestation(app.client.id, try ClientAttestation("a.b")), .unproved(.malformed)),
        ]
        for (presented, fault) in bad {
            let refusal = try await app.redeem(code, as: presented, by: app.key).refusal
            #expect(refusal == .clientAttestation(fault))
            #expect(refusal?.code == (fault == .expired ? "use_fresh_attestation" : "invalid_client_attestation"))
        }
        #expect(try await app.redeem(code, as: app.attestation(), by: app.key).refusal == nil, "no code was spent")
    }

    @Test("attack: without attestation, without the key, or with another client's method, there are no tokens")
    func withoutAttestation() async throws {
        let app = try await AttestedApp()
        let code = try await app.client.code(for: app.server.account())
        #expect(
            try await app.redeem(code, as: .none(app.client.id), by: app.key).refusal
                == .invalidClient(.method(.attestation)))
        #expect(
            try await app.redeem(code, as: app.attestation(), by: nil).refusal
                == .invalidDPoPProof("The client must send a DPoP proof."))
        #expect(
            try await app.redeem(code, as: app.attestation(), by: TestKey()).refusal == .clientAttestation(.otherKey))
        guard case .attestation(_, let attestation) = try app.attestation() else { return }
        let plain = try await app.server.publicClient("plain")
        #expect(
            try await app.redeem(code, as: .attestation(plain.id, attestation), by: app.key).refusal
                == .invalidClient(.method(.none)))
    }

    @Test("attack: an attested instance with another instance's refresh token; neither is harmed")
    func otherInstance() async throws {
        let app = try await AttestedApp()
        let stolen = try #require(try await app.signIn().refreshToken)
        let thief = TestKey()
        let attested = try app.attestation { $0["cnf"] = ["jwk": .object(thief.publicKey.json)] }
        let grant = TokenRequest.Grant.refreshToken(stolen, attempt: nil)
        #expect(try await app.token(grant, as: attested, by: thief).refusal == .invalidGrant)
        #expect(try await app.token(grant, as: app.attestation(), by: app.key).refusal == nil)
    }

    @Test("A session ends without an attestation: the token that ends it is enough")
    func revocation() async throws {
        let app = try await AttestedApp()
        let token = try #require(try await app.signIn().refreshToken)
        try await app.client.revoke(token.reveal())
        let renewal = TokenRequest.Grant.refreshToken(token, attempt: nil)
        #expect(try await app.token(renewal, as: app.attestation(), by: app.key).refusal == .invalidGrant)
    }

    @Test("After the attester's key set is replaced, only attestations by the new keys count")
    func replacedKeys() async throws {
        let app = try await AttestedApp()
        let next = P256Signer(P256.Signing.PrivateKey(), keyID: "a2")
        let answer = await app.server.flows.administration.execute(
            AdminRequest(["client", "update", "attested", "--jwks", "keys.json"], input: try Self.set(of: next)))
        #expect(answer.lines.contains("From now on only attestations by the keys of the new set count."))
        let code = try await app.client.code(for: app.server.account())
        #expect(
            try await app.redeem(code, as: app.attestation(), by: app.key).refusal
                == .clientAttestation(.unproved(.unknownKey)))
        #expect(try await app.redeem(code, as: app.attestation(by: next), by: app.key).refusal == nil)
    }

    @Test("Only a public app with an attester's keys is registered so, whose tokens are bound and its own")
    func registration() async throws {
        let server = try await TestServer.start()
        let keys = try Self.set(of: P256Signer(P256.Signing.PrivateKey(), keyID: "a1"))
        func words(_ id: String, _ options: [String]) -> [String] {
            ["client", "create", id, "--name", "App", "--auth-method", Self.method] + options
        }
        let app = ["--public", "--redirect-uri", "https://app.example.com/callback", "--jwks", "keys.json"]
        try await server.administer(AdminRequest(words("third-party", app), input: keys))
        let stored = try await server.context.database.read { try Clients.find("third-party", on: $0) }
        #expect(try stored.map { try RegisteredClient($0).requiresDPoP } == true)
        _ = try await server.confidentialClient()
        let bad: [([String], String?)] = [
            (["--public", "--first-party"], nil), (["--confidential", "--jwks", "keys.json"], keys),
            (app + ["--allow-bearer"], keys), (app + ["--redeemer", "backend"], keys),
        ]
        for (options, input) in bad {
            let answer = await server.flows.administration.execute(AdminRequest(words("bad", options), input: input))
            #expect(answer.status == .refused, "\(options): \(answer.lines)")
        }
        let loosened = await server.flows.administration.execute(
            AdminRequest(["client", "update", "third-party", "--allow-bearer"]))
        #expect(loosened.status == .refused, "\(loosened.lines)")
    }

    @Test("The log has a sentence for each fault, and the answer only where an attester of the client signed")
    func sentences() {
        let proved: [ClientAttestationFault] = [
            .expired, .otherKey, .claim(.claim(name: "sub", .mismatch)), .claim(.claim(name: "exp", .tooFar)),
            .claim(.claim(name: "cnf", .missing)), .claim(.claim(name: "iat", .tooEarly)),
        ]
        let unproved: [ClientAttestationFault] = [
            .unproved(.unknownKey), .unproved(.invalidSignature), .unproved(.wrongType),
        ]
        let refusals = (proved + unproved).map { OAuthRefusal.clientAttestation($0) }
        #expect(Set(refusals.map(\.loggedReason)).count == refusals.count)
        #expect(refusals.allSatisfy { $0.loggedReason.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        #expect(proved.allSatisfy { OAuthRefusal.clientAttestation($0).reason == $0.sentence })
        #expect(Set(unproved.map { OAuthRefusal.clientAttestation($0).reason }).count == 1)
    }
}
