import Core
import Foundation
import Kernel
import Operations
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Apple

@Suite(
    "An app that moves to another team at Apple", .threat("Sign in with Apple at the server"),
    .covers("walletauth provider transfer"))
struct TransferTests {
    private static let team = "TEAM000002"

    private func prepare(_ server: AppleServer, team: String = Self.team) async -> AdministrationAnswer {
        await server.administration.execute(["provider", "transfer", "apple", "--to-team", team])
    }

    private func move(_ server: AppleServer) async throws {
        try await server.administer(["provider", "remove", "apple"])
        server.apple.move(to: Self.team)
        try await server.add { $0.teamID = Self.team }
    }

    private func account(of subject: String, on server: AppleServer) async throws -> UniqueID? {
        let digest = try await server.provider().digest(of: subject)
        return try await server.context.database.read {
            try FederatedIdentities.find(digest, brand: "default", on: $0)?.accountID
        }
    }

    @Test("People who were prepared keep their accounts: the first sign-in in the new team moves the link, once")
    func kept() async throws {
        let server = try await AppleServer.start()
        let (ada, grace) = (try await server.person(), try await server.person("001.b", username: "grace"))
        let answer = await prepare(server)
        #expect(answer.lines.first == "2 people are prepared for the team TEAM000002 (2 new).")
        let again = await prepare(server)
        #expect(again.lines.first == "2 people are prepared for the team TEAM000002 (0 new).")
        let recorded = try await server.context.database.read { connection in
            try connection.query(
                "SELECT details FROM security_events WHERE kind = 'provider.transfer_prepared'", []
            ).map { try $0.text("details") }
        }
        #expect(recorded == [#"{"brand":"default","provider":"apple","team":"TEAM000002"}"#])
        try await move(server)
        let change: (inout JSONObject) -> Void = {
            $0.set("transfer_sub", TestApple.transfer(of: "001.a", to: Self.team))
        }
        for _ in 0..<2 {
            let identity = try #require(
                try await server.verify(server.apple.token("002.new", nonce: "n", change), nonce: "n"))
            try await server.keep(identity)
            #expect(try await account(of: "002.new", on: server) == ada)
        }
        let events = try await server.events(of: ada)
        #expect(events.count { $0 == "identity.transferred" } == 1)
        // The former team's token is not revoked by the new one's key, and no other link was moved.
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
        let identities = try await server.context.database.read { try FederatedIdentities.list(of: grace, on: $0) }
        #expect(identities.count == 1)
        #expect(try await account(of: "002.other", on: server) == nil)
    }

    @Test("attack: an identity that came with a merge goes on cooling in the new team")
    func cooling() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person(username: "guest")
        let made = try await server.administer(["account", "create", "ada"])
        let ada = try #require(UniqueID(uuid: try made.string("accountId") ?? ""))
        try await server.administer(["account", "merge", "guest", "--into", "ada"])
        let now = server.clock.now()
        let until = try await server.context.database.read {
            try FederatedIdentities.cooling(of: ada, now: now, on: $0)
        }
        #expect(until != nil)
        _ = await prepare(server)
        try await move(server)
        let identity = try #require(
            try await server.verify(
                server.apple.token("002.new", nonce: "n") {
                    $0.set("transfer_sub", TestApple.transfer(of: "001.a", to: Self.team))
                }, nonce: "n"))
        try await server.keep(identity)
        #expect(try await account(of: "002.new", on: server) == ada)
        let after = try await server.context.database.read {
            try FederatedIdentities.cooling(of: ada, now: now, on: $0)
        }
        #expect(after == until)
    }

    @Test(
        "attack: a transfer_sub of another brand, made up, or for a person with an account moves no link"
    )
    func notMoved() async throws {
        let server = try await AppleServer.start()
        let ada = try await server.person()
        _ = await prepare(server)
        try await move(server)
        let unknown = try server.apple.token("002.new", nonce: "n") { $0.set("transfer_sub", "made up") }
        _ = try await server.verify(unknown, nonce: "n")
        #expect(try await account(of: "002.new", on: server) == nil)
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add {
            $0.brand = "second"
            $0.teamID = Self.team
        }
        let transfer = TestApple.transfer(of: "001.a", to: Self.team)
        let token = try server.apple.token("002.new", nonce: "n") { $0.set("transfer_sub", transfer) }
        let second = try await server.provider(brand: "second")
        _ = try await second.verify(token, nonce: Nonce("n"), call: server.call(brand: "second"))
        #expect(try await account(of: "002.new", on: server) == nil)
        let mallory = try await server.person("002.mallory", username: "mallory")
        let hers = try server.apple.token("002.mallory", nonce: "n") { $0.set("transfer_sub", transfer) }
        _ = try await server.verify(hers, nonce: "n")
        #expect(try await account(of: "002.mallory", on: server) == mallory)
        let identities = try await server.context.database.read { try FederatedIdentities.list(of: ada, on: $0) }
        #expect(identities.count == 1)
    }

    @Test(
        "attack: after a sign-in that moved the link and then failed, the end of the new consent still ends the sessions",
        arguments: [Duration.seconds(30), .minutes(2)])
    func consentEndsAfterFailedSignIn(ended: Duration) async throws {
        let server = try await AppleServer.start()
        let ada = try await server.person()
        let session = try await server.openSession(of: ada, methods: "fed")
        _ = await prepare(server)
        try await move(server)
        let issuedAt = server.clock.now()
        let token = try server.apple.token("002.new", nonce: "n") {
            $0.set("transfer_sub", TestApple.transfer(of: "001.a", to: Self.team))
        }
        server.clock.advance(by: .minutes(1))
        _ = try #require(try await server.verify(token, nonce: "n"))
        // Apple takes no code, so no sign-in is recorded.
        #expect(try await account(of: "002.new", on: server) == ada)
        #expect(try await server.isAlive(session))
        server.clock.advance(by: .minutes(1))
        // The person ends the consent after the token was made, whether the server had seen the token by then or not.
        let claims = server.apple.notification("consent-revoked", of: "002.new", id: "j1", at: issuedAt + ended)
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        #expect(try await !server.isAlive(session))
        #expect(try await server.grant("002.new")?.suspendedAt == issuedAt + ended)
        #expect(try await server.messages(to: ada) == ["identity_suspended"])
    }

    @Test("What Apple does not answer is reported, and the next run goes on")
    func interrupted() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        server.apple.answer("/auth/usermigrationinfo", 500, "")
        let answer = await prepare(server)
        #expect(answer.status != .done)
        #expect(answer.lines.joined().contains("Apple stopped after 0 people"))
        #expect(await prepare(server, team: TestApple.teamID).lines.joined().contains("already"))
        #expect(await prepare(server, team: "team").lines.joined().contains("to-team"))
    }

    @Test("A person for whom Apple gives no identifier holds up no one else, in this run or the next")
    func refusedPerson() async throws {
        let server = try await AppleServer.start()
        for (name, subject) in [("ada", "001.a"), ("eve", "001.b"), ("grace", "001.c")] {
            _ = try await server.person(subject, username: name)
        }
        server.apple.close("001.b")
        let answer = await prepare(server)
        #expect(answer.status != .done)
        #expect(answer.lines.joined().contains("Prepared: 2. Apple gave no identifier for 1"))
        let later = try await server.person("001.d", username: "mary")
        let next = await prepare(server)
        #expect(next.lines.joined().contains("Prepared: 1. Apple gave no identifier for 1"))
        try await move(server)
        let token = try server.apple.token("002.new", nonce: "n") {
            $0.set("transfer_sub", TestApple.transfer(of: "001.d", to: Self.team))
        }
        _ = try #require(try await server.verify(token, nonce: "n"))
        #expect(try await account(of: "002.new", on: server) == later)
    }

    @Test("A service that knows no transfers, as the sandbox's stand-in, is named, and no repetition is advised")
    func unknownTransfers() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        server.apple.answer("/auth/token", 400, #"{"error":"unsupported_grant_type"}"#)
        let answer = await prepare(server)
        #expect(answer.status != .done)
        let said = answer.lines.joined()
        #expect(said.contains("does not support transfers"), "\(said)")
        #expect(!said.contains("again"), "\(said)")
    }

    @Test(
        "A transfer that was prepared for a wrong team is prepared for the right one, and people keep their accounts there"
    )
    func wrongTeam() async throws {
        let server = try await AppleServer.start()
        let ada = try await server.person()
        let wrong = await prepare(server, team: "WRONGTEAM1")
        #expect(wrong.lines.first == "1 person is prepared for the team WRONGTEAM1 (1 new).")
        let right = await prepare(server)
        #expect(right.lines.first == "1 person is prepared for the team TEAM000002 (1 new).")
        let json = try JSONValue.object(parsing: Array(right.json.utf8))
        #expect(json["total"]?.integer == 1)
        #expect(json["otherTeams"]?.integer == 1)
        try await move(server)
        let token = try server.apple.token("002.new", nonce: "n") {
            $0.set("transfer_sub", TestApple.transfer(of: "001.a", to: Self.team))
        }
        try await server.keep(#require(try await server.verify(token, nonce: "n")))
        #expect(try await account(of: "002.new", on: server) == ada)
    }

    @Test("What was expected of a person is over after a year, and can be prepared again")
    func expired() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        _ = await prepare(server)
        server.clock.advance(by: .days(365))
        let again = await prepare(server)
        #expect(again.lines.first == "1 person is prepared for the team TEAM000002 (1 new).")
        server.clock.advance(by: .days(365))
        try await move(server)
        let token = try server.apple.token("002.new", nonce: "n") {
            $0.set("transfer_sub", TestApple.transfer(of: "001.a", to: Self.team))
        }
        _ = try await server.verify(token, nonce: "n")
        #expect(try await account(of: "002.new", on: server) == nil)
    }

    @Test("What was expected of a person goes with the account")
    func erased() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        _ = await prepare(server)
        try await server.administer(["account", "erase", "--account", account.uuid])
        #expect(try await server.context.database.read { try $0.query("SELECT 1 FROM apple_transfers", []) }.isEmpty)
    }
}
