import Testing
import WalletAuthWire

@Suite("Native sign-in") struct AuthorizeChallengeTests {
    private let parameters = [
        "client_id": "app", "code_challenge": Sample.challengeText, "code_challenge_method": "S256",
        "login_method": "password", "username": "Alice", "password": "pässword",
    ]

    private func request(_ changes: [String: String?] = [:]) throws(OAuthError) -> AuthorizeChallengeRequest {
        var all = parameters
        for (name, value) in changes { all[name] = value }
        return try AuthorizeChallengeRequest(form: Sample.form(all))
    }

    @Test("A sign-in by password is read, and comes back as it was sent")
    func password() throws {
        let request = try request([
            "scope": "openid", "device_id": "d1", "device_proof": "a.b.c", "properties": #"{"b":"2","a":""}"#,
            "requested_attributes": "last_login push_enabled", "merchant_id": "shop-7",
        ])
        guard case .begin(.password(let login)) = request.step else {
            Issue.record("is no sign-in by password: \(String(describing: request.step))")
            return
        }
        #expect(login.username.rawValue == "alice")
        #expect(login.password.reveal() == "pässword")
        #expect(request.properties == ["a": "", "b": "2"])
        #expect(request.merchantID?.rawValue == "shop-7")
        #expect(try AuthorizeChallengeRequest(form: FormParameters(parsing: request.form.encoded)) == request)
    }

    @Test("A sign-in by the PIN of an account is read as typed, and comes back as it was sent")
    func accountPIN() throws {
        let request = try request([
            "login_method": "account_pin", "password": nil, "account_pin": "8046 1397 2558", "device_id": "d1",
            "device_proof": "a.b.c",
        ])
        guard case .begin(.accountPIN(let login)) = request.step else {
            Issue.record("is no sign-in by the PIN of an account: \(String(describing: request.step))")
            return
        }
        #expect(login.username.rawValue == "alice")
        #expect(login.pin.reveal() == "8046 1397 2558")
        #expect(request.form["login_method"] == "account_pin")
        #expect(try AuthorizeChallengeRequest(form: FormParameters(parsing: request.form.encoded)) == request)
    }

    @Test(
        "A sign-in by a nonce or by a provider's word is read, and comes back as it was sent",
        arguments: [
            ["login_method": "nonce", "login_nonce": "n", "login_purpose": "handover"],
            ["login_method": "nonce", "login_nonce": "n"],
            ["login_method": "federated_identity", "provider": "example", "id_token": "a.b.c", "challenge_id": "n"],
            [
                "login_method": "federated_identity", "provider": "example", "authorization_code": "c",
                "redirect_uri": "com.example.wallet:/idp", "challenge_id": "n",
                "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            ],
            [
                "login_method": "federated_identity", "provider": "apple", "authorization_code": "c",
                "id_token": "a.b.c", "challenge_id": "n",
            ],
            ["login_method": "federated_identity", "provider": "members", "username": "Ada L", "password": "pw"],
        ])
    func vouchedFor(fields: [String: String]) throws {
        var changes: [String: String?] = ["username": nil, "password": nil]
        for (name, value) in fields { changes[name] = .some(value) }
        let request = try request(changes)
        guard case .begin(let method) = request.step else {
            Issue.record("is no beginning of a sign-in: \(String(describing: request.step))")
            return
        }
        #expect(method.name == fields["login_method"])
        for (name, value) in fields { #expect(request.form[name] == value, "\(name)") }
        #expect(try AuthorizeChallengeRequest(form: FormParameters(parsing: request.form.encoded)) == request)
    }

    @Test(
        "Each continuation of an auth_session is read, and comes back as it was sent",
        arguments: [
            ["new_password": "new"], ["resend_email": "true"], ["email_code": "123456"],
            ["mfa_token": "t", "mfa_answer": "Rex"], ["mfa_method": "totp"],
            ["mfa_method": "otp", "mfa_channel": "SMS"], ["mfa_method": "recovery_code"], ["resend_mfa": "true"],
            ["app_instance_code": "123456"], ["resend_app_instance_code": "true"], ["recovery_answer": "12345678"],
            ["resend_recovery": "true"], ["merchant_id": "shop-7"], ["new_password": "new", "merchant_id": "shop-7"],
        ])
    func continuations(fields: [String: String]) throws {
        var changes: [String: String?] = ["login_method": nil, "username": nil, "password": nil, "auth_session": "s"]
        for (name, value) in fields { changes[name] = .some(value) }
        let request = try request(changes)
        for (name, value) in fields { #expect(request.form[name] == value, "\(name)") }
        #expect(try AuthorizeChallengeRequest(form: request.form) == request)
    }

    @Test(
        "Malformed requests are bad_request with the number that apps switch on",
        arguments: [
            ["client_id": nil], ["code_challenge": nil], ["code_challenge_method": nil],
            ["code_challenge_method": "plain"], ["login_method": nil], ["login_method": "telepathy"],
            ["username": nil], ["password": nil], ["password": "a\u{0}b"], ["auth_session": "s"],
            ["login_method": nil, "auth_session": "s"],
            ["login_method": nil, "auth_session": "s", "new_password": "x", "email_code": "1"],
            ["login_method": nil, "auth_session": "s", "mfa_token": "t"],
            ["login_method": nil, "auth_session": "s", "mfa_method": "telepathy"],
            ["login_method": nil, "auth_session": "s", "mfa_method": "totp", "mfa_channel": "SMS"],
            ["login_method": nil, "auth_session": "s", "mfa_method": "totp", "resend_mfa": "true"],
            ["login_method": nil, "auth_session": "s", "resend_email": "yes"], ["device_proof": "a.b.c"],
            ["login_method": "account_pin"], ["login_method": "account_pin", "account_pin": "1\u{0}2"],
            ["login_method": "account_pin", "account_pin": "123456", "username": nil],
            ["login_method": "account_pin", "account_pin": "123456", "device_proof": "a.b.c"],
            ["properties": "[]"], ["properties": #"{"a":1}"#], ["properties": #"{"a":"x","a":"y"}"#],
            ["properties": #"{"a":{"b":"c"}}"#], ["merchant_id": "a\u{0}b"], ["merchant_id": "a b"],
        ] as [[String: String?]])
    func malformed(changes: [String: String?]) {
        #expect { try request(changes) } throws: { error in
            let error = error as? OAuthError
            return error?.errorCode == .badRequest && error?.statusCode == 400 && error?.httpStatus == 400
        }
    }

    @Test(
        "A refusal names the parameter, what is wrong with it, and the accepted values",
        arguments: [
            (["code_challenge_method": nil], "code_challenge_method is missing"),
            (["code_challenge_method": "plain"], "code_challenge_method is not S256"),
            (
                ["login_method": "telepathy"],
                "login_method is not one of password, pin, account_pin, nonce, device_token, federated_identity, recovery, passkey"
            ),
            (
                ["login_method": nil, "auth_session": "s", "new_password": "x", "resend_mfa": "true"],
                "only one of these can be sent at a time: new_password, resend_mfa"
            ),
            (
                ["login_method": nil, "auth_session": "s", "mfa_method": "telepathy"],
                "mfa_method is not one of totp, otp, secret_question, recovery_code"
            ),
            (
                ["login_method": nil, "auth_session": "s", "mfa_method": "otp", "mfa_channel": "FAX"],
                "mfa_channel is not one of EMAIL, SMS"
            ),
            (
                ["login_method": nil, "auth_session": "s", "mfa_method": "totp", "mfa_channel": "SMS"],
                "mfa_channel does not go with mfa_method totp"
            ),
            (["properties": "[]"], "properties is an array, but an object is expected"),
            (["properties": #"{"a":1}"#], "properties.a is a number, but a string is expected"),
            (["properties": #"{"a":"\u0007"}"#], "properties.a has a control character"),
        ] as [([String: String?], String)])
    func reasons(changes: [String: String?], detail: String) {
        let refused = #expect(throws: OAuthError.self) { try request(changes) }
        #expect(refused?.detail == detail)
    }

    @Test("An auth_session with nothing else lists what can follow")
    func nothingFollows() {
        let refused = #expect(throws: OAuthError.self) { try request(["login_method": nil, "auth_session": "s"]) }
        #expect(refused?.detail?.hasPrefix("auth_session requires one of new_password, ") == true)
        #expect(refused?.detail?.hasSuffix(", resend_recovery, merchant_id") == true)
    }

    @Test(
        "A name that no account can have, confusable ones included, is answered like any wrong credential: no enumeration",
        arguments: ["p\u{430}ypal", "al\u{200B}ice", "a b", "\u{202E}x"])
    func impossibleNames(name: String) {
        #expect(throws: OAuthError.invalidCredentials()) { try request(["username": name]) }
        #expect(throws: OAuthError.invalidCredentials()) {
            try request(["username": name, "login_method": "account_pin", "account_pin": "123456"])
        }
    }

    @Test(
        "White space around a name is dropped in every method that takes one",
        arguments: [
            ["login_method": "password"], ["login_method": "account_pin", "account_pin": "804613", "password": nil],
            ["login_method": "recovery", "password": nil],
        ] as [[String: String?]])
    func surroundings(changes: [String: String?]) throws {
        let typed = changes.merging(["username": " Alice\u{A0}\t"]) { $1 }
        #expect(try request(typed).form["username"] == "alice")
    }

    @Test("White space around a provider's name for a person is dropped, the rest is left to the provider")
    func surroundingsAtProvider() throws {
        let typed = try request([
            "login_method": "federated_identity", "provider": "members", "username": "\tAda L\n", "password": "pw",
        ])
        #expect(typed.form["username"] == "Ada L")
    }

    @Test("A step that brings a merchant alone chooses it; with anything else the merchant is repeated")
    func chosenMerchant() throws {
        let session = ["login_method": nil, "username": nil, "password": nil, "auth_session": "s"] as [String: String?]
        let shop = try MerchantID("shop-7")
        let chosen = try request(session.merging(["merchant_id": "shop-7"]) { _, new in new })
        #expect(chosen.step == .proceed(try AuthSession("s"), .chooseMerchant(shop)))
        #expect(chosen.merchantID == shop)
        let repeated = try request(
            session.merging(["merchant_id": "shop-7", "email_code": "123456"]) { _, new in new })
        #expect(repeated.step == .proceed(try AuthSession("s"), .emailCode(try EmailCode("123456"))))
        let made = AuthorizeChallengeRequest(
            clientID: try ClientID("app"), codeChallenge: chosen.codeChallenge,
            step: .proceed(try AuthSession("s"), .chooseMerchant(shop)))
        #expect(made.form["merchant_id"] == "shop-7")
    }

    @Test("Answers are read as they are written")
    func answers() throws {
        let done = AuthorizeChallengeResponse(
            authorizationCode: try AuthorizationCode("c"),
            additionalAttributes: try Sample.json(#"{"last_login":"2025-01-01T00:00:00Z"}"#))
        #expect(try AuthorizeChallengeResponse(done.json) == done)
        let more = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .mfaRequired), authSession: try AuthSession("s"),
            secondFactor: .init(
                token: try MFAToken("t"), method: "otp", channel: "SMS", destination: "***42", resendAfter: 30,
                alternatives: [.init(method: "totp"), .init(method: "otp", channel: "EMAIL", destination: "a…@b.c")]))
        #expect(try InsufficientAuthorization(more.json) == more)
        #expect(more.json["status_code"] == 412)
        #expect(more.json["mfa"]?.object?["token"] == "t")
        let mend = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .passwordChangeRequired),
            authSession: try AuthSession("s"))
        #expect(try InsufficientAuthorization(mend.json) == mend)
        #expect(mend.error.httpStatus == 403)
        let choice = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .merchantRequired), authSession: try AuthSession("s"),
            merchants: [Merchant(id: try MerchantID("m1"), name: "Bakery")])
        #expect(try InsufficientAuthorization(choice.json) == choice)
        #expect(choice.json["status_code"] == 403)
        let recovery = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .recoveryCodeRequired), authSession: try AuthSession("s"),
            recovery: RecoveryPrompt(digits: 8, resendAfter: 30, expiresIn: 600, sent: true))
        #expect(try InsufficientAuthorization(recovery.json) == recovery)
        let confirmation = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .emailUnverified), authSession: try AuthSession("s"),
            sentCode: CodeSending(isSent: false, resendAfter: 30))
        #expect(try InsufficientAuthorization(confirmation.json) == confirmation)
    }
}
