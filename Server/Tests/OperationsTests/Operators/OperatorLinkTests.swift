import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite(
    "One-time links of operators", .covers("an operator's one-time link"),
    .threat("An operator's rights over HTTP"))
struct OperatorLinkTests: OperatorCalls {
    private static let link: AdminRequest = ["operator", "grant", "maria", "--role", "support", "--link"]

    /// Ada is an owner, and maria has an account.
    private func start() async throws -> TestServer {
        let server = try await TestServer.start()
        try await make("ada", "maria", at: server)
        try await grant("ada", "owner", "--all-brands", at: server)
        return server
    }

    private func listed(_ server: TestServer) async throws -> [JSONObject] {
        let list = try await server.administer(["operator", "list"])["operators"]?.array?.compactMap(\.object) ?? []
        return list.filter { $0["usernames"] == ["maria"] }
    }

    /// `$1` is the account.
    private static let ways = [
        (
            "a password",
            """
            UPDATE accounts SET password = zeroblob(1), password_state = 'expired', password_changed_at = 0 WHERE id = $1
            """
        ),
        ("an earlier sign-in", "UPDATE accounts SET last_login_at = 1 WHERE id = $1"),
        (
            "a device",
            """
            INSERT INTO devices (id, account_id, client_id, name, platform, signing_key, thumbprint, dpop_jkt, key_storage,
                state, instance, created_at, cooling_until, last_used_at, state_changed_at)
            VALUES (zeroblob(16), $1, 'app', zeroblob(1), 'ios', zeroblob(64), zeroblob(32), zeroblob(32), 'software',
                'suspended', 'exempt', 0, 0, 0, 0)
            """
        ),
        (
            "a passkey",
            """
            INSERT INTO passkeys (id, credential_id, account_id, relying_party, public_key, counter, backup_eligible,
                backed_up, transports, name, created_at, cooling_until)
            VALUES (zeroblob(16), zeroblob(16), $1, 'other.example.com', zeroblob(1), 0, 0, 0, '', zeroblob(1), 0, 0)
            """
        ),
        (
            "an identity at a provider",
            """
            INSERT INTO federated_identities (brand_id, digest, account_id, provider_id, subject, linked_at)
            VALUES ('default', zeroblob(32), $1, 'p', zeroblob(1), 0)
            """
        ),
    ]

    @Test("attack: over HTTP no link resets the password of a person who signs in already", arguments: ways)
    func inUse(way: String, statement: String) async throws {
        let server = try await start()
        _ = try await server.publicClient()
        let maria = try await id("maria", at: server)
        _ = try await server.context.database.write { try $0.execute(statement, [.id(maria)]) }
        let refused = try await call(Self.link, by: "ada", at: server).refusal
        #expect(refused?.code == "no_change")
        #expect(refused?.message.hasSuffix("it has \(way).") == true, "\(refused?.message ?? "")")
        #expect(refused?.hint?.contains(server.context.settings.issuer.url(path: "/account")) == true)
        #expect(try await listed(server).isEmpty)
        // Who is at the machine may set the password anyway.
        #expect(try await server.administer(Self.link)["link"] != nil)
    }

    @Test("A link is listed with its maker and its end, never with its secret, and revoking withdraws it")
    func listedUntilRevoked() async throws {
        let server = try await start()
        let link = try await call(Self.link, by: "ada", at: server).document()["link"]?.string
        let secret = try #require(link?.split(separator: "=").last)
        let row = try #require(try await listed(server).first)
        #expect(row["state"] == "invited")
        #expect(row["role"] == "support")
        #expect(row["invitedBy"]?.string == (try await id("ada", at: server).uuid))
        #expect(row["expiresAt"]?.string == (server.clock.now() + .minutes(15)).text)
        let printed = await server.flows.administration.execute(["operator", "list"])
        let line = printed.lines.first { $0.hasPrefix("maria") }
        #expect(line?.hasSuffix(", by ada") == true, "\(printed.lines)")
        #expect(!(printed.lines.joined() + printed.json).contains(secret))
        let revoked = try await call(["operator", "revoke", "maria"], by: "ada", at: server)
        #expect(revoked.lines.first?.hasSuffix("its link no longer works.") == true)
        #expect(try await listed(server).isEmpty)
    }

    @Test("A link that has expired, or that a change of the account or of its maker's role has ended, is not listed")
    func ended() async throws {
        let endings: [AdminRequest] = [
            AdminRequest(["account", "set-password", "maria", "--password-stdin"], input: "correct horse battery"),
            ["account", "deactivate", "maria"], ["operator", "revoke", "ada"],
        ]
        for ending in endings {
            let server = try await start()
            try await make("bob", at: server)
            try await grant("bob", "owner", "--all-brands", at: server)
            _ = try await call(Self.link, by: "ada", at: server)
            #expect(try await listed(server).count == 1)
            try await server.administer(ending)
            #expect(try await listed(server).isEmpty)
        }
        let server = try await start()
        _ = try await call(Self.link, by: "ada", at: server)
        server.clock.advance(by: .minutes(15))
        #expect(try await listed(server).isEmpty)
    }
}
