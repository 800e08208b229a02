import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Lists that an option narrows")
struct NarrowedListTests {
    @Test("account list --prefix goes through the user names that begin with a text, in capitals or not")
    func prefix() async throws {
        let server = try await TestServer.start()
        for name in ["maria", "marek", "Märta", "zoe", "ma"] { _ = try await server.account(name, password: nil) }
        func names(_ options: String...) async throws -> [String] {
            let page = try await server.administer(AdminRequest(["account", "list", "--prefix"] + options))
            return page["accounts"]?.array?.compactMap { $0.object?["username"]?.string } ?? []
        }
        #expect(try await names("mar") == ["marek", "maria"])
        #expect(try await names("MAR", "--limit", "1") == ["marek"])
        #expect(try await names("mar", "--after", "marek") == ["maria"])
        #expect(try await names("m\u{E4}") == ["Märta"])
        #expect(try await names("x").isEmpty)
        let refused = await server.flows.administration.execute(["account", "list", "--prefix", "a\0"])
        #expect(refused.status == .refused)
    }

    @Test("Neither the length of a page nor a next one tells support that an address begins with a text")
    func hiddenAddresses() async throws {
        let server = try await TestServer.start()
        // A name of one's own before the address, as the last of a page.
        for name in ["eve", "eve@example.com"] { _ = try await server.account(name, password: nil) }
        let operatorID = try server.context.random.uniqueID()
        func list(_ prefix: String, hidden: Bool) async throws -> [String?] {
            let administration = server.flows.administration
            let operators = administration.called(by: .person(operatorID), as: hidden ? .support : .auditor)
            let page = try await operators.execute(
                AdminRequest(["account", "list", "--limit", "1", "--prefix", prefix])
            ).document()
            let names = page["accounts"]?.array?.map { $0.object?["username"]?.string } ?? []
            return names + [page["next"]?.string]
        }
        #expect(try await list("eve", hidden: true) == ["eve", nil])
        #expect(try await list("eve@", hidden: true) == [nil])
        #expect(try await list("eve", hidden: false) == ["eve", "eve"])
        // Only the names that come after the address are a next page.
        _ = try await server.account("evening", password: nil)
        #expect(try await list("eve", hidden: true) == ["eve", "eve"])
        #expect(try await list("eve@", hidden: true) == [nil])
    }

    @Test("audit tail --since and --until keep to the days, with the last entry of the one and the first of the next")
    func days() async throws {
        let server = try await TestServer.start()
        for name in ["ada", "bob", "cid"] { try await server.administer(["account", "create", name]) }
        // One millisecond before midnight, and midnight.
        let midnight = Timestamp(seconds: 1_767_225_600)
        let ids = try await server.context.database.read {
            try $0.query("SELECT id FROM security_events WHERE kind = 'account.created' ORDER BY id", []).map {
                try $0.blob("id")
            }
        }
        try await server.context.database.write { connection in
            _ = try connection.execute(
                "UPDATE security_events SET occurred_at = $1", [.time(midnight - .milliseconds(1))])
            for id in ids.dropFirst() {
                _ = try connection.execute(
                    "UPDATE security_events SET occurred_at = $1 WHERE id = $2", [.time(midnight), .blob(id)])
            }
        }
        func count(_ options: String...) async throws -> Int? {
            try await server.administer(AdminRequest(["audit", "tail", "--kind", "account.created"] + options))[
                "entries"]?
                .array?.count
        }
        #expect(try await count() == 3)
        #expect(try await count("--since", "2026-01-01") == 2)
        #expect(try await count("--until", "2025-12-31") == 1)
        #expect(try await count("--since", "2025-12-31", "--until", "2025-12-31") == 1)
        #expect(try await count("--since", "2026-01-02") == 0)
        #expect(try await count("--since", "2026-01-01", "--until", "2026-01-01", "--account", "cid") == 1)
        for day in ["yesterday", "2026-02-30", "9999999999-01-01"] {
            let refused = await server.flows.administration.execute(AdminRequest(["audit", "tail", "--since", day]))
            #expect(refused.status == .refused)
        }
    }
}
