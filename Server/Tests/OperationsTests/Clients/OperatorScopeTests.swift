import ArgumentParser
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Scopes of the operator's own that look like a misspelling")
struct OperatorScopeTests {
    @Test("A scope that a client of this server has already is accepted, in exactly this spelling")
    func known() async throws {
        let server = try await TestServer.start()
        let id = try await server.confidentialClient().id.rawValue
        // As clients have them that were registered before scopes were compared.
        try await server.context.database.write {
            _ = try $0.execute("UPDATE clients SET scopes = 'payments emails Openid' WHERE id = $1", [.text(id)])
        }
        var change = try ClientChange.parse([])
        change.addedScopes = ["emails", "accounts"]
        let updated = await server.flows.administration.execute { [change] in
            try await ClientAdministration($0).update(id, change)
        }
        #expect(updated.status == .done, "\(updated.lines)")
        for (scope, isAccepted) in [("emails", true), ("Openid", true), ("openiD", false), ("email_", false)] {
            var registration = ClientRegistration(name: "Backend", kind: .confidential)
            registration.scopes = [scope]
            let created = await server.flows.administration.execute { [registration] in
                try await ClientAdministration($0).create(registration)
            }
            #expect(created.status == (isAccepted ? .done : .refused), "\(scope): \(created.lines)")
        }
    }

    private func update(_ server: TestServer, _ words: [String]) async -> AdministrationAnswer {
        await server.flows.administration.execute(AdminRequest(["client", "update", "app"] + words))
    }

    @Test("A scope one letter off one of the client's own is refused, and a wrong one is removed and replaced at once")
    func own() async throws {
        let server = try await TestServer.start()
        _ = try await server.bearerClient()
        #expect(await update(server, ["--add-scope", "payment api.v1"]).status == .done)
        for scope in ["payments", "paymetn", "Payment"] {
            let refused = await update(server, ["--add-scope", scope])
            #expect(refused.refusal?.code == "malformed", "\(refused.lines)")
            #expect(refused.lines.first?.contains("one letter off payment, which the client has") == true)
        }
        #expect(await update(server, ["--add-scope", "api.v2"]).status == .done)
        let replaced = await update(server, ["--remove-scope", "payment", "--add-scope", "payments"])
        #expect(replaced.status == .done, "\(replaced.lines)")
        let shown = try await server.administer(["client", "show", "app"])
        #expect(shown["scope"]?.string?.hasSuffix(" api.v1 api.v2 payments") == true, "\(shown)")
        #expect(await update(server, ["--remove-scope", "payment"]).refusal?.code == "not_found")
    }

    @Test("A session keeps a scope that the client lost, as the answer says, and a new sign-in cannot get it")
    func removed() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.bearerClient()
        let tokens = try await app.signIn(account, scope: "openid wallet")
        let answer = await update(server, ["--remove-scope", "wallet"])
        #expect(answer.lines.contains { $0.contains("sessions that have it keep it until they end") })
        let renewed = try await app.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(renewed.scope?.contains("wallet") == true)
        let client = try #require(try await server.context.database.read { try Clients.find("app", on: $0) })
        #expect(try !RegisteredClient(client).scope.contains("wallet"))
    }
}
