import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

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
            #expect(Set(listed).isSubset(of: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]))
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
