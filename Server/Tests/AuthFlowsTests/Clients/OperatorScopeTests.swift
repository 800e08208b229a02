import ArgumentParser
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
}
