import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@Suite("Enrollment over HTTP")
struct EnrollmentHTTPTests {
    @Test("The answer names the address of the new device, below the issuer's path", arguments: ["", "/auth"])
    func location(prefix: String) async throws {
        try await TestServer.serve(issuer: TestServer.issuer + prefix) { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            #expect(phone.location == "\(prefix)/v1/devices/\(phone.id.rawValue)")
        }
    }

    @Test("A second enrollment in one sign-in is refused with the advice to sign in again, and not with an age of zero")
    func secondDevice() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let refused = try await phone.enroll()
            #expect(refused.status == .unauthorized)
            #expect(try refused.member("code") == "insufficient_user_authentication")
            let detail = try #require(try refused.member("detail"))
            #expect(detail.hasPrefix("This sign-in has enrolled a device already."), "\(detail)")
            #expect(refused.headers[.wwwAuthenticate]?.contains("max_age=\"0\"") == true)
        }
    }
}
