import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Introspection over HTTP", .covers("POST /oauth2/revoke, /oauth2/introspect"))
struct IntrospectionHTTPTests {
    @Test("Introspection says nothing of a token but that it is not active, and nothing at all to a stranger")
    func introspection() async throws {
        try await TestServer.serve { server, client in
            let secret = try await server.makeBackend { $0.introspection = true }
            let answer = try await client.post("/oauth2/introspect", ["token": "guess"], .basic("backend", secret))
            #expect(answer.status == .ok)
            #expect(answer.text == "{\"active\":false}")
            let stranger = try await client.post("/oauth2/introspect", ["token": "guess"], .basic("backend", "guess"))
            #expect(stranger.status == .unauthorized)
        }
    }

    @Test("A request that names the type of RFC 9701 gets a JWT, and any other JSON; a refusal is JSON to both")
    func signedIntrospection() async throws {
        try await TestServer.serve { server, client in
            let secret = try await server.makeBackend { $0.introspection = true }
            func ask(_ accept: String?, _ secret: String = secret) async throws -> TestResponse {
                var headers = HTTPFields.basic("backend", secret)
                headers[.accept] = accept
                return try await client.post("/oauth2/introspect", ["token": "guess"], headers)
            }
            let type = "application/token-introspection+jwt"
            for accept in [type, "application/json;q=0.5, Application/Token-Introspection+JWT;q=0.9"] {
                let answer = try await ask(accept)
                #expect(answer.status == .ok, "\(accept)")
                #expect(answer.headers[.contentType] == type, "\(accept)")
                #expect(answer.headers[.cacheControl] == "no-store")
                #expect(try CompactJWS(answer.text).header.type == .tokenIntrospection, "\(accept)")
            }
            for accept in [nil, "*/*", "application/*", "application/json", "\(type);q=0, application/json"] {
                let answer = try await ask(accept)
                #expect(answer.headers[.contentType] == "application/json", "\(accept ?? "")")
                #expect(answer.text == "{\"active\":false}", "\(accept ?? "")")
            }
            let stranger = try await ask(type, "guess")
            #expect(stranger.status == .unauthorized)
            #expect(stranger.headers[.contentType] == "application/json")
            let refused = try await ask("text/html")
            #expect(refused.status == .notAcceptable)
        }
    }
}
