import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@Suite("Recovery over HTTP")
struct RecoveryHTTPTests {
    private func code(_ server: TestServer) async throws -> String {
        let messages = try await server.server.messages?.recent(limit: 20) ?? []
        return try #require(messages.first { $0.kind == "password_recovery_code" }?.code)
    }

    @Test("A phone that five wrong passwords closed is 423 to all but a recovery, which opens it with the new password")
    func closedPhone() async throws {
        // As if it had been enrolled a day ago.
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let phone = try await PhoneOverHTTP.enrolled(server, client)
                func signIn(_ password: String) async throws -> TestResponse {
                    try await phone.provedStep([
                        ("login_method", "password"), ("username", PhoneOverHTTP.username), ("password", password),
                    ])
                }
                for _ in 0..<4 { #expect(try await signIn("a wrong one").status == .unauthorized) }
                for password in ["a wrong one", PhoneOverHTTP.password] {
                    let closed = try await signIn(password)
                    #expect(closed.status.code == 423, "\(closed.text)")
                    #expect(try closed.member("error_code") == "device_deactivated")
                    #expect(try closed.json["status_code"]?.integer == 423)
                }
                let asked = try await phone.provedStep([
                    ("login_method", "recovery"), ("username", PhoneOverHTTP.username),
                ])
                #expect(asked.status == .badRequest)
                #expect(try asked.json["status_code"]?.integer == 412)
                #expect(try asked.member("error_code") == "recovery_code_required")
                let session = try #require(try asked.member("auth_session"))
                let next = try await phone.step([
                    ("auth_session", session), ("recovery_answer", try await code(server)),
                ])
                #expect(next.status == .forbidden, "\(next.text)")
                #expect(try next.member("error_code") == "password_change_required")
                #expect(try next.json["status_code"]?.integer == 508)
                #expect(try await signIn(PhoneOverHTTP.password).status.code == 423, "not before the new password")
                let choosing = try #require(try next.member("auth_session"))
                let done = try await phone.step([("auth_session", choosing), ("new_password", "another phrase 8")])
                #expect(done.status == .ok, "\(done.text)")
                let signedIn = try await signIn("another phrase 8")
                #expect(signedIn.status == .ok, "\(signedIn.text)")
            }
        }
    }
}
