import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Claims that an authorization request asks for (OpenID Connect Core 5.5)")
struct RequestedClaimsTests {
    private func setUp() async throws -> (server: TestServer, client: TestClient, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let client = try await server.relyingApp("aurora") { $0.requiresDPoP = false }
        return (server, client, TestBrowser(server))
    }

    private func request(_ client: TestClient, _ claims: String) throws -> FormParameters {
        try client.request {
            $0["scope"] = "openid"
            $0["claims"] = claims
        }
    }

    @Test func `The page asks for a claim by its scope, and the ID token has the claim and no other`() async throws {
        let (_, client, browser) = try await setUp()
        let form = try request(client, #"{"id_token":{"email":{"essential":true},"phone_number":null}}"#)
        let page = try await browser.signIn(form).page()
        #expect(page.consent?.new == ["openid", "email", "phone"])
        let tokens = try await client.redeem(browser.submit(page, .allow).code()).tokens()
        #expect(tokens.scope?.tokens == ["openid", "email", "phone"])
        let payload = try CompactJWS(#require(tokens.idToken).reveal()).unverifiedPayload
        let claims = try JSONValue.object(parsing: payload)
        #expect(claims["email"]?.string == "ada@example.com")
        #expect(claims["email_verified"] == nil)
        #expect(claims["phone_number"] == nil)
    }

    @Test func `A claim beyond the client's scopes is left out`() async throws {
        let (_, client, browser) = try await setUp()
        let page = try await browser.signIn(request(client, #"{"userinfo":{"address":null}}"#)).page()
        #expect(page.consent?.new == ["openid"])
    }

    @Test func `An essential class has to be reached, and another person's sub signs no one in`() async throws {
        let (server, client, browser) = try await setUp()
        let two = AuthenticationStrength.twoFactors
        let strong = try request(client, #"{"id_token":{"acr":{"essential":true,"values":["\#(two)"]}}}"#)
        let asked = try await browser.signIn(strong).page()
        guard case .secondFactor = asked.step else {
            Issue.record("no second factor: \(asked.step)")
            return
        }
        let unknown = try request(client, #"{"id_token":{"acr":{"essential":true,"value":"unknown"}}}"#)
        #expect(try await browser.open(unknown).redirect()["error"] == "unmet_authentication_requirements")
        let grace = try await server.account("grace")
        let other = try request(client, #"{"id_token":{"sub":{"value":"\#(grace.rawValue)"}}}"#)
        #expect(try await TestBrowser(server).signIn(other).redirect()["error"] == "login_required")
    }

    @Test func `attack: without consent, prompt=none answers the same for the right sub and for another's`()
        async throws
    {
        let (server, client, browser) = try await setUp()
        let own = try await server.publicClient()
        _ = try await browser.signIn(own.request()).code()
        let ada = try #require(try await server.accountID())
        let grace = try await server.account("grace")
        var answers: [[String?]] = []
        for person in [ada, grace] {
            var silent = try request(client, #"{"id_token":{"sub":{"value":"\#(person.rawValue)"}}}"#)
            silent.append("prompt", "none")
            let answer = try await browser.open(silent).redirect()
            answers.append([answer["error"], answer["error_description"]])
        }
        #expect(answers[0].first == "login_required")
        #expect(answers[0] == answers[1])
        // With consent, the client may know.
        let page = try await browser.open(request(client, "{}")).page()
        _ = try await browser.submit(page, .allow).code()
        var silent = try request(client, #"{"id_token":{"sub":{"value":"\#(ada.rawValue)"}}}"#)
        silent.append("prompt", "none")
        _ = try await browser.open(silent).code()
    }

    @Test(arguments: [
        "no JSON", #"{"id_token":{"email":7}}"#, #"{"id_token":{"sub":{"value":7}}}"#, #"{"a":[[[[[]]]]]}"#,
        String(repeating: "a", count: 5_000),
    ])
    func `Malformed, deep and huge claims are refused`(claims: String) async throws {
        let (_, client, browser) = try await setUp()
        #expect(try await browser.open(request(client, claims)).redirect()["error"] == "invalid_request")
    }
}
