import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Exchanging access tokens over HTTP", .covers("exchange of access tokens"))
struct TokenExchangeHTTPTests {
    private static let orders = "https://orders.example.com"
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    private static let usual = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token_type", accessToken),
        ("subject_token", "guess"), ("audience", orders),
    ]

    private func form(_ parameters: [(String, String)]) -> String {
        var form = FormParameters()
        for (name, value) in parameters { form.append(name, value) }
        return form.encoded
    }

    /// Asks as a service that may exchange tokens.
    private func ask(_ parameters: [(String, String)], _ secret: String, _ client: any TestClientProtocol) async throws
        -> TestResponse
    {
        try await client.post(
            "/oauth2/token", body: form(parameters), "application/x-www-form-urlencoded", .basic("orders", secret))
    }

    private func makeService(_ server: TestServer) async throws -> String {
        try await server.makeBackend("orders") {
            $0.scopes = ["profile"]
            $0.resources = [Self.orders]
            $0.tokenExchange = true
        }
    }

    @Test("Doubled parameters, and types of tokens that are not exchanged, are invalid_request")
    func malformed() async throws {
        try await TestServer.serve { server, client in
            let secret = try await makeService(server)
            let other = "urn:ietf:params:oauth:token-type:id_token"
            let additions = [
                ("subject_token", "guess"), ("subject_token_type", Self.accessToken), ("scope", "profile"),
                ("actor_token", "guess"), ("actor_token_type", Self.accessToken), ("requested_token_type", other),
            ]
            for (name, value) in additions {
                // The first three are doubled, the others not taken at all.
                let twice = name == "scope" ? [(name, value), (name, value)] : [(name, value)]
                let answer = try await ask(Self.usual + twice, secret, client)
                #expect(answer.status == .badRequest, "\(name)")
                #expect(try answer.member("error") == "invalid_request", "\(name)")
            }
            for type in [other, "urn:ietf:params:oauth:token-type:jwt", "access_token", ""] {
                let parameters = Self.usual.map { $0.0 == "subject_token_type" ? ($0.0, type) : $0 }
                let answer = try await ask(parameters, secret, client)
                #expect(try answer.member("error") == "invalid_request", "\(type)")
            }
            for name in ["subject_token", "subject_token_type"] {
                let answer = try await ask(Self.usual.filter { $0.0 != name }, secret, client)
                #expect(try answer.member("error") == "invalid_request", "without \(name)")
            }
            let many = (0..<9).map { ("audience", "https://a\($0).example.com") }
            let answer = try await ask(Self.usual + many, secret, client)
            #expect(try answer.member("error") == "invalid_target")
        }
    }

    @Test("The answer says what kind of token it has, and has no other; a token that is none is invalid_request")
    func exchange() async throws {
        try await TestServer.serve { server, client in
            let secret = try await makeService(server)
            try await server.makePublicClient {
                $0.requiresDPoP = false
                $0.resources = [Self.orders]
            }
            try await server.makeAccount()
            let page = try await Journey.signIn(client, on: Journey.open(client, ["scope": "openid profile"]))
            let tokens = try await Journey.redeem(client, try #require(try page.redirectParameters["code"]))
            let token = try #require(try tokens.member("access_token"))
            let parameters = Self.usual.map { $0.0 == "subject_token" ? ($0.0, token) : $0 }
            let answer = try await ask(
                parameters + [("scope", "profile"), ("requested_token_type", Self.accessToken)], secret, client)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(answer.headers[.cacheControl] == "no-store")
            let body = try JSONValue.object(parsing: Array(answer.text.utf8))
            #expect(
                Set(body.names) == ["access_token", "token_type", "expires_in", "scope", "issued_token_type"])
            #expect(body["issued_token_type"]?.string == Self.accessToken)
            #expect(body["scope"]?.string == "profile")
            let refused = try await ask(Self.usual, secret, client)
            #expect(refused.status == .badRequest)
            #expect(try refused.member("error") == "invalid_request")
        }
    }
}
