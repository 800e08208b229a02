import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite(
    "What an account says about its person", .threat("A stolen database or file system access"),
    .covers("account create, account update"))
struct AccountProfileTests {
    private static func refusal(
        _ server: TestServer, _ account: AccountID, _ change: ProfileChange
    ) async throws -> String? {
        let administration = server.flows.administration
        let answer = await administration.execute {
            try await AccountAdministration($0).update(.id(account.rawValue), change)
        }
        return answer.refusal?.code
    }

    private static func update(
        _ server: TestServer, _ account: AccountID, _ change: ProfileChange
    ) async throws -> JSONObject {
        try await server.administer { try await AccountAdministration($0).update(.id(account.rawValue), change) }
    }

    @Test("What is left out stays as it is, an empty text removes the value, and each change is recorded")
    func partially() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.phone = "+35921234567" }
        let first = try await Self.update(
            server, account, ProfileChange(name: "Ada Lovelace", locale: "de-at", address: "One\nTwo"))
        #expect(first["name"]?.string == "Ada Lovelace")
        #expect(first["locale"]?.string == "de-AT")
        #expect(first["address"]?.string == "One\nTwo")
        #expect(first["phoneState"]?.string == "unverified")
        let second = try await Self.update(
            server, account, ProfileChange(givenName: "Ada", locale: "", phoneVerified: true))
        #expect(second["name"]?.string == "Ada Lovelace")
        #expect(second["givenName"]?.string == "Ada")
        #expect(second["locale"] == nil)
        #expect(second["phoneState"]?.string == "verified")
        let third = try await Self.update(server, account, ProfileChange(name: "", givenName: "", address: ""))
        #expect(third["name"] == nil && third["givenName"] == nil && third["address"] == nil)
        #expect(third["phoneState"]?.string == "verified")
        let id = try #require(UniqueID(bytes: account.bytes))
        let events = try await server.context.database.read {
            try SecurityEvents.list(of: id, before: nil, limit: 100, on: $0)
        }
        #expect(events.filter { $0.kind == "account.profile_changed" }.count == 3)
    }

    @Test(
        "Names that would steer a line, addresses without end, and a confirmed number that there is none of are refused"
    )
    func refused() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        for change in [
            ProfileChange(name: "Evil\u{202E}knab"), ProfileChange(givenName: "a\nb"),
            ProfileChange(familyName: String(repeating: "x", count: 101)), ProfileChange(locale: "not a tag"),
            ProfileChange(address: Array(repeating: "x", count: 9).joined(separator: "\n")),
            ProfileChange(address: "One\n\nTwo"), ProfileChange(address: "One\tTwo"),
        ] {
            #expect(try await Self.refusal(server, account, change) == "malformed")
        }
        #expect(try await Self.refusal(server, account, ProfileChange(phoneVerified: true)) == "contradiction")
        #expect(try await server.record(of: account)?.profile == nil)
    }

    @Test("The profile is sealed at rest, and gone with the account")
    func atRest() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.profile = ProfileChange(name: "Ada Lovelace", locale: "en") }
        let sealed = try #require(try await server.record(of: account)?.profile)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("Lovelace"))
        let exported = try await server.administer(["account", "export", "--account", account.rawValue])
        #expect(exported["name"]?.string == "Ada Lovelace")
        try await server.administer(["account", "erase", "--account", account.rawValue])
        let erased = try await server.record(of: account)
        #expect(erased?.profile == nil && erased?.locale == nil)
        #expect(try await Self.refusal(server, account, ProfileChange(name: "Ada")) == "no_change")
    }

    @Test("Of two changes at the same moment the later one is refused, and nothing is lost")
    func race() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        server.beforeNextWrite {
            _ = try await Self.update(server, account, ProfileChange(familyName: "Lovelace"))
        }
        #expect(try await Self.refusal(server, account, ProfileChange(name: "Ada")) == "no_change")
        let now = try await Self.update(server, account, ProfileChange(name: "Ada"))
        #expect(now["familyName"]?.string == "Lovelace")
    }
}
