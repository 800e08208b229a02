import Testing
import WalletAuthWire

@Suite("Requests of devices for codes")
struct DeviceAuthorizationTests {
    @Test func `attack: a device that asks for a payment is refused, since the person would not see it`() throws {
        var form = FormParameters()
        form.append("client_id", "tv")
        form.append("scope", "openid")
        #expect(try DeviceAuthorizationRequest(form: form, authorization: nil).scope?.tokens == ["openid"])
        form.append("authorization_details", "[]")
        let refused = #expect(throws: OAuthError.self) {
            try DeviceAuthorizationRequest(form: form, authorization: nil)
        }
        #expect(refused?.code == .invalidRequest)
    }
}
