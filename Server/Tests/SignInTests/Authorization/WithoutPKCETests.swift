import ArgumentParser
import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Clients without PKCE", .covers("clients without PKCE"), .threat("PKCE missing, plain or without its method"))
struct WithoutPKCETests {
    /// A confidential client of another party, as a server registers it.
    private static func registration(
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) -> ClientRegistration {
        var registration = ClientRegistration(name: "Shop", kind: .confidential)
        registration.redirectURIs = ["https://app.example.com/callback"]
        registration.scopes = ["openid", "wallet"]
        registration.withoutPKCE = true
        adjust(&registration)
        return registration
    }

    private static func isAccepted(
        _ registration: ClientRegistration, in environment: ServerSettings.Environment = .production
    ) -> Bool {
        (try? registration.checked(madeID: { "shop" }, in: environment, now: Timestamp(seconds: 0))) != nil
    }

    private struct Setting {
        let server: TestServer
        let client: TestClient
        let browser: TestBrowser

        init() async throws {
            server = try await TestServer.start()
            _ = try await server.account()
            client = try await server.confidentialClient("shop") {
                $0 = WithoutPKCETests.registration()
                $0.id = "shop"
            }
            browser = TestBrowser(server)
        }

        /// A request without a challenge.
        func request(_ adjust: (inout [String: String?]) -> Void = { _ in }) throws -> FormParameters {
            try client.request {
                $0["code_challenge"] = .some(nil)
                $0["code_challenge_method"] = .some(nil)
                adjust(&$0)
            }
        }

        func redeem(_ code: AuthorizationCode, _ verifier: CodeVerifier? = nil) async throws -> TokenOutcome {
            try await client.token(.authorizationCode(code, redirectURI: nil, verifier: verifier))
        }
    }

    @Test(
        "Only a confidential client of another party with https redirect URIs and the scope openid may leave PKCE out")
    func eligible() {
        #expect(Self.isAccepted(Self.registration()))
        let faults: [(String, (inout ClientRegistration) -> Void)] = [
            ("first-party", { $0.firstParty = true }),
            ("redeemed by another", { $0.redeemer = "backend" }), ("no ID token", { $0.scopes = ["wallet"] }),
            ("no redirect URI", { $0.redirectURIs = [] }),
            ("a scheme of its own", { $0.redirectURIs = ["com.example.shop:/callback"] }),
            ("one of two on loopback", { $0.redirectURIs.append("http://127.0.0.1/callback") }),
            (
                "guest tokens",
                {
                    $0.guestTokens = true
                    $0.loyaltyMerchants = [10_101_010]
                }
            ),
        ]
        for (name, fault) in faults {
            #expect(!Self.isAccepted(Self.registration(fault)), "\(name)")
            #expect(
                Self.isAccepted(
                    Self.registration {
                        fault(&$0)
                        $0.withoutPKCE = false
                    }), "nothing else is wrong with it: \(name)")
        }
        var app = Self.registration()
        app.kind = .public
        #expect(!Self.isAccepted(app), "an app has no secret")
    }

    @Test("A sandbox takes http on loopback as well, to try a program out")
    func sandbox() {
        for uri in ["http://127.0.0.1:8000/callback", "http://localhost:8000/callback"] {
            let registration = Self.registration { $0.redirectURIs = [uri] }
            #expect(Self.isAccepted(registration, in: .sandbox), "\(uri)")
            #expect(!Self.isAccepted(registration), "\(uri)")
        }
    }

    @Test("Its request has a nonce in place of the challenge, which the ID token repeats")
    func nonce() async throws {
        let setting = try await Setting()
        let code = try await setting.browser.signInAndAllow(setting.request())
        let tokens = try await setting.redeem(code).tokens()
        let idToken = try #require(tokens.idToken)
        let claims = try JSONValue.object(parsing: CompactJWS(idToken.reveal()).unverifiedPayload)
        #expect(claims["nonce"]?.string == "n-1")
    }

    @Test("Without a nonce, or without the scope openid, its request is refused before a page is shown")
    func withoutNonce() async throws {
        let setting = try await Setting()
        for (name, value) in [("nonce", nil), ("scope", "wallet")] as [(String, String?)] {
            let refused = try await setting.browser.open(setting.request { $0[name] = .some(value) }).redirect()
            #expect(refused["error"] == "invalid_request", "\(name)")
            #expect(refused["error_description"]?.contains("needs nonce and the scope openid") == true, "\(name)")
        }
    }

    @Test("Half of PKCE is no request without it: a challenge without its method, plain, or a method alone is refused")
    func half() async throws {
        let setting = try await Setting()
        let challenge = CodeChallenge(verifier: TestClient.verifier).rawValue
        for (sent, method) in [(challenge, nil), (challenge, "plain"), (nil, "S256")] as [(String?, String?)] {
            let refused = try await setting.browser.open(
                setting.request {
                    $0["code_challenge"] = .some(sent)
                    $0["code_challenge_method"] = .some(method)
                }
            ).redirect()
            #expect(refused["error"] == "invalid_request")
        }
    }

    @Test("attack: a challenge that it does send binds the code, which then needs its verifier")
    func enforced() async throws {
        let setting = try await Setting()
        let code = try await setting.browser.signInAndAllow(setting.client.request())
        #expect(try await setting.redeem(code).refusal == .invalidGrant)
        let wrong = try CodeVerifier(String(repeating: "x", count: 43))
        #expect(try await setting.redeem(code, wrong).refusal == .invalidGrant)
        _ = try await setting.redeem(code, TestClient.verifier).tokens()
    }

    @Test("attack: the challenge is taken out of its request on the way, and the verifier that it sends tells")
    func downgrade() async throws {
        let setting = try await Setting()
        let code = try await setting.browser.signInAndAllow(setting.request())
        #expect(try await setting.redeem(code, TestClient.verifier).refusal == .invalidGrant)
        _ = try await setting.redeem(code).tokens()
    }

    @Test("attack: a stolen code of a request without PKCE opens nothing for another client, and works once")
    func stolen() async throws {
        let setting = try await Setting()
        let thief = try await setting.server.confidentialClient("thief") {
            $0 = Self.registration()
            $0.id = "thief"
        }
        let code = try await setting.browser.signInAndAllow(setting.request())
        let stolen = try await thief.token(.authorizationCode(code, redirectURI: nil, verifier: nil))
        #expect(stolen.refusal == .invalidGrant)
        _ = try await setting.redeem(code).tokens()
        #expect(try await setting.redeem(code).refusal == .invalidGrant)
    }

    @Test(
        "Every other client needs a challenge and its verifier, also one with a nonce and a secret",
        .conformance("fapi2-security-profile-final-ensure-pkce-code-verifier-required"))
    func others() async throws {
        let setting = try await Setting()
        let other = try await setting.server.confidentialClient("other") {
            $0.redirectURIs = ["https://app.example.com/callback"]
        }
        let request = try setting.request { $0["client_id"] = "other" }
        let refused = try await setting.browser.open(request).redirect()
        #expect(refused["error"] == "invalid_request")
        #expect(refused["error_description"] == "code_challenge is missing")
        let code = try await setting.browser.signInAndAllow(other.request())
        let outcome = try await other.token(.authorizationCode(code, redirectURI: nil, verifier: nil))
        #expect(outcome.refusal == .invalidRequest("code_verifier is missing"))
        _ = try await other.redeem(code).tokens()
    }

    @Test("The operator is warned wherever the client is shown, until PKCE is required again, which counts at once")
    func warned() async throws {
        let setting = try await Setting()
        func warnings() async throws -> [String]? {
            try await setting.server.administer(["client", "show", "shop"])["warnings"]?.strings
        }
        #expect(try await warnings() == ["without_pkce"])
        let shown = await setting.server.flows.administration.execute(["client", "show", "shop"])
        #expect(shown.lines.last?.contains("walletauth client update shop --require-pkce") == true, "\(shown.lines)")
        let page = try await setting.browser.signIn(setting.request()).page()
        try await setting.server.administer(["client", "update", "shop", "--require-pkce"])
        #expect(try await warnings() == nil)
        let refused = try await setting.browser.submit(page, .allow).redirect()
        #expect(refused["error"] == "invalid_request")
        try await setting.server.administer(["client", "update", "shop", "--without-pkce"])
        #expect(try await warnings() == ["without_pkce"])
        let own = await setting.server.flows.administration.execute(["client", "update", "shop", "--first-party"])
        #expect(own.status == .refused, "\(own.lines)")
    }

    @Test("PKCE is required or left out, not both")
    func flags() throws {
        #expect(try PKCEOptions.parse([]).withoutPKCE == nil)
        #expect(try PKCEOptions.parse(["--without-pkce"]).withoutPKCE == true)
        #expect(try PKCEOptions.parse(["--require-pkce"]).withoutPKCE == false)
        #expect(throws: (any Error).self) { try PKCEOptions.parse(["--without-pkce", "--require-pkce"]) }
    }
}
