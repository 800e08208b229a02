import Testing
import WalletAuthWire

@Suite("Authorization requests", .threat("PKCE missing, plain or without its method"))
struct AuthorizationRequestTests {
    private let parameters = [
        "response_type": "code", "client_id": "app", "redirect_uri": "https://app.example.com/cb",
        "code_challenge": Sample.challengeText,
        "code_challenge_method": "S256", "state": "st", "scope": "openid profile",
    ]

    private func form(_ changes: [String: String?] = [:]) -> FormParameters {
        var all = parameters
        for (name, value) in changes { all[name] = value }
        return Sample.form(all)
    }

    private func refusal(_ changes: [String: String?]) -> AuthorizationRequest.Refusal? {
        do throws(AuthorizationRequest.Refusal) {
            _ = try AuthorizationRequest(form: form(changes))
            return nil
        } catch { return error }
    }

    @Test("A full request is read, and comes back as it was sent")
    func full() throws {
        let request = try AuthorizationRequest(
            form: form([
                "nonce": "n", "response_mode": "form_post", "prompt": "login consent", "max_age": "0",
                "acr_values": "a b", "login_hint": "alice", "ui_locales": "de-AT en",
                "dpop_jkt": JOSEVectors.RFC9449.thumbprint, "merchant_id": "m1", "brand": "acme",
                "login_strategy": "PASSWORD",
                "reset_credentials_url": "https://app.example.com/reset", "resource": "https://rs.example/",
                "unknown": "ignored",
            ]))
        #expect(request.prompt == [.login, .consent])
        #expect(request.maxAge == 0)
        #expect(request.uiLocales.map(\.rawValue) == ["de-AT", "en"])
        #expect(request.responseMode == .formPost)
        #expect(try AuthorizationRequest(form: FormParameters(parsing: request.form.encoded)) == request)
    }

    @Test("A pushed request is written as its reference, and a signed one as its object, with the client alone")
    func references() throws {
        let uri = PushedRequestURI.prefix + "abc"
        var request = try AuthorizationRequest(form: form(["scope": "openid", "prompt": "login"]))
        request.requestObject = try RequestObject("e30.e30.e30")
        #expect(request.form.parameters.map(\.name) == ["client_id", "request"])
        request.requestURI = try PushedRequestURI(uri)
        #expect(request.form.parameters.map(\.name) == ["client_id", "request_uri"])
        #expect(request.form["request_uri"] == uri)
    }

    @Test(
        "What is not the reference to a pushed request is no such value",
        arguments: [
            "", "https://evil.example/r", "urn:ietf:params:oauth:request_uri:", "urn:ietf:params:oauth:request_uri:a b",
            "URN:ietf:params:oauth:request_uri:abc",
            "urn:ietf:params:oauth:request_uri:" + String(repeating: "a", count: 512),
        ])
    func foreignReferences(text: String) {
        #expect(throws: MalformedValue.self) { try PushedRequestURI(text) }
    }

    @Test("White space around login_hint is dropped, and a hint of nothing else is none")
    func hintedName() throws {
        #expect(try AuthorizationRequest(form: form(["login_hint": "\u{A0}alice\t"])).loginHint == "alice")
        #expect(try AuthorizationRequest(form: form(["login_hint": " \t"])).loginHint == nil)
    }

    @Test(
        "There is no redirect where client or redirect URI are missing or malformed: no open redirect",
        arguments: [
            ["client_id": nil], ["redirect_uri": nil], ["redirect_uri": "https://app.example.com@evil.example/"],
            ["redirect_uri": "javascript:alert(1)"],
            ["client_id": "a b"], ["redirect_uri": nil, "code_challenge": nil],
            ["redirect_uri": "https://app.example.com/cb#x"],
        ] as [[String: String?]])
    func page(changes: [String: String?]) {
        let outcome = refusal(changes)
        guard case .showPage(let error) = outcome else {
            Issue.record("was not refused by a page: \(String(describing: outcome))")
            return
        }
        #expect(error.code == .invalidRequest)
    }

    @Test(
        "Half of PKCE, downgraded to plain, or with the method left out (which means plain) is refused",
        arguments: [
            ["code_challenge": nil], ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge_method": "s256"], ["code_challenge": "short"],
            ["code_challenge": Sample.verifierText + "="],
        ] as [[String: String?]])
    func pkce(changes: [String: String?]) { redirected(changes, .invalidRequest) }

    @Test(
        "A request with nothing of PKCE is read and written as such: whether the client may send it, the server decides"
    )
    func withoutPKCE() throws {
        let request = try AuthorizationRequest(
            form: form(["code_challenge": nil, "code_challenge_method": nil]))
        #expect(request.codeChallenge == nil)
        #expect(request.form["code_challenge_method"] == nil)
        #expect(try AuthorizationRequest(form: FormParameters(parsing: request.form.encoded)) == request)
    }

    @Test(
        "Any other fault reaches the client by a redirect with its state",
        arguments: [
            (["response_type": nil], .invalidRequest), (["response_type": "token"], .unsupportedResponseType),
            (["response_type": "code id_token"], .unsupportedResponseType),
            (["response_mode": "fragment"], .invalidRequest), (["scope": "a\u{9}b"], .invalidScope),
            (["prompt": "none login"], .invalidRequest), (["max_age": "-1"], .invalidRequest),
            (["max_age": "99999999999999999999"], .invalidRequest), (["dpop_jkt": "x"], .invalidRequest),
            (["request": "eyJ"], .requestNotSupported),
            (["request_uri": "https://evil.example/r"], .requestURINotSupported),
            (["resource": "not a uri"], .invalidTarget), (["resource": "https://a.example/#f"], .invalidTarget),
            (["merchant_id": "../x"], .invalidRequest),
            (["reset_credentials_url": "javascript:alert(1)"], .invalidRequest),
            (["login_hint": "a\u{7}"], .invalidRequest),
            (["login_strategy": "FACE"], .invalidRequest), (["nonce": "a\nb"], .invalidRequest),
        ] as [([String: String?], OAuthError.Code)])
    func redirect(changes: [String: String?], code: OAuthError.Code) { redirected(changes, code) }

    @Test("A state of 2,048 characters comes back")
    func longestState() throws {
        let state = String(repeating: "s", count: 2048)
        let found = refusal(["state": state, "scope": "\""])
        guard case .redirect(let target, let error) = found else {
            Issue.record("was not refused: \(String(describing: found))")
            return
        }
        #expect(target.state?.rawValue == state)
        #expect(error.code == .invalidScope)
    }

    @Test(
        "A state with a control character, outside of ASCII or above 2,048 characters is an error that says so, and is not sent back",
        arguments: ["a\r\nSet-Cookie: x", "ä", String(repeating: "s", count: 2049)])
    func malformedState(state: String) {
        let found = refusal(["state": state])
        guard case .redirect(let target, let error) = found else {
            Issue.record("was not refused: \(String(describing: found))")
            return
        }
        #expect(target.state == nil)
        #expect(error.code == .invalidRequest)
        #expect(error.detail?.hasPrefix("state ") == true, "\(error)")
        #expect(error.detail?.contains(state) == false)
    }

    @Test("Errors never repeat a value of the request")
    func noReflection() {
        let outcome = refusal(["dpop_jkt": "evil-value"])
        guard case .redirect(_, let error) = outcome else {
            Issue.record("was not refused: \(String(describing: outcome))")
            return
        }
        #expect(error.detail?.contains("evil-value") == false)
        #expect(error.detail?.contains("dpop_jkt") == true)
    }

    private func redirected(_ changes: [String: String?], _ code: OAuthError.Code) {
        let found = refusal(changes)
        guard case .redirect(let target, let error) = found else {
            Issue.record("was not refused by a redirect: \(String(describing: found))")
            return
        }
        #expect(error.code == code)
        #expect(target.state?.rawValue == "st")
        #expect(target.redirectURI.rawValue == "https://app.example.com/cb")
    }
}
