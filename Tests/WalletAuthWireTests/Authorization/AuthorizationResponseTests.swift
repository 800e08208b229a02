import Testing
import WalletAuthWire

@Suite("Authorization responses") struct AuthorizationResponseTests {
    private func parse(_ url: String, _ redirectURI: String = "https://app.example.com/cb") throws
        -> AuthorizationResponse
    {
        try AuthorizationResponse(callback: url, redirectURI: RedirectURI(redirectURI))
    }

    @Test("A code with state and issuer makes its way through a redirect")
    func code() throws {
        let response = AuthorizationResponse(
            .code(try AuthorizationCode("c/1")), state: try OAuthState("s t"),
            issuer: try Issuer("https://auth.example.com"))
        let url = try RedirectURI("https://app.example.com/cb").appending(response.form)
        #expect(try parse(url) == response)
    }

    @Test("An error comes with its own code and number")
    func error() throws {
        let error = OAuthError(.accessDenied, "no", errorCode: .notAnEmployee)
        let response = AuthorizationResponse(.error(error), state: nil, issuer: nil)
        #expect(try AuthorizationResponse(form: response.form) == response)
    }

    @Test(
        "A callback with both code and error, neither, or a doubled parameter is refused",
        arguments: [
            "https://app.example.com/cb?code=a&error=access_denied", "https://app.example.com/cb",
            "https://app.example.com/cb?state=s", "https://app.example.com/cb?code=a&code=b",
            "https://app.example.com/cb?code=a&state=1&state=2",
            "https://app.example.com/cb?code=a&iss=https://a.example&iss=https://b.example",
            "https://app.example.com/cb?code=",
            "https://app.example.com/cb?code=a%00b", "https://app.example.com/cb#code=a&state=s",
        ])
    func malformed(url: String) {
        #expect(throws: MalformedValue.self) { try parse(url) }
    }

    @Test(
        "A callback that leads elsewhere than the redirect URI is refused",
        arguments: [
            "https://evil.example/cb?code=a", "https://app.example.com/cb2?code=a", "http://app.example.com/cb?code=a",
            "https://app.example.com:444/cb?code=a", "com.example.app:/cb?code=a",
        ])
    func elsewhere(url: String) {
        #expect(throws: MalformedValue.self) { try parse(url) }
    }

    @Test("What a browser does to a URL is forgiven: a slash for an empty path, a stray fragment")
    func browsers() throws {
        #expect(throws: Never.self) { try parse("https://app.example.com/?code=a", "https://app.example.com") }
        #expect(throws: Never.self) { try parse("https://app.example.com/cb?code=a#_=_") }
        #expect(throws: Never.self) { try parse("http://127.0.0.1:50001/cb?code=a", "http://127.0.0.1:50001/cb") }
    }
}
