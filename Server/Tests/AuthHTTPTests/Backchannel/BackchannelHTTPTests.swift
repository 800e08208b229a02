import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Sign-in on the phone over HTTP", .covers("sign-in on the phone for a client"))
struct BackchannelHTTPTests {
    private static let path = "/oauth2/bc-authorize"
    private static let grantType = "urn:openid:params:grant-type:ciba"

    private func serve(
        _ test: @Sendable (any TestClientProtocol, HTTPFields) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            let secret = try await server.makeBackend("desk") {
                $0.scopes = ["openid"]
                $0.firstParty = true
                $0.backchannelMode = "poll"
            }
            try await server.makeAccount()
            try await test(client, .basic("desk", secret))
        }
    }

    @Test(
        "Bad requests are refused as the specification names it",
        .conformance(
            "fapi-ciba-id1-ensure-authorization-request-with-potentially-bad-binding-message",
            "fapi-ciba-id1-ensure-authorization-request-with-multiple-hints-fails",
            "fapi-ciba-id1-ensure-without-client-assertion-in-backchannel-authorization-request"))
    func refusals() async throws {
        try await serve { client, desk in
            func error(_ fields: KeyValuePairs<String, String>, _ headers: HTTPFields) async throws -> String? {
                let answer = try await client.post(Self.path, fields, headers)
                #expect(answer.status == (headers.isEmpty ? .unauthorized : .badRequest), "\(answer.text)")
                #expect(answer.headers[.cacheControl] == "no-store")
                return try answer.json.string("error")
            }
            let scope = "openid"
            #expect(try await error(["scope": scope, "login_hint": "maria"], desk) == "unknown_user_id")
            #expect(try await error(["scope": scope, "login_hint": "nobody"], desk) == "unknown_user_id")
            #expect(
                try await error(["scope": scope, "login_hint": "maria", "id_token_hint": "a.b.c"], desk)
                    == "invalid_request")
            #expect(try await error(["scope": scope], desk) == "invalid_request")
            #expect(
                try await error(["scope": scope, "login_hint": "maria", "binding_message": "a\u{7}"], desk)
                    == "invalid_binding_message")
            #expect(try await error(["scope": "openid admin", "login_hint": "maria"], desk) == "invalid_scope")
            #expect(try await error(["scope": scope, "login_hint": "maria"], [:]) == "invalid_client")
            let poll = try await client.post(
                "/oauth2/token", ["grant_type": Self.grantType, "auth_req_id": "war_unknown"], desk)
            #expect(try poll.json.string("error") == "invalid_grant")
        }
    }

    @Test("The metadata says what is offered, and that codes of people are not")
    func metadata() async throws {
        try await serve { client, _ in
            let metadata = try await client.get("/.well-known/openid-configuration").json
            #expect(try metadata.string("backchannel_authentication_endpoint") == TestServer.issuer + Self.path)
            #expect(try metadata.strings("backchannel_token_delivery_modes_supported") == ["poll", "ping"])
            #expect(metadata["backchannel_user_code_parameter_supported"] == false)
            #expect(try metadata.strings("grant_types_supported")?.contains(Self.grantType) == true)
        }
    }
}
