import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite(
    "Global token revocation over HTTP", .covers("commands over HTTP"), .threat("An operator's rights over HTTP"))
struct GlobalRevocationHTTPTests {
    private static let path = "/admin/v1/global-token-revocation"

    /// Maria, with a role or without, and the id of Paul.
    private func withOperator(
        _ role: String?, _ body: @Sendable (TestServer, PhoneOverHTTP, String) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                try await server.makePublicClient { $0.scopes.append("admin") }
                for name in [PhoneOverHTTP.username, "paul"] {
                    var registration = AccountRegistration(username: name, password: PhoneOverHTTP.password)
                    registration.email = "\(name)@example.com"
                    registration.emailVerified = true
                    try await server.execute { try await AccountAdministration($0).create(registration) }
                }
                if let role {
                    try await server.execute(AdminRequest(["operator", "grant", "maria", "--role", role]))
                }
                let shown = try await server.execute(AdminRequest(["account", "show", "paul"])).document()
                let id = try #require(shown["accountId"]?.string)
                try await body(server, try await PhoneOverHTTP.signedIn(server, client, scope: "openid admin"), id)
            }
        }
    }

    private func body(_ subject: String) -> String { #"{"sub_id":\#(subject)}"# }

    @Test("A subject is named by the sub of its tokens, with the issuer or alone, and every session ends")
    func ends() async throws {
        try await withOperator("support") { server, phone, id in
            for subject in [
                #"{"format":"iss_sub","iss":"\#(TestServer.issuer)","sub":"\#(id)"}"#,
                #"{"format":"opaque","id":"\#(id)"}"#,
            ] {
                let answer = try await phone.send(.post, Self.path, body(subject))
                #expect(answer.status == .noContent, "\(answer.text)")
            }
            let tail = try await server.execute(
                AdminRequest(["audit", "tail", "--kind", "session.all_ended_by_operator"])
            ).document()
            #expect(tail["entries"]?.array?.count == 2)
        }
    }

    @Test("attack: another issuer's subject, an address and an unknown person end nothing")
    func refused() async throws {
        try await withOperator("support") { server, phone, id in
            for (subject, status) in [
                (
                    #"{"format":"iss_sub","iss":"https://other.example.com","sub":"\#(id)"}"#,
                    .badRequest
                ),
                (#"{"format":"email","email":"paul@example.com"}"#, .badRequest),
                (#"{"format":"opaque"}"#, .badRequest), (#""paul""#, .badRequest), ("null", .badRequest),
                (#"{"format":"opaque","id":"00000000-0000-4000-8000-000000000000"}"#, .notFound),
            ] as [(String, HTTPResponse.Status)] {
                let answer = try await phone.send(.post, Self.path, body(subject))
                #expect(answer.status == status, "\(subject): \(answer.text)")
            }
            let tail = try await server.execute(
                AdminRequest(["audit", "tail", "--kind", "session.all_ended_by_operator"])
            ).document()
            #expect(tail["entries"]?.array?.isEmpty == true)
        }
    }

    @Test("attack: a person without a role, with the scope and a proof, ends no one's sessions")
    func withoutRole() async throws {
        try await withOperator(nil) { _, phone, id in
            let answer = try await phone.send(.post, Self.path, body(#"{"format":"opaque","id":"\#(id)"}"#))
            #expect(answer.status == .forbidden, "\(answer.text)")
            #expect(try answer.member("code") == "forbidden_role")
        }
    }
}
