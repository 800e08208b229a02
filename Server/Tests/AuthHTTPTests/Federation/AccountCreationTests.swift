import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Accounts for guests over HTTP")
struct AccountCreationTests {
    private func create(
        _ client: any TestClientProtocol, _ more: String = "", key: ProofKey = ProofKey()
    ) async throws -> TestResponse {
        let path = "/v1/accounts"
        func send(_ nonce: String?) async throws -> TestResponse {
            try await client.post(
                path,
                body: """
                    {"clientId":"wallet","codeChallenge":"\(Journey.challenge)","authSession":"no-session",\
                    "username":"maria"\(more)}
                    """, "application/json", [.dpop: key.proof(path, nonce: nonce)])
        }
        let first = try await send(nil)
        guard let nonce = first.headers[.dpopNonce] else { return first }
        return try await send(nonce)
    }

    @Test("attack: mass assignment: creating an account cannot mark its address as verified")
    func massAssignment() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for more in [
                #","emailVerified":true"#, #","email_verified":true"#, #","brand":"acme""#, #","accountId":"1""#,
                #","state":"active""#, #","password":"correct horse battery""#,
            ] {
                let answer = try await create(client, more)
                #expect(answer.status == .badRequest, "\(more) \(answer.text)")
                #expect(try answer.member("error") == "invalid_request")
            }
        }
    }

    @Test("An unknown session gets the same answer as an expired one, and creates nothing")
    func noSession() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let answer = try await create(client)
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(try answer.member("error") == "invalid_session")
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test("The form of a federated sign-in has a code, a token or a password, and a nonce where it needs one")
    func forms() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let fields: [KeyValuePairs<String, String>] = [
                ["provider": "p"], ["provider": "p", "id_token": "t"], ["provider": "p", "authorization_code": "c"],
                ["provider": "p", "authorization_code": "c", "id_token": "t"],
                ["provider": "p", "authorization_code": "c", "username": "ada", "challenge_id": "n"],
                ["provider": "p", "username": "ada"], ["id_token": "t", "challenge_id": "n"],
                ["provider": "../p", "id_token": "t", "challenge_id": "n"],
            ]
            for more in fields {
                var form = FormParameters()
                for (name, value) in more { form.append(name, value) }
                let body =
                    "client_id=wallet&code_challenge=\(Journey.challenge)&code_challenge_method=S256"
                    + "&login_method=federated_identity&" + form.encoded
                let answer = try await client.post(
                    "/oauth2/authorize-challenge", body: body, "application/x-www-form-urlencoded")
                #expect(answer.status == .badRequest, "\(more)")
                #expect(try answer.member("error") == "invalid_request")
            }
        }
    }
}
