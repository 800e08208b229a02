import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// From its second account on, an address signs no one in any more. Whichever way that came about, its mailbox learns of it.
@Suite("An address that two accounts have confirmed", .covers("account set-email, account set-phone"))
struct SharedEmailTests {
    private static let address = "shared@example.com"

    /// With bob, who has confirmed the address.
    private func setUp(_ server: TestServer) async throws {
        _ = try await server.account("bob") {
            $0.email = Self.address
            $0.emailVerified = true
        }
        #expect(try await recipients(at: server).isEmpty)
    }

    private func recipients(at server: TestServer) async throws -> [String] {
        try await server.messages().filter { $0.kind == "email_shared" }.compactMap { try $0.content.string("to") }
    }

    @Test("A second account learns which username signs in: made by an operator, or confirmed by one later")
    func operators() async throws {
        let server = try await TestServer.start()
        try await setUp(server)
        try await server.administer(["account", "create", "eve", "--email", Self.address, "--email-verified"])
        #expect(try await recipients(at: server) == [Self.address])
        try await server.administer(["account", "create", "ada", "--email", Self.address])
        #expect(try await recipients(at: server).count == 1)
        try await server.administer(["account", "verify-email", "ada"])
        #expect(try await recipients(at: server) == [Self.address, Self.address])
    }

    @Test("So does one that confirms it with a code at a sign-in")
    func code() async throws {
        let server = try await TestServer.start()
        try await setUp(server)
        _ = try await server.account { $0.email = Self.address }
        let app = TestApp(client: try await server.publicClient())
        let session = try #require(try await app.signIn().refusal?.session)
        #expect(try await recipients(at: server).isEmpty)
        _ = try await app.proceed(session, .emailCode(try await server.emailedCode())).code()
        #expect(try await recipients(at: server) == [Self.address])
    }

    @Test("So does a guest whose provider is trusted with the address, and no other")
    func guest() async throws {
        for trusts in [true, false] {
            let provider = TestProvider()
            let server = try await TestServer.start(providers: provider.http)
            try await server.add(provider, trustsEmail: trusts)
            try await setUp(server)
            let app = TestApp(client: try await server.publicClient())
            let guest = try await app.signIn(at: provider) {
                $0.set("email", Self.address)
                $0["email_verified"] = true
            }.guest()
            _ = try await app.createAccount(guest)
            #expect(try await recipients(at: server) == (trusts ? [Self.address] : []))
        }
    }
}
