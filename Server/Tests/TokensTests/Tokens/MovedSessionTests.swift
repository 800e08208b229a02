import Consent
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("A session whose row someone gives to another account", .threat("Stolen access and refresh tokens"))
struct MovedSessionTests {
    /// Someone who can write to the database gives every session to an account.
    private func move(to account: AccountID, in server: TestServer) async throws {
        let id = try #require(UniqueID(bytes: account.bytes))
        let moved = try await server.context.database.write { connection in
            try connection.execute(
                """
                UPDATE sessions SET account_id = $1,
                    security_version = (SELECT a.security_version FROM accounts a WHERE a.id = $1)
                """, [.id(id)])
        }
        #expect(moved == 1)
    }

    @Test(
        "attack: someone who can write to the database gives their session to another account, and neither of its tokens works for that one"
    )
    func movedByWriting() async throws {
        let server = try await TestServer.start()
        let own = try await server.account("thief")
        let victim = try await server.account()
        let thief = try await TestDevice.signedIn(own, server.publicClient())
        let token = try #require(thief.tokens.refreshToken)
        try await move(to: victim, in: server)
        await #expect(throws: OAuthRefusal.invalidToken) { try await thief.list() }
        let presented = try thief.presented(.get, Endpoints.devices.path)
        await #expect(throws: OAuthRefusal.invalidToken) {
            _ = try await server.flows.callers.consentingApp(presented, about: nil)
        }
        let refused = try await thief.app.client.refresh(token, proof: thief.app.key)
        #expect(refused.refusal == .invalidGrant)

        // The refusals changed nothing: the session lives where it belongs.
        try await move(to: own, in: server)
        let devices = try await thief.list()
        #expect(devices.isEmpty)
        let renewed = try await thief.app.client.refresh(token, proof: thief.app.key)
        #expect(renewed.refusal == nil)
    }
}
