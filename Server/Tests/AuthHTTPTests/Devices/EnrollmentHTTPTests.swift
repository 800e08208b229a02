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
}
