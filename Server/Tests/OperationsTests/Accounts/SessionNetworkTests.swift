import Core
import FlowSupport
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Tokens

@Suite("From where a session was last used")
struct SessionNetworkTests {
    private let server: TestServer
    private let account: AccountID

    init() async throws {
        server = try await TestServer.start()
        account = try await server.account()
    }

    private func networks() async throws -> [String?] {
        let listed = try await server.administer(["session", "list", "ada"])
        return try #require(listed["sessions"]?.array).map { $0.object?["network"]?.string }
    }

    /// The renewal of sessions, with the statements that it runs.
    private func renewal() -> (RefreshGrant, StatementLog) {
        let (own, log) = (server.flows.tokens.grants.refreshTokens, StatementLog(server.context.database))
        let renewal = RefreshGrant(
            keyRing: own.keyRing, database: log, clients: own.clients, idleLimit: own.idleLimit, mint: own.mint,
            stolen: own.stolen, vault: own.vault, logger: own.logger)
        return (renewal, log)
    }

    @Test(
        "An app's session has the network of its sign-in, then that of each day's first refresh, in the same two statements"
    )
    func refreshes() async throws {
        let client = try await server.bearerClient()
        var token = try #require(try await client.signIn(account).refreshToken)
        #expect(try await networks() == ["192.0.2.0/24"])
        let found = try await server.context.database.read { try Clients.find("app", on: $0) }
        let registered = try RegisteredClient(try #require(found))
        let (renewal, log) = renewal()
        func refresh(from address: String) async throws -> [String] {
            _ = log.take()
            let call = TokenCaller(
                client: registered, scope: nil, origin: RequestOrigin(address: address), now: server.clock.now())
            token = try #require(try await renewal.renew(token, attempt: nil, call: call).get().tokens.refreshToken)
            return log.take()
        }
        server.clock.advance(by: .seconds(1))
        let usual = try await refresh(from: "198.51.100.7")
        #expect(usual.count == 2 && !usual.contains { $0.contains("network") }, "\(usual)")
        #expect(try await networks() == ["192.0.2.0/24"])
        for (address, network) in [
            ("198.51.100.7", "198.51.100.0/24"), ("2001:db8:1:2ff::4", "2001:db8:1::/48"),
            ("", "2001:db8:1::/48"),
        ] {
            server.clock.advance(by: .hours(24))
            let first = try await refresh(from: address)
            let stores = first.contains { $0.contains("network = $7") }
            #expect(first.count == 2 && stores != address.isEmpty, "\(first)")
            #expect(try await networks() == [network])
        }
    }

    @Test("A backend's session has none: its calls come from the backend's network")
    func backend() async throws {
        let backend = try await server.confidentialClient()
        let app = try await server.publicClient { $0.redeemer = backend.id.rawValue }
        let code = try await app.code(for: account, scope: "wallet")
        let opened = try await backend.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        ).tokens()
        let token = try #require(opened.refreshToken)
        server.clock.advance(by: .hours(24))
        _ = try await backend.refresh(token).tokens()
        #expect(try await networks() == [nil])
    }

    @Test("The export has it, the row has it sealed and for this session alone, and an erased account has it no more")
    func rows() async throws {
        let client = try await server.bearerClient()
        for _ in 0..<2 { _ = try await client.signIn(account) }
        let document = try await server.administer(["account", "export", "ada"])
        let sessions = try #require(document["sessions"]?.array).map { $0.object?["network"]?.string }
        #expect(sessions == ["192.0.2.0/24", "192.0.2.0/24"])
        let id = try #require(UniqueID(bytes: account.bytes))
        let sealed = try await server.context.database.read { try Sessions.networks(of: id, on: $0) }
        let vault = SessionVault(server.context.sealing)
        #expect(sealed.count == 2)
        for (session, bytes) in sealed {
            #expect(!String(decoding: bytes, as: UTF8.self).contains("192.0.2"))
            for other in sealed.keys where other != session { #expect(vault.open(bytes, .app, of: other) == nil) }
            #expect(vault.open(bytes, .browser, of: session) == nil)
        }
        _ = try await server.administer(["account", "erase", "--account", account.rawValue])
        #expect(try await server.rows(of: "sessions") == 2)
        #expect(try await server.rows(of: "sessions WHERE network IS NOT NULL") == 0)
    }
}
