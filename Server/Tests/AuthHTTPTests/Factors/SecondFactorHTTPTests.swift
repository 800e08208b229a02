import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("A second factor over HTTP")
struct SecondFactorHTTPTests {
    private let path = "/oauth2/authorize-challenge"

    private func step(
        _ client: any TestClientProtocol, key: ProofKey, _ fields: [(String, String)]
    ) async throws -> TestResponse {
        func send(_ nonce: String?) async throws -> TestResponse {
            var form = FormParameters()
            form.append("client_id", "wallet")
            form.append("scope", "openid offline_access")
            form.append("code_challenge", Journey.challenge)
            form.append("code_challenge_method", "S256")
            for (name, value) in fields { form.append(name, value) }
            return try await client.post(
                path, body: form.encoded, "application/x-www-form-urlencoded", [.dpop: key.proof(path, nonce: nonce)])
        }
        let first = try await send(nil)
        return try await send(first.headers[.dpopNonce])
    }

    private func code(_ server: TestServer) async throws -> String {
        let messages = try await server.server.messages?.recent(limit: 10) ?? []
        return try #require(messages.first { $0.kind == "second_factor_code" }?.code)
    }

    private func prepare(_ server: TestServer) async throws {
        try await server.makePublicClient()
        var registration = AccountRegistration(username: "maria", password: "correct horse battery")
        registration.email = "maria@example.com"
        registration.emailVerified = true
        try await server.execute { try await AccountAdministration($0).create(registration) }
    }

    private let login = [("login_method", "password"), ("username", "maria"), ("password", "correct horse battery")]

    @Test("A client of the first-party draft, which names the response type, is asked for it by the draft's status")
    func draft() async throws {
        try await TestServer.serve { server, client in
            try await prepare(server)
            let asked = try await step(client, key: ProofKey(), login + [("response_type", "code")])
            #expect(asked.status == .forbidden, "\(asked.text)")
            #expect(try asked.member("error") == "insufficient_authorization")
            #expect(try asked.member("error_code") == "mfa_required")
            #expect(try asked.member("auth_session") != nil)
        }
    }

    @Test("It is asked for by 400 with the number 412, a wrong answer is 401, and the right one yields a code")
    func asked() async throws {
        try await TestServer.serve { server, client in
            try await prepare(server)
            let key = ProofKey()
            let asked = try await step(client, key: key, login)
            #expect(asked.status == .badRequest, "\(asked.text)")
            #expect(try asked.member("error") == "insufficient_authorization")
            #expect(try asked.member("error_code") == "mfa_required")
            #expect(try asked.json["status_code"]?.integer == 412)
            let told = try InsufficientAuthorization(asked.json)
            let factor = try #require(told.secondFactor)
            #expect(factor.method == "otp")
            #expect(factor.channel == "EMAIL")
            #expect(factor.destination == "m…@example.com")
            #expect(!asked.text.contains("maria@example.com"))
            let session = try #require(told.authSession?.reveal())
            let code = try await code(server)
            let answer = [("auth_session", session), ("mfa_token", factor.token.reveal())]
            let wrong = try await step(
                client, key: key, answer + [("mfa_answer", code == "000000" ? "000001" : "000000")])
            #expect(wrong.status == .unauthorized)
            #expect(try wrong.member("error_code") == "invalid_credentials")
            let next = try #require(try wrong.member("auth_session"))
            let right = try await step(
                client, key: key,
                [("auth_session", next), ("mfa_token", factor.token.reveal()), ("mfa_answer", code)])
            #expect(right.status == .ok, "\(right.text)")
            #expect(try right.member("authorization_code") != nil)
            let again = try await step(client, key: key, answer + [("mfa_answer", code)])
            #expect(again.status == .badRequest)
            #expect(try again.member("error") == "invalid_session")
            #expect(!server.log.lines.contains { $0.contains(code) })
        }
    }

    @Test(
        "A page whose code could not be sent says so in its heading and an error, has no field, and offers another try",
        arguments: Language.allCases)
    func unsentCode(language: Language) async throws {
        try await TestServer.serve { server, client in
            try await prepare(server)
            func signIn() async throws -> TestResponse {
                var browser = BrowserOverHTTP(client: client, headers: [.acceptLanguage: language.rawValue])
                return try await browser.signIn()
            }
            let escaping = HTMLEscaping()
            let asked = try await signIn()
            #expect(asked.text.contains("name=\"answer\""))
            #expect(!asked.text.contains("class=\"notice"))
            // An account gets five codes, and then one at a time.
            for _ in 2...5 { #expect(try await signIn().text.contains("name=\"answer\"")) }
            let unsent = try await signIn()
            let text = language.text
            let heading = escaping.escapeText(text[.codeNotSentHeading])
            #expect(unsent.text.contains("<h1>\(heading)</h1>"), "\(unsent.text)")
            #expect(unsent.text.contains("<div class=\"notice bad\" role=\"alert\""))
            #expect(!unsent.text.contains("name=\"answer\""))
            let retry = escaping.escapeText(text[.retryLabel])
            #expect(unsent.text.contains("value=\"resend_factor\">\(retry)</button>"))
            #expect(unsent.text.contains("value=\"cancel\""))
            #expect(!unsent.text.contains("/sandbox/outbox"))
        }
    }

    @Test(
        "The page says of a wrong code that was sent that it may have expired, and how many tries remain",
        arguments: Language.allCases)
    func wrongSentCode(language: Language) async throws {
        try await TestServer.serve { server, client in
            try await prepare(server)
            var browser = BrowserOverHTTP(client: client, headers: [.acceptLanguage: language.rawValue])
            let asked = try await browser.signIn()
            let wrong = try await code(server) == "000000" ? "000001" : "000000"
            let refused = try await browser.press("answer_factor", on: asked, [("answer", wrong)])
            #expect(refused.status == .badRequest)
            let words = HTMLEscaping().escapeText(language.text[.invalidCode])
            #expect(refused.text.contains("<p>\(words)</p>"), "\(refused.text)")
            let remaining = HTMLEscaping().escapeText(language.text[.remainingTries, ["count": "4"]])
            #expect(refused.text.contains("<p>\(remaining)</p>"), "\(refused.text)")
        }
    }

    @Test("What an account signs in with cannot be seen or changed without a token and its key")
    func unauthorized() async throws {
        try await TestServer.serve { server, client in
            try await prepare(server)
            for (method, path, body) in [
                (HTTPRequest.Method.get, "/v1/account/factors", nil), (.post, "/v1/account/totp", nil),
                (.post, "/v1/account/totp/confirm", #"{"code":"123456"}"#), (.delete, "/v1/account/totp", nil),
                (.post, "/v1/account/recovery-codes", nil), (.get, "/v1/account/secret-questions", nil),
                (.put, "/v1/account/secret-questions", #"{"answers":[]}"#),
                (.put, "/v1/account/password", #"{"newPassword":"a fresh phrase 7"}"#),
                (.post, "/v1/account/email", #"{"email":"eve@example.com"}"#),
                (.post, "/v1/account/email/confirm", #"{"code":"123456"}"#),
                (.post, "/v1/account/phone", #"{"phone":"+35921234567"}"#),
                (.delete, "/v1/account/phone", nil),
                (.get, "/v1/account/activity", nil), (.post, "/v1/account/export", nil),
                (.post, "/v1/account/closing", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                var headers: HTTPFields = [:]
                if body != nil { headers[.contentType] = "application/json" }
                let answer = try await client.execute(
                    uri: path, method: method, headers: headers, body: body.map { .init(string: $0) })
                #expect(answer.status == .unauthorized, "\(method) \(path)")
            }
        }
    }
}
