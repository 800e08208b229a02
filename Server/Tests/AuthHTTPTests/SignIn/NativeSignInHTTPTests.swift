import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Synchronization
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite(
    "Native sign-in over HTTP",
    .covers("POST /oauth2/authorize-challenge", "POST /v1/brands/{brandIdentity}/authentication-details"))
struct NativeSignInHTTPTests {
    private func challenge(
        _ client: any TestClientProtocol, _ username: String, _ password: String, key: ProofKey = ProofKey()
    ) async throws -> TestResponse {
        let path = "/oauth2/authorize-challenge"
        func send(_ nonce: String?) async throws -> TestResponse {
            try await client.post(
                path,
                [
                    "client_id": "wallet", "scope": "openid offline_access", "code_challenge": Journey.challenge,
                    "code_challenge_method": "S256", "login_method": "password", "username": username,
                    "password": password,
                ], [.dpop: key.proof(path, nonce: nonce)])
        }
        let first = try await send(nil)
        return try await send(first.headers[.dpopNonce])
    }

    @Test("The right password yields a code and no token, and the code is redeemed by the same key")
    func rightPassword() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let key = ProofKey()
            let answer = try await challenge(client, "maria", "correct horse battery", key: key)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(try answer.member("access_token") == nil)
            #expect(answer.headers[.cacheControl] == "no-store")
            let code = try #require(try answer.member("authorization_code"))
            let proof = try key.proof("/oauth2/token", nonce: server.server.context.proofs.currentNonce())
            let redeemed = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "authorization_code", "client_id": "wallet", "code": code,
                    "code_verifier": Journey.verifier,
                ], [.dpop: proof])
            #expect(redeemed.status == .ok, "\(redeemed.text)")
            #expect(try redeemed.member("token_type") == "DPoP")
        }
    }

    @Test("An address that is not confirmed: the answer says whether a code was sent, and when the next can be")
    func sentCode() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            try await server.execute { try await AccountAdministration($0).create(registration) }
            for isSent in [true, false] {
                let answer = try await challenge(client, "maria", "correct horse battery")
                #expect(try answer.member("error_code") == "email_unverified")
                let told = try #require(try answer.json["sent_code"]?.object)
                #expect(told["sent"] == .bool(isSent))
                #expect(try #require(told["resend_after"]?.integer) > 0)
            }
        }
    }

    @Test("Enumeration: an unknown name and a wrong password get the same 401, with a challenge")
    func enumeration() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let wrong = try await challenge(client, "maria", "wrong password")
            let unknown = try await challenge(client, "nobody", "wrong password")
            for answer in [wrong, unknown] {
                #expect(answer.status == .unauthorized, "\(answer.text)")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("DPoP algs=") == true)
                #expect(try answer.member("error_code") == "invalid_credentials")
                #expect(try answer.json["status_code"]?.integer == 401)
            }
            #expect(wrong.body == unknown.body)
        }
    }

    @Test(
        "Enumeration after an import: every wrong password gets the same 401, and waits where none is compared with an imported hash"
    )
    func importedEnumeration() async throws {
        let waits = Mutex<[Duration]>([])
        try await TestServer.use(sleep: { time in waits.withLock { $0.append(time) } }) { server in
            try await server.makePublicClient()
            try await server.makeAccount()
            // Of `correct horse battery`, with cost 4, by crypt(3).
            let hash = "$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS"
            try await server.execute(
                AdminRequest(
                    ["account", "import-batch", "--source", "file", "--run", "a", "--first"],
                    input: #"{"line":1,"account":{"username":"ada","passwordHash":"\#(hash)"}}"#))
            try await server.serve { client in
                let imported = try await challenge(client, "ada", "wrong password")
                #expect(waits.withLock { $0 } == [])
                let own = try await challenge(client, "maria", "wrong password")
                let unknown = try await challenge(client, "nobody", "wrong password")
                let asked = waits.withLock { $0 }
                #expect(asked.count == 2 && asked.first == asked.last, "the time of one comparison: \(asked)")
                #expect(asked.allSatisfy { $0 > .zero })
                for answer in [imported, own, unknown] {
                    #expect(answer.status == .unauthorized, "\(answer.text)")
                    #expect(answer.body == imported.body)
                }
                let right = try await challenge(client, "ada", "correct horse battery")
                #expect(right.status == .ok, "\(right.text)")
                #expect(try await challenge(client, "maria", "correct horse battery").status == .ok)
                #expect(waits.withLock { $0.count } == 2, "no one with the right password waits")
            }
        }
    }

    @Test("Enumeration by slowing: every refusal says the same, slowed or not, account or not")
    func slowedEnumeration() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            var answers: Set<String> = []
            for username in ["maria", "nobody", "no\u{202E}body"] {
                for _ in 1...7 {
                    let answer = try await challenge(client, username, "wrong password")
                    #expect(answer.status == .unauthorized)
                    answers.insert("\(answer.text) \(answer.headers[.wwwAuthenticate] ?? "")")
                }
            }
            #expect(answers.count == 1)
            #expect(answers.first?.contains("if you have tried many times, wait a few minutes") == true)
        }
    }

    @Test(
        "A wrong assertion and a wrong nonce are invalid_credentials like a wrong password, in words of their own",
        arguments: [
            (["login_method": "pin", "device_id": "d1", "pin_assertion": "{}"], "The assertion is invalid"),
            (["login_method": "nonce", "login_nonce": "unknown"], "The login nonce is invalid"),
        ])
    func words(fields: [String: String], words: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let (path, key) = ("/oauth2/authorize-challenge", ProofKey())
            var form = FormParameters()
            form.append("client_id", "wallet")
            form.append("scope", "openid")
            form.append("code_challenge", Journey.challenge)
            form.append("code_challenge_method", "S256")
            for field in fields { form.append(field.key, field.value) }
            let (body, type) = (form.encoded, "application/x-www-form-urlencoded")
            let first = try await client.post(path, body: body, type, [.dpop: key.proof(path, nonce: nil)])
            let answer = try await client.post(
                path, body: body, type, [.dpop: key.proof(path, nonce: first.headers[.dpopNonce])])
            #expect(answer.status == .unauthorized, "\(answer.text)")
            #expect(try answer.member("error_code") == "invalid_credentials")
            let description = try #require(try answer.member("error_description"))
            #expect(description.hasPrefix(words))
            #expect(!description.contains("password"))
        }
    }

    @Test("Authentication details name the brand's URL; an unregistered address and an unknown brand are problems")
    func authenticationDetails() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.resetCredentialsURLs = ["https://app.example.com/reset"] }
            func details(
                _ brand: String = "default", _ reset: String = "https://app.example.com/reset", _ more: String = ""
            )
                async throws -> TestResponse
            {
                try await client.post(
                    "/v1/brands/\(brand)/authentication-details",
                    body: """
                        {"clientId":"wallet","codeChallenge":"\(Journey.challenge)","state":"state-1",\
                        "redirectUri":"\(Journey.redirectURI)","resetCredentialsUrl":"\(reset)"\(more)}
                        """, "application/json")
            }
            let answer = try await details()
            #expect(answer.status == .ok, "\(answer.text)")
            let url = try #require(try answer.member("authenticationUrl"))
            #expect(url.hasPrefix(TestServer.issuer + "/"))
            let page = try await client.get(String(url.dropFirst(TestServer.issuer.count)))
            #expect(page.status == .ok)

            let open = try await details("default", "https://evil.example/reset")
            #expect(open.status == .badRequest)
            #expect(open.headers[.contentType] == "application/problem+json")
            #expect(try open.member("code") == "unregistered_url")
            let unknown = try await details("nobody")
            #expect(unknown.status == .notFound)
            for more in [
                ",\"state\":\"doubled\"", ",\"emailVerified\":true", ",\"x\":" + String(repeating: "[", count: 100),
            ] {
                let refused = try await details("default", "https://app.example.com/reset", more)
                #expect(refused.status == .badRequest)
                #expect(try refused.member("code") == "bad_request")
            }
            try await server.execute(["client", "update", "wallet", "--require-par"])
            let pushing = try await details()
            #expect(pushing.status == .badRequest)
            #expect(try pushing.member("code") == "unauthorized_client", "the page would refuse the URL")
        }
    }
}
