import Core
import Crypto
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Signed authorization requests", .covers("signed authorization requests and responses"),
    .threat("a signed request forged"))
struct SignedRequestTests {
    private let server: TestServer

    init() async throws {
        server = try await TestServer.start()
        _ = try await server.account()
    }

    @Test("An object of the client's opens the page, by URL or pushed, with its claims as the parameters")
    func signIn() async throws {
        let signer = try await TestSigner(server)
        for type in [JWSType.requestObject, .jwt, nil] {
            let form = signer.form(try signer.object(type: type) { $0.set("max_age", Int64(3_600)) })
            for link in [form, try await signer.client.push(form).response().form(of: signer.client.id)] {
                let redirect = try await TestBrowser(server).signIn(link).redirect()
                #expect(redirect["state"] == "s-1")
                let code = try AuthorizationCode(#require(redirect["code"]))
                _ = try await signer.client.redeem(code).tokens()
            }
        }
    }

    @Test("A form of a signed request goes on in a second tab after its object has expired")
    func secondTab() async throws {
        let signer = try await TestSigner(server)
        let browser = TestBrowser(server)
        let page = try await browser.open(signer.form(signer.object())).page()
        _ = try await browser.signIn(server.bearerClient().request()).code()
        server.clock.advance(by: .minutes(10))
        let action = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        _ = try await browser.submit(page, action).code()
    }

    @Test(
        "attack: what is outside the object counts for nothing, by URL or pushed",
        .conformance(
            "fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object",
            "fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object"))
    func outside() async throws {
        let signer = try await TestSigner(server)
        let form = signer.form(
            try signer.object(),
            [
                "redirect_uri": "https://evil.example/callback", "scope": "wallet_operations", "state": "forged",
                "response_type": "token", "prompt": "none", "nonce": "forged",
            ])
        for link in [form, try await signer.client.push(form).response().form(of: signer.client.id)] {
            let redirect = try await TestBrowser(server).signIn(link).redirect()
            #expect(redirect.redirectURI == "https://app.example.com/callback")
            #expect(redirect["state"] == "s-1")
            let tokens = try await signer.client.redeem(AuthorizationCode(#require(redirect["code"]))).tokens()
            #expect(tokens.scope?.rawValue == "openid wallet")
            let idToken = try CompactJWS(#require(tokens.idToken).reveal())
            #expect(try JSONValue.object(parsing: idToken.unverifiedPayload)["nonce"]?.string == "n-1")
        }
    }

    @Test(
        "attack: a state or redirect URI outside the object is not taken for one that the object lacks",
        .conformance(
            "fapi2-security-profile-final-state-only-outside-request-object-not-used",
            "fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails"))
    func onlyOutside() async throws {
        let signer = try await TestSigner(server)
        let form = signer.form(try signer.object { $0["state"] = nil }, ["state": "forged"])
        #expect(try await TestBrowser(server).signIn(form).redirect()["state"] == nil)
        let lacking = try signer.object { $0["redirect_uri"] = nil }
        let pushed = signer.form(lacking, ["redirect_uri": "https://app.example.com/callback"])
        #expect(try await signer.client.push(pushed).error == "invalid_request")
    }

    @Test(
        "An object for several audiences, or by a clock that is seconds ahead, is taken",
        .conformance(
            "fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds",
            "fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted"))
    func tolerated() async throws {
        let signer = try await TestSigner(server)
        let now = server.clock.now().seconds
        for object in [
            try signer.object { $0["aud"] = ["https://auth.example.com", "https://other.example"] },
            try signer.object { $0.set("nbf", now + 8) },
        ] {
            _ = try await TestBrowser(server).open(signer.form(object)).page()
        }
    }

    /// What makes an object unacceptable.
    private static let changes: [(String, @Sendable (inout JSONObject, Int64) -> Void)] = [
        ("another audience", { claims, _ in claims.set("aud", "https://other.example") }),
        ("no audience", { claims, _ in claims["aud"] = nil }),
        ("another issuer", { claims, _ in claims.set("iss", "other") }),
        ("no issuer", { claims, _ in claims["iss"] = nil }),
        ("another client", { claims, _ in claims.set("client_id", "other") }),
        ("no client", { claims, _ in claims["client_id"] = nil }),
        ("no expiry", { claims, _ in claims["exp"] = nil }),
        ("expired", { claims, now in claims.set("exp", now - 31) }),
        ("too long a life", { claims, now in claims.set("exp", now + 3_601) }),
        ("too old", { claims, now in claims.set("nbf", now - 3_631) }),
        ("not valid yet", { claims, now in claims.set("nbf", now + 31) }),
        ("a subject, as an assertion has", { claims, _ in claims.set("sub", "partner") }),
        ("an object inside", { claims, _ in claims.set("request", "e30.e30.e30") }),
        ("a reference inside", { claims, _ in claims.set("request_uri", "https://evil.example/request") }),
        ("a list for a text", { claims, _ in claims["acr_values"] = ["urn:example:high"] }),
        ("a fraction for an age", { claims, _ in claims["max_age"] = .number(0.5) }),
        ("a list with more than texts", { claims, _ in claims["resource"] = ["https://api.example.com", 1] }),
    ]

    @Test(
        "attack: an object for another server, client or time is refused on a page, and when it is pushed",
        .conformance(
            "fapi2-security-profile-final-ensure-request-object-without-exp-fails",
            "fapi2-security-profile-final-ensure-expired-request-object-fails",
            "fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails",
            "fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails",
            "fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails",
            "fapi2-security-profile-final-par-authorization-request-containing-request_uri"),
        arguments: 0..<17)
    func unacceptable(index: Int) async throws {
        let signer = try await TestSigner(server)
        let (name, change) = Self.changes[index]
        let now = server.clock.now().seconds
        let form = signer.form(try signer.object { change(&$0, now) })
        let outcome = try await TestBrowser(server).open(form)
        #expect(outcome.requestObjectFault == "invalid_request_object", "\(name)")
        #expect(try await signer.client.push(form).error == "invalid_request_object", "\(name)")
        #expect(Self.changes.count == 17)
    }

    @Test(
        "attack: alg none, HS256, another key, another type and a changed claim are refused",
        .conformance(
            "fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none",
            "fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails",
            "fapi2-security-profile-final-ensure-matching-key-in-authorization-request"))
    func forged() async throws {
        let signer = try await TestSigner(server)
        let good = try signer.object()
        let parts = good.split(separator: ".").map(String.init)
        func header(_ algorithm: String) -> String {
            Base64URL.encode(Array(#"{"alg":"\#(algorithm)","typ":"oauth-authz-req+jwt","kid":"k1"}"#.utf8))
        }
        let secret = try #require(signer.client.secret?.reveal())
        let hmacInput = header("HS256") + "." + parts[1]
        let mac = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(hmacInput.utf8), using: SymmetricKey(data: Array(secret.utf8))))
        let changed = Base64URL.encode(try signer.claims { $0.set("state", "forged") }.bytes)
        let forged = [
            "\(header("none")).\(parts[1]).", "\(header("none")).\(parts[1]).\(parts[2])",
            "\(hmacInput).\(Base64URL.encode(mac))", "\(parts[0]).\(changed).\(parts[2])", "x", "e30.e30.e30",
            try signer.object(by: P256Signer(P256.Signing.PrivateKey(), keyID: "k1")),
            try signer.object(type: .clientAuthentication),
        ]
        for object in forged {
            let form = signer.form(object)
            #expect(try await TestBrowser(server).open(form).requestObjectFault == "invalid_request_object")
            #expect(try await signer.client.push(form).error == "invalid_request_object")
        }
        _ = try await TestBrowser(server).open(signer.form(good)).page()
    }

    @Test("A fault of a parameter in a good object goes to the app, as any other does")
    func faults() async throws {
        let signer = try await TestSigner(server)
        let redirect = try await TestBrowser(server).open(
            signer.form(signer.object { $0.set("response_type", "token") })
        ).redirect()
        #expect(redirect["error"] == "unsupported_response_type")
        #expect(redirect["state"] == "s-1")
        let elsewhere = signer.form(try signer.object { $0.set("redirect_uri", "https://evil.example/callback") })
        #expect(try await TestBrowser(server).open(elsewhere).redirectMismatch != nil)
    }

    @Test(
        "attack: a client that has to sign is refused without an object, by URL or pushed, until it no longer has to",
        .conformance("fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails"))
    func downgrade() async throws {
        let signer = try await TestSigner(server)
        let plain = try signer.client.request()
        #expect(try await TestBrowser(server).open(plain).redirect()["error"] == "invalid_request")
        #expect(try await signer.client.push(plain).error == "invalid_request")
        #expect(try await server.administer(["client", "show", "partner"])["requiresSignedRequests"] == .bool(true))
        try await server.administer(["client", "update", "partner", "--no-require-signed-requests"])
        _ = try await TestBrowser(server).open(plain).page()
    }

    @Test("A claim that is no parameter here counts for nothing, whatever its type, and neither does null")
    func otherClaims() async throws {
        let signer = try await TestSigner(server)
        let object = try signer.object {
            $0["registration"] = ["id_token": .object(JSONObject())]
            $0["vendor_extension"] = [1]
            $0["acr_values"] = .null
        }
        _ = try await TestBrowser(server).open(signer.form(object)).page()
    }

    @Test("attack: a reference and an object do not come together")
    func both() async throws {
        let signer = try await TestSigner(server)
        var link = try await signer.client.push(signer.form(signer.object())).response().form(of: signer.client.id)
        link.append("request", try signer.object())
        #expect(try await TestBrowser(server).open(link).requestObjectFault == "invalid_request")
        let foreign = signer.form(try signer.object(), ["request_uri": "https://evil.example/request"])
        #expect(try await TestBrowser(server).open(foreign).requestObjectFault == "invalid_request")
    }

    @Test(
        "A client of FAPI needs nbf, and with private_key_jwt its one key set serves both",
        .conformance("fapi2-security-profile-final-ensure-request-object-without-nbf-fails"))
    func fapi() async throws {
        let signer = try await TestSigner(server) {
            $0.authenticationMethod = "private_key_jwt"
            $0.requiresSignedRequests = false
            $0.fapi = true
        }
        func push(_ form: FormParameters) async throws -> RequestPushing.Outcome {
            try await signer.client.push(form, as: signer.authentication())
        }
        let link = try await push(signer.form(signer.object())).response().form(of: signer.client.id)
        _ = try await TestBrowser(server).open(link).page()
        let undated = signer.form(try signer.object { $0["nbf"] = nil })
        #expect(try await push(undated).error == "invalid_request_object")
        let direct = try await TestBrowser(server).open(signer.form(signer.object())).redirect()
        #expect(direct["error"] == "invalid_request", "the URL brings the object itself")
    }

    @Test("Only a confidential client with a fitting key can be held to sign")
    func registration() async throws {
        let create = ["client", "create", "x", "--name", "X", "--redirect-uri", "https://app.example.com/callback"]
        for words in [
            create + ["--confidential", "--require-signed-requests"],
            create + ["--public", "--require-signed-requests"],
        ] {
            let answer = await server.flows.administration.execute(AdminRequest(words))
            #expect(answer.status != .done, "\(answer.lines)")
        }
    }
}
