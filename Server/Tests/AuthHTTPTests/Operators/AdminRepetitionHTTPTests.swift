import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Repeated calls of the administration over HTTP", .covers("commands over HTTP"))
struct AdminRepetitionHTTPTests {
    private static let path = "/admin/v1/client/create"
    private static let body = #"{"name":"Shop","confidential":true,"scope":["transactions"]}"#

    @Test("A repetition with the same Idempotency-Key is 409 and makes no second client; a malformed key is 400")
    func repetition() async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                try await server.makePublicClient { $0.scopes.append("admin") }
                var registration = AccountRegistration(
                    username: PhoneOverHTTP.username, password: PhoneOverHTTP.password)
                registration.email = "\(PhoneOverHTTP.username)@example.com"
                registration.emailVerified = true
                try await server.execute { [registration] in
                    try await AccountAdministration($0).create(registration)
                }
                try await server.execute(
                    AdminRequest(["operator", "grant", PhoneOverHTTP.username, "--role", "owner", "--all-brands"]))
                let phone = try await PhoneOverHTTP.signedIn(server, client, scope: "openid admin")
                func create(_ key: String) async throws -> TestResponse {
                    try await phone.send(.post, Self.path, Self.body, more: [.idempotencyKey: key])
                }
                let made = try await create("key-0123456789abc")
                #expect(made.status == .ok, "\(made.text)")
                let again = try await create("key-0123456789abc")
                #expect(again.status == .conflict, "\(again.text)")
                #expect(try again.member("code") == "idempotency_key_used")
                #expect(try again.member("clientSecret") == nil)
                #expect(try await create("short").status == .badRequest)
                let shops = try await server.execute(["client", "list"]).document()["clients"]?.array ?? []
                #expect(shops.count { $0.object?["name"] == "Shop" } == 1)
            }
        }
    }
}
