import Testing
import WalletAuthWire

@Suite("Messages about device authentication tokens")
struct DeviceTokenMessageTests {
    @Test("Each message reads back what it writes, and refuses what it does not know")
    func roundTrips() throws {
        let consent = DeviceTokenConsent(state: .active, expiresIn: 90)
        #expect(try DeviceTokenConsent(consent.json) == consent)
        let request = DeviceTokenRequest(
            deviceID: try DeviceID("018f0000-0000-7000-8000-000000000001"), challengeID: try ChallengeID("challenge"),
            username: try Username("ada"), password: try Password("pw"))
        #expect(try DeviceTokenRequest(request.json) == request)
        let answer = DeviceTokenResponse(token: try DeviceAuthenticationToken("token"), expiresIn: 7)
        #expect(try DeviceTokenResponse(answer.json) == answer)
        #expect(!"\(answer)".contains("token\""), "a secret shows in no description")
        var unknown = JSONObject()
        unknown.set("consent", "perhaps")
        #expect(throws: MalformedValue.self) { try DeviceTokenConsent(unknown) }
        var more = request.json
        more.set("consent", "given")
        #expect(throws: MalformedValue.self) { try DeviceTokenRequest(more) }
    }

    @Test("login_method=device_token takes the device, the token and the assertion, and none may be missing")
    func login() throws {
        var form = FormParameters()
        form.append("client_id", "app")
        form.append("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        form.append("code_challenge_method", "S256")
        form.append("login_method", "device_token")
        form.append("device_id", "018f0000-0000-7000-8000-000000000001")
        form.append("device_token", "secret")
        #expect(throws: OAuthError.self) { try AuthorizeChallengeRequest(form: form) }
        form.append("device_assertion", "{}")
        let request = try AuthorizeChallengeRequest(form: form)
        guard case .begin(.deviceToken(let login)) = request.step else {
            Issue.record("another method was read: \(String(describing: request.step))")
            return
        }
        #expect(login.token.reveal() == "secret")
        #expect(try AuthorizeChallengeRequest(form: request.form) == request)
    }
}
