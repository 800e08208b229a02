import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite(
    "The token endpoint and its siblings over HTTP", .covers("POST /oauth2/token", "challenges of protected resources"))
struct TokenEndpointTests {
    @Test("Client credentials by Basic, by form, and by form-encoded Basic as RFC 6749 §2.3.1 requires")
    func clientCredentials() async throws {
        try await TestServer.serve { server, client in
            let secret = try await server.makeBackend("back+end:1")
            let fields: KeyValuePairs = ["grant_type": "client_credentials", "scope": "wallet_operations"]
            let encoded = try await client.post("/oauth2/token", fields, .basic("back%2Bend%3A1", secret))
            #expect(encoded.status == .ok, "\(encoded.text)")
            #expect(encoded.headers[.contentType] == "application/json")
            #expect(encoded.headers[.cacheControl] == "no-store")
            #expect(try encoded.member("refresh_token") == nil)
            let secretPost = try await server.makeBackend("posting") { $0.authenticationMethod = "client_secret_post" }
            let posted = try await client.post(
                "/oauth2/token",
                ["grant_type": "client_credentials", "client_id": "posting", "client_secret": secretPost])
            #expect(posted.status == .ok, "\(posted.text)")
        }
    }

    @Test("A wrong secret is 401 invalid_client with a Basic challenge; two ways at once are invalid_request")
    func wrongClient() async throws {
        try await TestServer.serve { server, client in
            let secret = try await server.makeBackend()
            let fields: KeyValuePairs = ["grant_type": "client_credentials"]
            let wrong = try await client.post("/oauth2/token", fields, .basic("backend", "guess"))
            let unknown = try await client.post("/oauth2/token", fields, .basic("nobody", "guess"))
            for answer in [wrong, unknown] {
                #expect(answer.status == .unauthorized)
                #expect(try answer.member("error") == "invalid_client")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
            }
            #expect(wrong.body == unknown.body)
            let twice = try await client.post(
                "/oauth2/token",
                ["grant_type": "client_credentials", "client_id": "backend", "client_secret": secret],
                .basic("backend", secret))
            #expect(twice.status == .badRequest)
            for header in ["Basic", "Basic ====", "Basic YQ==", "Basic Og==", "Digest x", "Basic YTpi\u{e9}"] {
                let answer = try await client.post("/oauth2/token", fields, [.authorization: header])
                #expect(answer.status == .unauthorized || answer.status == .badRequest, "\(header)")
            }
        }
    }

    @Test("A rotated secret is accepted next to its successor, by header and by form, until its overlap is ended")
    func rotatedSecret() async throws {
        try await TestServer.serve { server, client in
            let former = try await server.makeBackend()
            let rotated = try await server.execute(["client", "rotate-secret", "backend"])
            let current = try #require(try rotated.document()["clientSecret"]?.string)
            let fields: KeyValuePairs = ["grant_type": "client_credentials"]
            for secret in [former, current] {
                let byHeader = try await client.post("/oauth2/token", fields, .basic("backend", secret))
                #expect(byHeader.status == .ok, "\(byHeader.text)")
                let byForm = try await client.post(
                    "/oauth2/token",
                    ["grant_type": "client_credentials", "client_id": "backend", "client_secret": secret])
                #expect(byForm.status == .ok, "\(byForm.text)")
            }
            try await server.execute(["client", "rotate-secret", "backend", "--end-former"])
            let refused = try await client.post("/oauth2/token", fields, .basic("backend", former))
            #expect(refused.status == .unauthorized)
            let accepted = try await client.post("/oauth2/token", fields, .basic("backend", current))
            #expect(accepted.status == .ok, "\(accepted.text)")
        }
    }

    @Test("A public client may send its id by Basic with an empty secret; a confidential one proves nothing by it")
    func emptyBasicSecret() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            _ = try await server.makeBackend()
            let code = try await Journey.code(client)
            let redeemed = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "authorization_code", "code": code, "code_verifier": Journey.verifier,
                    "redirect_uri": Journey.redirectURI,
                ], .basic("wallet", ""))
            #expect(redeemed.status == .ok, "\(redeemed.text)")
            let refresh = try #require(try redeemed.member("refresh_token"))
            let renewed = try await client.post(
                "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": refresh], .basic("wallet", ""))
            #expect(renewed.status == .ok, "\(renewed.text)")
            let next = try #require(try renewed.member("refresh_token"))
            let revoked = try await client.post("/oauth2/revoke", ["token": next], .basic("wallet", ""))
            #expect(revoked.status == .ok, "\(revoked.text)")
            let ended = try await client.post(
                "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": next], .basic("wallet", ""))
            #expect(try ended.member("error") == "invalid_grant")
            let confidential = try await client.post(
                "/oauth2/token", ["grant_type": "client_credentials"], .basic("backend", ""))
            #expect(confidential.status == .unauthorized)
            #expect(try confidential.member("error") == "invalid_client")
        }
    }

    @Test("Without client authentication introspection and revocation are 401 invalid_client with a challenge")
    func noClient() async throws {
        try await TestServer.serve { _, client in
            for path in ["/oauth2/introspect", "/oauth2/revoke"] {
                let answer = try await client.post(path, ["token": "guess"])
                #expect(answer.status == .unauthorized, "\(path)")
                #expect(try answer.member("error") == "invalid_client", "\(path)")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true, "\(path)")
            }
        }
    }

    @Test("Doubled, malformed and missing parameters are invalid_request")
    func malformed() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            for body in [
                "grant_type=refresh_token&grant_type=client_credentials&client_id=wallet",
                "grant_type=refresh_token&client_id=wallet&client_id=other&refresh_token=x", "", "&&", "grant_type=",
                "grant_type=%00", "grant_type=%zz", "grant_type=%C0%AF", "grant_type=refresh_token&client_id=wallet",
                "grant_type=refresh_token&client_id=wallet&refresh_token=a%00b",
            ] {
                let answer = try await client.post("/oauth2/token", body: body, "application/x-www-form-urlencoded")
                #expect(answer.status == .badRequest, "\(body)")
                #expect(try answer.member("error") == "invalid_request", "\(body)")
            }
        }
    }

    @Test("Bare spaces in the scope of a form are read, as oidc-agent sends them when it renews")
    func bareSpaces() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let tokens = try await Journey.redeem(client, try await Journey.code(client))
            let refresh = try #require(try tokens.member("refresh_token"))
            let renewed = try await client.post(
                "/oauth2/token",
                body: "client_id=wallet&grant_type=refresh_token&refresh_token=\(refresh)&scope=openid offline_access",
                "application/x-www-form-urlencoded")
            #expect(renewed.status == .ok, "\(renewed.text)")
            #expect(try renewed.member("scope") == "openid offline_access")
        }
    }

    @Test("A code is redeemed once; its replay is invalid_grant", .conformance("oidcc-codereuse"))
    func codeReplay() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let code = try await Journey.code(client)
            let answer = try await Journey.redeem(client, code)
            #expect(answer.status == .ok)
            let replay = try await Journey.redeem(client, code)
            #expect(replay.status == .badRequest)
            #expect(try replay.member("error") == "invalid_grant")
        }
    }

    @Test("A proof without our nonce is use_dpop_nonce with the nonce to use; with it the token is bound")
    func dpopNonce() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let code = try await Journey.code(client)
            let key = ProofKey()
            let first = try await Journey.redeem(client, code, [.dpop: key.proof("/oauth2/token")])
            #expect(first.status == .badRequest)
            #expect(try first.member("error") == "use_dpop_nonce")
            let nonce = try #require(first.headers[.dpopNonce])
            let second = try await Journey.redeem(client, code, [.dpop: key.proof("/oauth2/token", nonce: nonce)])
            #expect(second.status == .ok, "\(second.text)")
            #expect(try second.member("token_type") == "DPoP")
            #expect(second.headers[.dpopNonce] != nil)

            let token = try AccessToken(try #require(try second.member("access_token")))
            let bearer = try await client.get("/oauth2/userinfo", [.authorization: "Bearer \(token.reveal())"])
            #expect(bearer.status == .unauthorized)
            #expect(bearer.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("DPoP algs=") })
            let proof = try key.proof("/oauth2/userinfo", method: "GET", nonce: nonce, token: token)
            let bound = try await client.get(
                "/oauth2/userinfo", [.authorization: "DPoP \(token.reveal())", .dpop: proof])
            #expect(bound.status == .ok, "\(bound.text)")
        }
    }

    @Test("DPoP: a proof for another path or method, of another key, or no proof at all is refused")
    func wrongProofs() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let key = ProofKey()
            let probe = try await Journey.redeem(client, "x", [.dpop: key.proof("/oauth2/token")])
            let nonce = try #require(probe.headers[.dpopNonce])
            for proof in [
                try key.proof("/oauth2/revoke", nonce: nonce),
                try key.proof("/oauth2/token", method: "GET", nonce: nonce),
                "", "a.b.c", "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6Im5vbmUifQ.e30.",
            ] {
                let answer = try await Journey.redeem(client, "x", [.dpop: proof])
                #expect(answer.status == .badRequest)
                #expect(try answer.member("error") == "invalid_dpop_proof", "\(answer.text)")
            }
        }
    }

    @Test("userinfo without a token is a bare challenge; a forged or query token is 401 with its error")
    func userInfoChallenges() async throws {
        try await TestServer.serve { _, client in
            for uri in ["/oauth2/userinfo", "/oauth2/userinfo?access_token=x"] {
                let bare = try await client.get(uri)
                #expect(bare.status == .unauthorized)
                #expect(bare.headers[values: .wwwAuthenticate].contains("Bearer"))
                #expect(bare.body.readableBytes == 0)
            }
            let forged = try await client.get("/oauth2/userinfo", [.authorization: "Bearer eyJhbGciOiJub25lIn0.e30."])
            #expect(forged.status == .unauthorized)
            #expect(
                forged.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("Bearer error=\"invalid_token\"") })
            let basic = try await client.get("/oauth2/userinfo", [.authorization: "Basic YTpi"])
            #expect(basic.status == .badRequest || basic.status == .unauthorized)
        }
    }

    @Test("A protected resource challenges in the scheme that was presented, and with DPoP first if there was none")
    func challengeScheme() async throws {
        try await TestServer.serve { _, client in
            func challenges(_ uri: String, _ authorization: String?) async throws -> [String] {
                var headers = HTTPFields()
                headers[.authorization] = authorization
                let answer = try await client.get(uri, headers)
                #expect(answer.status == .unauthorized, "\(uri) \(authorization ?? "-")")
                return answer.headers[values: .wwwAuthenticate].map { String($0.prefix { $0 != " " }) }
            }
            for uri in ["/oauth2/userinfo", Endpoints.devices.path, Endpoints.accountFactors.path] {
                for (authorization, schemes) in [
                    ("DPoP forged", ["DPoP"]), ("dpop forged", ["DPoP"]), ("Bearer forged", ["Bearer", "DPoP"]),
                    (nil, ["DPoP", "Bearer"]),
                ] as [(String?, [String])] {
                    let named = try await challenges(uri, authorization)
                    #expect(named == schemes, "\(uri) \(authorization ?? "-")")
                }
            }
        }
    }

    @Test(
        "A bound token without a proof, or without a nonce, is challenged by DPoP with the error, and by nothing else")
    func dpopChallenge() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let key = ProofKey()
            let code = try await Journey.code(client)
            let probe = try await Journey.redeem(client, "x", [.dpop: key.proof("/oauth2/token")])
            let nonce = try #require(probe.headers[.dpopNonce])
            let tokens = try await Journey.redeem(client, code, [.dpop: key.proof("/oauth2/token", nonce: nonce)])
            let token = try AccessToken(try #require(try tokens.member("access_token")))
            let authorization = "DPoP \(token.reveal())"
            let bare = try await client.get("/oauth2/userinfo", [.authorization: authorization])
            let proof = try key.proof("/oauth2/userinfo", method: "GET", token: token)
            let stale = try await client.get("/oauth2/userinfo", [.authorization: authorization, .dpop: proof])
            for (answer, error) in [(bare, "invalid_dpop_proof"), (stale, "use_dpop_nonce")] {
                #expect(answer.status == .unauthorized)
                let challenges = answer.headers[values: .wwwAuthenticate]
                #expect(challenges.count == 1)
                #expect(challenges.first?.hasPrefix("DPoP ") == true)
                #expect(challenges.first?.contains("error=\"\(error)\"") == true, "\(challenges)")
            }
            #expect(stale.headers[.dpopNonce] != nil)
        }
    }

    @Test(
        "userinfo takes the token from a form as well, but not from two places at once",
        .conformance("oidcc-userinfo-post-header", "oidcc-userinfo-post-body"))
    func userInfoByForm() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let tokens = try await Journey.redeem(client, try await Journey.code(client))
            let token = try #require(try tokens.member("access_token"))
            let posted = try await client.post("/oauth2/userinfo", ["access_token": token])
            #expect(posted.status == .ok)
            let byHeader = try await client.post("/oauth2/userinfo", [:], [.authorization: "Bearer \(token)"])
            #expect(byHeader.status == .ok)
            let both = try await client.post(
                "/oauth2/userinfo", ["access_token": token], [.authorization: "Bearer \(token)"])
            #expect(both.status == .badRequest)
        }
    }

    @Test("Revocation answers 200 for a token that is unknown, and ends the session of one that is known")
    func revocation() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let tokens = try await Journey.redeem(client, try await Journey.code(client))
            let refresh = try #require(try tokens.member("refresh_token"))
            for token in ["unknown", refresh, refresh] {
                let answer = try await client.post("/oauth2/revoke", ["client_id": "wallet", "token": token])
                #expect(answer.status == .ok)
                #expect(answer.body.readableBytes == 0)
            }
            let after = try await client.post(
                "/oauth2/token",
                ["grant_type": "refresh_token", "client_id": "wallet", "refresh_token": refresh])
            #expect(try after.member("error") == "invalid_grant")
        }
    }

    @Test("A bound access token without a proof is 400 unsupported_token_type, and with one its session ends")
    func boundRevocation() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let code = try await Journey.code(client)
            let key = ProofKey()
            let probe = try await Journey.redeem(client, code, [.dpop: key.proof("/oauth2/token")])
            let nonce = try #require(probe.headers[.dpopNonce])
            let tokens = try await Journey.redeem(client, code, [.dpop: key.proof("/oauth2/token", nonce: nonce)])
            let token = try #require(try tokens.member("access_token"))
            let form: KeyValuePairs = ["client_id": "wallet", "token": token]
            let bare = try await client.post("/oauth2/revoke", form)
            #expect(bare.status == .badRequest)
            #expect(try bare.member("error") == "unsupported_token_type")
            #expect(bare.headers[.dpopNonce] == nil)
            let asked = try await client.post("/oauth2/revoke", form, [.dpop: key.proof("/oauth2/revoke")])
            #expect(try asked.member("error") == "use_dpop_nonce")
            let next = try #require(asked.headers[.dpopNonce])
            let revoked = try await client.post(
                "/oauth2/revoke", form, [.dpop: key.proof("/oauth2/revoke", nonce: next)])
            #expect(revoked.status == .ok, "\(revoked.text)")
            #expect(revoked.headers[.dpopNonce] != nil)
            let renewal = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "refresh_token", "client_id": "wallet",
                    "refresh_token": try #require(try tokens.member("refresh_token")),
                ], [.dpop: key.proof("/oauth2/token", nonce: next)])
            #expect(try renewal.member("error") == "invalid_grant")
        }
    }
}

/// A client's proof key.
struct ProofKey: Sendable {
    let signer = P256Signer(P256.Signing.PrivateKey())

    var thumbprint: JWKThumbprint {
        get throws { try #require(signer.publicJWK).thumbprint }
    }

    func proof(
        _ path: String, method: String = "POST", nonce: String? = nil, token: AccessToken? = nil,
        issuer: String = TestServer.issuer
    ) throws -> String {
        let content = DPoPProofContent(
            id: UUID().uuidString, method: method, target: try HTTPTarget(issuer + path),
            issuedAt: try #require(NumericDate(exactly: Int64(Date().timeIntervalSince1970))),
            nonce: try nonce.map { text throws(MalformedValue) in try Nonce(text) }, accessToken: token)
        return try content.signed(by: signer)
    }
}
