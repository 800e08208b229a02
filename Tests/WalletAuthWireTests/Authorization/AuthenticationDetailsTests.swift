import Testing
import WalletAuthWire

@Suite("Authentication details", .threat("Malformed tokens and JSON")) struct AuthenticationDetailsTests {
    private func body(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
        var object = JSONObject()
        object["clientId"] = "app"
        object["codeChallenge"] = .string(Sample.challengeText)
        object["resetCredentialsUrl"] = "https://app.example.com/reset"
        object["state"] = "st"
        object["redirectUri"] = "com.example.app:/cb"
        for (name, value) in changes { object[name] = value }
        return object
    }

    @Test("A request is read, and comes back as it was sent")
    func roundTrip() throws {
        let request = try AuthenticationDetailsRequest(
            body([
                "locale": "de", "loginHint": "alice", "loginStrategy": "PIN", "scope": "openid", "nonce": "n",
                "codeChallengeMethod": "S256",
            ]))
        #expect(request.loginStrategy == .pin)
        #expect(try AuthenticationDetailsRequest(request.json) == request)
    }

    @Test("White space around loginHint is dropped")
    func hintedName() throws {
        #expect(try AuthenticationDetailsRequest(body(["loginHint": "\talice\u{A0}"])).loginHint == "alice")
    }

    @Test(
        "PKCE plain, unknown members, missing members and dangerous URLs are refused",
        arguments: [
            ["codeChallengeMethod": "plain"], ["codeChallenge": nil], ["emailVerified": true],
            ["resetCredentialsUrl": "javascript:alert(1)"],
            ["resetCredentialsUrl": "https://app.example.com@evil.example/"],
            ["redirectUri": "https://app.example.com/cb/..;/x"], ["state": nil], ["loginStrategy": "OTP"],
            ["loginHint": "a\u{0}"], ["clientId": 7], ["locale": "../en"],
        ] as [[String: JSONValue?]])
    func refused(changes: [String: JSONValue?]) {
        #expect(throws: MalformedValue.self) { try AuthenticationDetailsRequest(body(changes)) }
    }

    @Test("An answer is read, and a URL that no browser should open is refused")
    func answer() throws {
        let answer = AuthenticationDetailsResponse(
            authenticationURL: try WebURL("https://auth.example.com/oauth2/authorize?x=1"), expiresIn: 300)
        #expect(try AuthenticationDetailsResponse(answer.json) == answer)
        #expect(throws: MalformedValue.self) {
            try AuthenticationDetailsResponse(Sample.json(#"{"authenticationUrl":"file:///x","expiresIn":1}"#))
        }
    }
}
