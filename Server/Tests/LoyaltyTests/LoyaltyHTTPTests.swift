import Core
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Kernel
import Logging
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Loyalty
@testable import Web

@Suite(
    "The loyalty API over HTTP", .threat("Integrators' backends"),
    .covers(
        "flow 1: POST oauth/requestGuestToken.json", "flow 2: POST enrollment/createAndRegister.json",
        "enforceUniqueFields", "setUserFields: style, username, password"))
struct LoyaltyHTTPTests {
    private static let tokenPath = "/oauth/requestGuestToken.json"
    private static let enrollmentPath = "/enrollment/createAndRegister.json"

    /// What a proxy that ends TLS adds.
    private static let throughProxy: HTTPFields = [.xForwardedProto: "https", .xForwardedFor: "192.0.2.1"]

    /// The bodies of the integrators' page, save the values of one guest.
    private static func tokenBody(_ code: String, _ accessToken: String) -> String {
        """
        {
          "authentication": "b2b",
          "grant_type": "http://paytronix.com/oauth/fieldset",
          "merchantId": 10101010,
          "scope": "user_read account_read",
          "fields": {
            "externalIdentifier": "appleIntegrationIdentifier",
            "externalAccessToken": "\(accessToken)",
            "externalAccountCode": "\(code)"
            }
        }
        """
    }

    private static func enrollmentBody(_ code: String, _ accessToken: String, comment: String = "") -> String {
        """
        {
            "authentication": "b2b",
            "merchantId": 10101010,
            "cardTemplateCode": 0,
            "activationStoreCode": "pxweb",
            "enforceUniqueFields": [],
            "setUserFields": {
                "style": "typed",
                "username": "testUsername",
                "password": "testPassword"
            },
            "setAccountFields": {
                "style": "typed",
                "externalAccounts": [{
                  "accountCode":"\(code)",\(comment)
                  "integration":"appleIntegrationIdentifier",
                  "accessToken": "\(accessToken)"
                }]
            }
        }
        """
    }

    private struct Setting: Sendable {
        let server: LoyaltyServer
        let integrator: Integrator
        let client: any TestClientProtocol

        func post(
            _ path: String, _ body: String, authorization: String? = nil, type: String? = "application/json"
        ) async throws -> TestResponse {
            var headers = LoyaltyHTTPTests.throughProxy
            headers[.contentType] = type
            headers[.authorization] = authorization ?? integrator.authorization
            return try await client.execute(
                uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
        }

        func token(of subject: String) -> String {
            server.vendor.token(of: subject, issuedAt: server.clock.now())
        }
    }

    private func serve(
        _ environment: ServerSettings.Environment = .production,
        _ test: @escaping @Sendable (Setting) async throws -> Void
    ) async throws {
        let server = try await LoyaltyServer.start { $0.environment = environment }
        let integrator = try await server.integrator()
        var configuration = HTTPConfiguration(address: ListenAddress(host: "127.0.0.1", port: 0))
        configuration.trustedProxies = ["127.0.0.1", "::1"].compactMap(AddressRange.init)
        try await HTTPServer(
            features: Features(context: server.context), configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).application().test(.live) { client in
            try await test(Setting(server: server, integrator: integrator, client: client))
        }
    }

    @Test("The page's first flow, byte by byte: no matching guest, then tokens")
    func firstFlow() async throws {
        try await serve { setting in
            let (token, code) = (setting.token(of: "sub-1"), setting.server.vendor.code(of: "sub-1"))
            let unknown = try await setting.post(Self.tokenPath, Self.tokenBody(token, code))
            #expect(unknown.status == .ok)
            #expect(
                unknown.text == #"{"result":"failure","errorCode":"authentication.no_matching_guest","#
                    + #""errorMessage":"No account is linked to this external account."}"#)
            try await setting.server.guest("sub-1", username: "testusername")
            let known = try await setting.post(Self.tokenPath, Self.tokenBody(token, code))
            #expect(known.status == .ok)
            #expect(known.headers[.contentType] == "application/json")
            #expect(known.headers[.cacheControl] == "no-store")
            let json = try JSONValue.object(parsing: Array(known.body.readableBytesView))
            let names = ["result", "access_token", "token_type", "expires_in", "refresh_token", "scope", "username"]
            #expect(json.names == names)
            let (access, refresh) = (json["access_token"]?.string ?? "", json["refresh_token"]?.string ?? "")
            #expect(
                known.text
                    == #"{"result":"success","access_token":"\#(access)","token_type":"bearer","expires_in":300,"#
                    + #""refresh_token":"\#(refresh)","scope":"user_read account_read","username":"testusername"}"#)
        }
    }

    @Test(
        "The page's second flow in the sandbox, byte by byte and with its comment, and its response as clients decode it"
    )
    func secondFlow() async throws {
        try await serve(.sandbox) { setting in
            let code = setting.server.vendor.code(of: "sub-1")
            let body = Self.enrollmentBody(setting.token(of: "sub-1"), code, comment: " //JWT identity token")
            let made = try await setting.post(Self.enrollmentPath, body)
            #expect(made.status == .ok)
            let json = try JSONValue.object(parsing: Array(made.body.readableBytesView))
            let number = try #require(json["accountId"]?.integer)
            let tokens = try #require(json["oauthTokens"]?.object)
            let (access, refresh) = (tokens["access_token"]?.string ?? "", tokens["refresh_token"]?.string ?? "")
            #expect(
                made.text == #"{"result":"cardCreatedSuccess","accountId":\#(number),"oauthTokens":{"access_token":"#
                    + #""\#(access)","token_type":"bearer","expires_in":300,"refresh_token":"\#(refresh)","#
                    + #""scope":"user_read account_read account_write","username":"testUsername"}}"#)
            let again = try await setting.post(Self.enrollmentPath, body)
            #expect(try JSONValue.object(parsing: Array(again.body.readableBytesView))["accountId"]?.integer == number)
        }
    }

    @Test("The page's own testPassword is refused in production, for its field, and so is a comment in the JSON")
    func examplePassword() async throws {
        try await serve { setting in
            let code = setting.server.vendor.code(of: "sub-1")
            let answer = try await setting.post(
                Self.enrollmentPath, Self.enrollmentBody(setting.token(of: "sub-1"), code))
            #expect(answer.status == .ok)
            #expect(
                answer.text == #"{"result":"failure","errorCode":"authentication.invalid_fields","#
                    + #""errorMessage":"A field is not accepted: password is too common.","#
                    + #""errorsByField":{"password":["too_common"]}}"#)
            #expect(setting.server.vendor.redeemed.isEmpty)
            let comment = try await setting.post(
                Self.enrollmentPath, Self.enrollmentBody(setting.token(of: "sub-1"), code, comment: " //JWT"))
            #expect(comment.status == .badRequest)
            #expect(comment.failure == "authentication.invalid_request")
        }
    }

    @Test("attack: mass assignment: a field that is not a client's to set is refused by name, and nothing is created")
    func massAssignment() async throws {
        try await serve { setting in
            let body = Self.enrollmentBody(setting.token(of: "sub-1"), setting.server.vendor.code(of: "sub-1"))
            for name in ["emailVerified", "optIn", "accountId", "state", "brand", "merchantId", "phoneVerified", "amr"]
            {
                let user = body.replacing(#""username": "#, with: #""\#(name)": true, "username": "#)
                let account = body.replacing(#""externalAccounts": "#, with: #""\#(name)": true, "externalAccounts": "#)
                for changed in [user, account] {
                    let answer = try await setting.post(Self.enrollmentPath, changed)
                    #expect(answer.status == .ok)
                    #expect(answer.failure == "authentication.invalid_fields")
                    #expect(answer.text.contains(#""errorsByField":{"\#(name)":["not_accepted"]}"#), "\(answer.text)")
                }
            }
            let unique = body.replacing(#""enforceUniqueFields": []"#, with: #""enforceUniqueFields": ["email"]"#)
            let answer = try await setting.post(Self.enrollmentPath, unique)
            #expect(answer.text.contains(#""errorsByField":{"enforceUniqueFields":["not_accepted"]}"#))
            #expect(setting.server.vendor.redeemed.isEmpty)
            #expect(try await setting.server.rows(of: "accounts") == 0)
        }
    }

    @Test("A one-time password is asked for in the query or in a form, and what is missing is named")
    func oneTimePassword() async throws {
        try await serve { setting in
            let path = "/onetimepassword/generateAndSendSMSOTP.json"
            let off = try await setting.post("\(path)?merchantId=10101010&mobilePhone=5142991649", "", type: nil)
            #expect(off.status == .ok && off.failure == "one_time_password.feature_disabled", "\(off.text)")
            let missing = try await setting.post("\(path)?merchantId=10101010", "", type: nil)
            #expect(missing.text.contains(#""errorsByField":{"mobilePhone":["required"]}"#), "\(missing.text)")
            let malformed = try await setting.post("\(path)?merchantId=x&mobilePhone=5142991649", "", type: nil)
            #expect(malformed.status == .badRequest && malformed.failure == "authentication.invalid_request")
            let form = "application/x-www-form-urlencoded"
            let inForm = try await setting.post(path, "merchantId=10101010&mobilePhone=%2B15142991649", type: form)
            #expect(inForm.failure == "one_time_password.feature_disabled", "\(inForm.text)")
            // What clients send along with the query is not read.
            let other = try await setting.post("\(path)?merchantId=10101010&mobilePhone=5142991649", "{")
            #expect(other.failure == "one_time_password.feature_disabled", "\(other.text)")
            let twice = try await setting.post("\(path)?merchantId=10101010", "merchantId=1&mobilePhone=1", type: form)
            #expect(twice.status == .badRequest && twice.failure == "authentication.invalid_request")
        }
    }

    @Test("attack: a guest's access token in the query of a request is refused, so that it enters no log")
    func tokenInQuery() async throws {
        try await serve { setting in
            let path = "/onetimepassword/generateAndSendSMSOTP.json?merchantId=10101010&mobilePhone=5142991649"
            let answer = try await setting.post("\(path)&access_token=token", "", type: nil)
            #expect(answer.status == .badRequest && answer.failure == "authentication.invalid_request")
        }
    }

    @Test("attack: a name that is refused is not repeated where it is no plain name")
    func injectedName() async throws {
        try await serve { setting in
            let body = Self.enrollmentBody("sub-1", "code")
                .replacing(#""username": "#, with: #""\u000a<script>": true, "username": "#)
            let answer = try await setting.post(Self.enrollmentPath, body)
            #expect(answer.text.contains(#""errorsByField":{"unknown":["not_accepted"]}"#), "\(answer.text)")
        }
    }

    @Test(
        "Malformed, doubled and unknown members are failures of this API with 400, after the client and before anything else"
    )
    func malformed() async throws {
        try await serve { setting in
            let token = Self.tokenBody("sub-1", "code")
            let bodies = [
                "", "[]", "{}", "{", token + "x", token.replacing("10101010", with: #""10101010""#),
                token.replacing(#""merchantId": 10101010,"#, with: ""),
                token.replacing(#""scope":"#, with: #""merchantId": 10101010, "scope":"#),
                token.replacing(#""scope":"#, with: #""client_id": "x", "scope":"#),
                token.replacing(#""fields": {"#, with: #""fields": 7, "more": {"#),
                token.replacing("http://paytronix.com/oauth/fieldset", with: "password"),
            ]
            for body in bodies {
                let answer = try await setting.post(Self.tokenPath, body)
                #expect(answer.status == .badRequest, "\(body)")
                #expect(answer.failure == "authentication.invalid_request", "\(body) \(answer.text)")
            }
            let words = [
                (token.replacing("b2b", with: "oauth"), "authentication.unsupported_authentication"),
                (
                    token.replacing("http://paytronix.com/oauth/fieldset", with: "client_credentials"),
                    "authentication.unsupported_grant_type"
                ),
                (token.replacing("user_read account_read", with: "user_read ü"), "authentication.invalid_scope"),
                (token.replacing(#""externalAccountCode""#, with: #""other""#), "authentication.invalid_fields"),
            ]
            for (body, code) in words {
                let answer = try await setting.post(Self.tokenPath, body)
                #expect(answer.status == .ok)
                #expect(answer.failure == code, "\(answer.text)")
            }
            let typeless = try await setting.post(Self.tokenPath, token, type: "text/plain")
            #expect(typeless.status == .unsupportedMediaType)
            #expect(typeless.failure == "authentication.invalid_request")
            let get = try await setting.client.execute(
                uri: Self.enrollmentPath, method: .get, headers: Self.throughProxy)
            #expect(get.status == .methodNotAllowed)
            #expect(get.failure == "authentication.invalid_request")
        }
    }

    @Test(
        "attack: without its secret a client learns nothing of a body: 401 with a challenge, and 403 for one that may not"
    )
    func clients() async throws {
        try await serve { setting in
            let plain = try await setting.server.integrator("plain") { $0.guestTokens = false }
            for path in [Self.tokenPath, Self.enrollmentPath] {
                let wrong = ClientAuthentication.basic(setting.integrator.id, plain.secret).authorizationHeader
                for body in ["{", Self.tokenBody("sub-1", "code")] {
                    let answer = try await setting.post(path, body, authorization: wrong)
                    #expect(answer.status == .unauthorized)
                    #expect(answer.failure == "authentication.invalid_client")
                    #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
                }
                let forbidden = try await setting.post(path, "{", authorization: plain.authorization)
                #expect(forbidden.status == .forbidden)
                #expect(forbidden.failure == "authentication.client_not_allowed")
            }
        }
    }

    @Test("An outage is 503 with the seconds to wait")
    func outage() async throws {
        try await serve { setting in
            try await setting.server.guest("sub-1")
            setting.server.vendor.setDown(true)
            let body = Self.tokenBody(setting.token(of: "sub-1"), setting.server.vendor.code(of: "sub-1"))
            let answer = try await setting.post(Self.tokenPath, body)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.retryAfter] == "10")
            #expect(answer.failure == "authentication.provider_unavailable")
        }
    }

    @Test("Comments are left out line by line, and what looks like one inside a string stays")
    func comments() {
        func kept(_ text: String) -> String {
            String(decoding: LineComments.removed(from: Array(text.utf8)), as: UTF8.self)
        }
        #expect(kept(#"{"a": 1, // one"# + "\n" + #""b": 2}"#) == #"{"a": 1, "# + "\n" + #""b": 2}"#)
        #expect(kept(#"{"a": "http://x/\"//y"} // end"#) == #"{"a": "http://x/\"//y"} "#)
        #expect(kept(#"{"a": "\\"}// c"#) == #"{"a": "\\"}"#)
        #expect(kept("/ /") == "/ /")
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The code of a failure; `nil` for anything else.
    var failure: String? {
        (try? JSONValue.object(parsing: Array(body.readableBytesView)))
            .flatMap { $0["result"] == "failure" ? $0["errorCode"]?.string : nil }
    }
}
