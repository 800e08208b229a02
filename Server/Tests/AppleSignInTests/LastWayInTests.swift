import Core
import Kernel
import Operations
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Apple

@Suite("The last way in after a notification of Apple's", .threat("Sign in with Apple at the server"))
struct LastWayInTests {
    @Test(
        "attack: account-delete takes no account away: without a password, the own mailbox recovers it, and sessions stay"
    )
    func lastWayIn() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person(email: "ada@example.com")
        let session = try await server.openSession(of: account, methods: "fed")
        server.clock.advance(by: .minutes(1))
        let claims = server.apple.notification("account-delete", id: "j1")
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        #expect(try await !server.isLinked())
        #expect(try await server.isAlive(session))
        #expect(try await server.isUnreachable(account))
        let shown = try await server.administer(["account", "show", "--account", account.uuid])
        #expect(shown["lostWayIn"]?.string?.contains("recover it by e-mail") == true)
        // A password, the operator's or a recovery's, is a way in again.
        try await server.administer(
            AdminRequest(["account", "set-password", "--account", account.uuid], input: "correct horse battery"))
        #expect(try await !server.isUnreachable(account))
    }

    @Test("attack: after account-delete, a passkey is still a way in, and the mailbox does not replace it")
    func passkeyLeft() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person(email: "ada@example.com")
        let party = try #require(server.context.passkeyParty).id
        let (id, now) = (try server.context.random.uniqueID(), server.clock.now())
        _ = try await server.context.database.write {
            try $0.execute(
                """
                INSERT INTO passkeys (id, credential_id, account_id, relying_party, public_key, counter,
                    backup_eligible, backed_up, transports, name, created_at, cooling_until)
                VALUES ($1, $1, $2, $3, $1, 0, 0, 0, '', $1, $4, $4)
                """, [.id(id), .id(account), .text(party), .time(now)])
        }
        server.clock.advance(by: .minutes(1))
        let claims = server.apple.notification("account-delete", id: "j1")
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        #expect(try await !server.isLinked())
        #expect(try await !server.isUnreachable(account))
        let shown = try await server.administer(["account", "show", "--account", account.uuid])
        #expect(shown["lostWayIn"] == nil)
    }
}

extension AppleServer {
    fileprivate func isUnreachable(_ account: UniqueID) async throws -> Bool {
        let party = context.passkeyParty
        return try await context.database.read { try UnreachableAccounts.contains(account, at: party, on: $0) }
    }
}
