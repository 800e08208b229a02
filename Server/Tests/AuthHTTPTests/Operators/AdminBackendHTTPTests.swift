import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Backends that administer the server", .covers("commands over HTTP"), .threat("An operator's rights over HTTP"))
struct AdminBackendHTTPTests {
    private static let list = "/admin/v1/account/list"
    private let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
    private let key = ProofKey()

    private func make(
        _ server: TestServer, _ id: String = "helpdesk", _ change: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> AdministrationAnswer {
        var registration = ClientRegistration(name: "Help desk", kind: .confidential)
        registration.id = id
        registration.scopes = ["admin"]
        registration.authenticationMethod = "private_key_jwt"
        registration.keySet = JSONValue.object(JWKSet([try #require(signer.publicJWK)]).json).text
        registration.requiresDPoP = true
        registration.adminRole = "support"
        change(&registration)
        return await server.server.administration.execute { [registration] in
            try await ClientAdministration($0).create(registration)
        }
    }

    private func assertion(_ id: String) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims = JSONObject()
        for name in ["iss", "sub"] { claims.set(name, id) }
        claims.set("aud", TestServer.issuer)
        claims.set("jti", UUID().uuidString)
        claims.set("iat", now)
        claims.set("exp", now + 60)
        return try CompactJWSEncoder(signer: signer, type: .jwt).encode(claims.bytes, signer: signer)
    }

    private func token(
        _ server: TestServer, _ client: any TestClientProtocol, _ id: String = "helpdesk", isBound: Bool = true
    ) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        if isBound {
            headers[.dpop] = try key.proof("/oauth2/token", nonce: server.server.context.proofs.currentNonce())
        }
        return try await client.post(
            "/oauth2/token",
            [
                "grant_type": "client_credentials", "scope": "admin",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": try assertion(id),
            ], headers)
    }

    private func get(
        _ server: TestServer, _ client: any TestClientProtocol, _ token: AccessToken, _ path: String
    ) async throws -> TestResponse {
        let proof = try key.proof(
            path, method: "GET", nonce: server.server.context.proofs.currentNonce(), token: token)
        return try await client.get(path, [.authorization: "DPoP \(token.reveal())", .dpop: proof])
    }

    @Test("A backend calls with the role of its registration, which ends with the client")
    func calls() async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                #expect(try await make(server).status == .done)
                let answer = try await token(server, client)
                let token = try AccessToken(try #require(try answer.member("access_token"), "\(answer.text)"))
                #expect(try await get(server, client, token, Self.list).status == .ok)
                let brands = try await get(server, client, token, "/admin/v1/client/list")
                #expect(brands.status == .forbidden)
                #expect(try brands.member("code") == "forbidden_role")
                let called = try await server.execute(["audit", "tail", "--kind", "operator.called"]).document()
                #expect(called["entries"]?.array?.first?.object?["clientId"] == "helpdesk")
                try await server.execute(["client", "delete", "helpdesk"])
                #expect(try await get(server, client, token, Self.list).status == .unauthorized)
            }
        }
    }

    @Test("attack: no backend gets the scope with a secret, without a key or a role, or for a token that is not bound")
    func registrations() async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                for change in [
                    { $0.requiresDPoP = nil }, { $0.adminRole = nil }, { $0.scopes = ["transactions"] },
                    { $0.redirectURIs = ["https://app.example.com/callback"] },
                    {
                        $0.authenticationMethod = nil
                        $0.keySet = nil
                    },
                ] as [(inout ClientRegistration) -> Void] {
                    #expect(try await make(server, "helpdesk", change).refusal?.code == "contradiction")
                }
                #expect(try await make(server) { $0.adminRole = "root" }.refusal?.code == "malformed")
                #expect(try await make(server).status == .done)
                let unbound = try await token(server, client, isBound: false)
                #expect(unbound.status == .badRequest, "\(unbound.text)")
            }
        }
    }

    @Test("attack: no app has the scope unless it is the operator's own, with tokens bound to a key")
    func apps() async throws {
        try await TestServer.use { server in
            let changes: [(inout ClientRegistration) -> Void] = [
                { $0.firstParty = false }, { $0.requiresDPoP = false }, { $0.adminRole = "owner" },
                { $0.redeemer = "shop" },
            ]
            for change in changes {
                var registration = ClientRegistration(name: "Console", kind: .public)
                registration.id = "console"
                registration.redirectURIs = ["https://app.example.com/callback"]
                registration.scopes = ["openid", "admin"]
                registration.firstParty = true
                change(&registration)
                let answer = await server.server.administration.execute { [registration] in
                    try await ClientAdministration($0).create(registration)
                }
                #expect(answer.refusal?.code == "contradiction")
            }
        }
    }
}
