import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire
import Web

@Suite("The ways of authenticating that the metadata names")
struct AuthenticationMethodsTests {
    /// How a client of each method presents itself.
    private struct Presentations {
        let none: (KeyValuePairs<String, String>, HTTPFields)
        let basic: (KeyValuePairs<String, String>, HTTPFields)
        let post: (KeyValuePairs<String, String>, HTTPFields)
        private let signer: P256Signer

        init(_ server: TestServer) async throws {
            try await server.makeBearerClient()
            let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
            self.signer = signer
            let keys = JSONValue.object(JWKSet([try #require(signer.publicJWK)]).json).text
            let basicSecret = try await server.makeBackend("by-header")
            let postSecret = try await server.makeBackend("by-form") { $0.authenticationMethod = "client_secret_post" }
            try await server.makeKeyClient("by-key", keys: keys)
            none = (["client_id": "wallet"], [:])
            let credentials = Data("by-header:\(basicSecret)".utf8).base64EncodedString()
            basic = ([:], [.authorization: "Basic \(credentials)"])
            post = (["client_id": "by-form", "client_secret": postSecret], [:])
        }

        /// An assertion is good for one request.
        func privateKeyJWT() throws -> (KeyValuePairs<String, String>, HTTPFields) {
            let now = Int64(Date().timeIntervalSince1970)
            var claims = JSONObject()
            for name in ["iss", "sub"] { claims.set(name, "by-key") }
            claims.set("aud", TestServer.issuer)
            claims.set("jti", UUID().uuidString)
            claims.set("iat", now)
            claims.set("exp", now + 60)
            let assertion = try CompactJWSEncoder(signer: signer, type: .jwt).encode(claims.bytes, signer: signer)
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            return (["client_assertion_type": type, "client_assertion": assertion], [:])
        }
    }

    @Test(
        "Each method that the metadata lists for an endpoint is taken there, and each other one is refused",
        arguments: [
            ("token", "/oauth2/token", "grant_type=client_credentials"), ("revocation", "/oauth2/revoke", "token=x"),
            ("introspection", "/oauth2/introspect", "token=x"),
        ])
    func methods(endpoint: String, path: String, request: String) async throws {
        try await TestServer.serve { server, client in
            let present = try await Presentations(server)
            let metadata = try await client.get("/.well-known/oauth-authorization-server").json
            let listed = try #require(metadata["\(endpoint)_endpoint_auth_methods_supported"]?.strings)
            for (method, (fields, headers)) in [
                ("none", present.none), ("client_secret_basic", present.basic), ("client_secret_post", present.post),
                ("private_key_jwt", try present.privateKeyJWT()),
            ] {
                var form = FormParameters()
                for (name, value) in fields { form.append(name, value) }
                let answer = try await client.post(
                    path, body: form.isEmpty ? request : request + "&" + form.encoded,
                    "application/x-www-form-urlencoded", headers)
                let isTaken = try answer.status == .ok || answer.member("error") == "unauthorized_client"
                #expect(isTaken == listed.contains(method), "\(method): \(answer.status) \(answer.text)")
            }
            let others = ["attest_jwt_client_auth_dpop"].filter { _ in endpoint == "token" }
            #expect(
                Set(listed).isSubset(
                    of: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] + others))
        }
    }

    @Test("The metadata offers addresses as client ids once there is a host for them, and no registration endpoint")
    func clientDocuments() async throws {
        try await TestServer.serve { server, client in
            func isOffered() async throws -> Bool? {
                let metadata = try await client.get("/.well-known/oauth-authorization-server").json
                #expect(metadata["registration_endpoint"] == nil)
                return metadata["client_id_metadata_document_supported"]?.bool
            }
            #expect(try await isOffered() == nil)
            try await server.makePublicClient("mcp") {
                $0.firstParty = false
                $0.metadataHosts = ["apps.example.com"]
            }
            #expect(try await isOffered() == true)
        }
    }

    @Test("An attested app gets tokens with its attestation and proof, each once in the request, as the metadata says")
    func attestation() async throws {
        try await TestServer.serve { server, client in
            let (attester, key) = (P256Signer(P256.Signing.PrivateKey(), keyID: "a1"), ProofKey())
            let keys = JSONValue.object(JWKSet([try #require(attester.publicJWK)]).json).text
            try await server.makePublicClient("attested") {
                $0.authenticationMethod = "attest_jwt_client_auth_dpop"
                $0.keySet = keys
            }
            func attestation(_ lifetime: Int64) throws -> String {
                var claims = JSONObject()
                claims.set("sub", "attested")
                claims.set("exp", Int64(Date().timeIntervalSince1970) + lifetime)
                claims["cnf"] = ["jwk": .object(try #require(key.signer.publicJWK).json)]
                return try CompactJWSEncoder(signer: attester, type: .clientAttestation)
                    .encode(claims.bytes, signer: attester)
            }
            func answer(to attestations: [String], of id: String? = "attested") async throws -> String {
                var headers: HTTPFields = [
                    .dpop: try key.proof("/oauth2/token", nonce: server.server.context.proofs.currentNonce())
                ]
                let name = try #require(HTTPField.Name("OAuth-Client-Attestation"))
                for attestation in attestations { headers.append(HTTPField(name: name, value: attestation)) }
                var form = FormParameters()
                form.append("grant_type", "refresh_token")
                form.append("refresh_token", "unknown")
                if let id { form.append("client_id", id) }
                let response = try await client.post(
                    "/oauth2/token", body: form.encoded, "application/x-www-form-urlencoded", headers)
                return "\(response.status.code) \(try response.member("error") ?? response.text)"
            }
            let good = try attestation(3600)
            #expect(try await answer(to: [good]) == "400 invalid_grant", "authenticated; only the token is wrong")
            #expect(try await answer(to: [good], of: nil) == "400 invalid_grant")
            #expect(try await answer(to: []) == "401 invalid_client")
            #expect(try await answer(to: [good, good]) == "400 invalid_request")
            #expect(try await answer(to: [good + "x"]) == "400 invalid_client_attestation")
            #expect(try await answer(to: [try attestation(-60)]) == "400 use_fresh_attestation")
            let metadata = try await client.get("/.well-known/oauth-authorization-server").json
            let listed = metadata["token_endpoint_auth_methods_supported"]?.strings
            #expect(listed?.contains("attest_jwt_client_auth_dpop") == true)
            #expect(
                metadata["client_attestation_signing_alg_values_supported"]
                    == metadata["token_endpoint_auth_signing_alg_values_supported"])
        }
    }

    @Test("Introspection requires authentication: it does not list the method none")
    func introspection() async throws {
        try await TestServer.serve { _, client in
            let metadata = try await client.get("/.well-known/openid-configuration").json
            let listed = try #require(metadata["introspection_endpoint_auth_methods_supported"]?.strings)
            #expect(listed == ["client_secret_basic", "client_secret_post", "private_key_jwt"])
        }
    }
}
