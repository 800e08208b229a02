import Testing
import WalletAuthWire

@Suite("Requests for a sign-in on the phone") struct BackchannelAuthenticationTests {
    private static let client = ["client_id": "desk", "client_secret": "s"]

    private func read(_ parameters: [String: String]) throws -> BackchannelAuthenticationRequest {
        try BackchannelAuthenticationRequest(
            form: Sample.form(Self.client.merging(parameters) { _, other in other }), authorization: nil)
    }

    private func fault(_ parameters: [String: String]) -> OAuthError.Code? {
        do { _ = try read(parameters) } catch { return (error as? OAuthError)?.code }
        return nil
    }

    @Test("A request is read, and comes back as it was sent")
    func roundTrips() throws {
        let desk = ClientAuthentication.post(try ClientID("desk"), try ClientSecret("s"))
        let requests = [
            BackchannelAuthenticationRequest(client: desk, hint: .login("ada"), scope: try Scope("openid")),
            BackchannelAuthenticationRequest(
                client: desk, hint: .idToken(try IDToken("a.b.c")), scope: try Scope("openid payments"),
                bindingMessage: "Schalter 4 – K7QX", acrValues: ["urn:wallet-auth:acr:2fa"], requestedExpiry: 120,
                notificationToken: try ClientNotificationToken("8d67dc78-7faa-4d41-aabd-67707b374255"),
                resources: ["https://rs.example"]),
        ]
        for request in requests {
            let form = try FormParameters(parsing: request.form.encoded)
            #expect(try BackchannelAuthenticationRequest(form: form, authorization: nil) == request)
        }
    }

    @Test(
        "Anything but one hint that is supported is invalid_request",
        arguments: [
            [:], ["login_hint": "ada", "id_token_hint": "a.b.c"], ["login_hint_token": "a.b.c"],
            ["login_hint": "ada", "login_hint_token": "a.b.c"], ["login_hint": "a\u{7}da"],
        ])
    func hints(parameters: [String: String]) {
        #expect(fault(parameters.merging(["scope": "openid"]) { $1 }) == .invalidRequest)
    }

    @Test(
        "A binding message that a phone cannot show faithfully, or that no one would compare, is invalid_binding_message",
        arguments: [
            "a\nb", "a\u{7}b", "a\u{202E}b", "a\u{2028}b", "\u{200B}", " a", "a  b", "a\u{300}\u{300}\u{300}",
            String(repeating: "a", count: 65), String(repeating: "\u{1F600}", count: 70),
        ])
    func bindingMessages(text: String) {
        let parameters = ["scope": "openid", "login_hint": "ada", "binding_message": text]
        #expect(fault(parameters) == .invalidBindingMessage)
    }

    @Test(
        "Other malformed requests",
        arguments: [
            (["scope": "payments"], .invalidScope), (["requested_expiry": "0"], .invalidRequest),
            (["requested_expiry": "-1"], .invalidRequest), (["requested_expiry": "soon"], .invalidRequest),
            (["request": "a.b.c"], .invalidRequest), (["authorization_details": "[]"], .invalidAuthorizationDetails),
            (["client_notification_token": "short"], .invalidRequest),
            (["client_notification_token": "8d67dc78-7faa-4d41-aabd\r\nX: y"], .invalidRequest),
        ] as [([String: String], OAuthError.Code)])
    func malformed(parameters: [String: String], code: OAuthError.Code) {
        let whole = ["scope": "openid", "login_hint": "ada"].merging(parameters) { $1 }
        #expect(fault(whole) == code, "\(parameters)")
    }

    @Test("A backend's own transaction must not look like one that signs the person in, and a phone shows the server's")
    func reservedType() throws {
        for type in ["BACKCHANNEL_SIGN_IN", "backchannel-sign-in"] {
            var object = JSONObject()
            object.set("type", type)
            object["lines"] = [["label": "Order", "value": "42"]]
            #expect(throws: MalformedValue.self) { try TransactionRequest(object) }
        }
        _ = try TransactionRequest(
            account: nil, type: .backchannelSignIn, lines: [TransactionLine(label: "Sign in to", value: "Desk")])
    }
}
