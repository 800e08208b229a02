import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite(
    "What an auditor of one brand reads", .covers("roles of operators"), .threat("An operator's rights over HTTP"))
struct BrandAuditTests: OperatorCalls {
    /// With ada, an auditor of `default`, bob, its support, and zoe, an owner of all brands; maria is in the brand `red`.
    private func server() async throws -> TestServer {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "red", "--name", "Red"])
        try await make("ada", "bob", "zoe", "paul", at: server)
        try await server.administer(["account", "create", "maria", "--brand", "red"])
        for (client, brand) in [("red-shop", "red"), ("own-shop", "default")] {
            try await server.administer([
                "client", "create", client, "--name", "Shop", "--confidential", "--brand", brand, "--scope",
                "transactions",
            ])
        }
        try await grant("ada", "auditor", at: server)
        try await grant("bob", "support", at: server)
        try await grant("zoe", "owner", "--all-brands", at: server)
        #expect(try await code(["account", "deactivate", "paul"], by: "bob", at: server) == nil)
        let ofRed: AdminRequest = ["account", "deactivate", "maria", "--brand", "red"]
        #expect(try await code(ofRed, by: "zoe", at: server) == nil)
        return server
    }

    private func entries(_ answer: AdministrationAnswer) throws -> [JSONObject] {
        #expect(answer.refusal == nil)
        return try answer.document()["entries"]?.array?.compactMap(\.object) ?? []
    }

    @Test("The log of the own brand has its accounts, clients, texts and calls, and nothing of another brand")
    func ownBrand() async throws {
        let server = try await server()
        let (paul, maria) = (try await id("paul", at: server).uuid, try await id("maria", "red", at: server).uuid)
        let start = AuditPartition.all.map { _ in "0" }.joined(separator: ",")
        for options in [["--limit", "1000"], ["--cursor", start]] {
            let words = AdminRequest(["audit", "tail", "--brand", "default"] + options)
            let found = try entries(await call(words, by: "ada", at: server))
            let text = JSONValue.array(found.map { .object($0) }).text
            #expect(text.contains(paul) && text.contains("own-shop"), "\(text)")
            #expect(found.contains { $0["kind"] == "operator.called" && $0["operatorUsername"] == "bob" })
            #expect(!text.contains(maria) && !text.contains("red-shop") && !text.contains("\"red\""), "\(text)")
            let red = try entries(
                await call(
                    AdminRequest(["audit", "tail", "--brand", "red"] + options), by: "zoe", at: server))
            let other = JSONValue.array(red.map { .object($0) }).text
            #expect(other.contains(maria) && other.contains("red-shop") && !other.contains(paul), "\(other)")
        }
    }

    @Test("The pages of a brand's log have each of its entries once")
    func pages() async throws {
        let server = try await server()
        func ids(_ answer: JSONObject) -> [String] {
            (answer["entries"]?.array ?? []).compactMap { $0.object?["id"]?.string }
        }
        let words = ["audit", "tail", "--brand", "default", "--limit"]
        let all = ids(try await server.administer(AdminRequest(words + ["1000"])))
        #expect(all.count > 6)
        var (found, before): ([String], String?) = ([], nil)
        repeat {
            let page = try await server.administer(
                AdminRequest(words + ["2"] + (before.map { ["--before", $0] } ?? [])))
            found = ids(page) + found
            before = page["before"]?.string
        } while before != nil
        #expect(found.sorted() == all.sorted())
    }

    @Test("An account of the own brand is read by name and by id; another brand's is neither, and its id is unknown")
    func accounts() async throws {
        let server = try await server()
        let (paul, maria) = (try await id("paul", at: server).uuid, try await id("maria", "red", at: server).uuid)
        for name in ["paul", paul] {
            let found = try entries(await call(["audit", "tail", "--account", name], by: "ada", at: server))
            #expect(found.contains { $0["kind"] == "account.deactivated" })
        }
        #expect(try await code(["audit", "tail", "--account", maria], by: "ada", at: server) == "not_found")
        let named: AdminRequest = ["audit", "tail", "--account", "maria", "--brand", "red"]
        #expect(try await code(named, by: "ada", at: server) == "forbidden_role")
    }

    @Test("The clients of the own brand are listed, and those of another brand are not")
    func clients() async throws {
        let server = try await server()
        let answer = try await call(["client", "list", "--brand", "default"], by: "ada", at: server)
        let listed = try answer.document()["clients"]?.array?.compactMap { $0.object?["clientId"]?.string }
        #expect(listed?.contains("own-shop") == true && listed?.contains("red-shop") == false, "\(answer.lines)")
        #expect(try await code(["client", "list", "--brand", "red"], by: "ada", at: server) == "forbidden_role")
        let unknown = await server.flows.administration.execute(["client", "list", "--brand", "nope"])
        #expect(unknown.refusal?.code == "not_found")
    }

    @Test("What the role does not reach says to name its brand, and how an operator of all brands got theirs")
    func hint() async throws {
        let server = try await server()
        for words in [
            ["audit", "tail"], ["audit", "tail", "--brand", "red"], ["audit", "tail", "--operation", "op-1"],
            ["audit", "verify"], ["outbox", "list"], ["account", "list", "--brand", "red"],
        ] {
            let refusal = try #require(try await call(AdminRequest(words), by: "ada", at: server).refusal, "\(words)")
            #expect(refusal.code == "forbidden_role" && refusal.message.contains("the brand default only"))
            #expect(refusal.hint?.contains("Name this brand") == true)
            #expect(refusal.hint?.contains("--role auditor --all-brands") == true)
        }
    }

    @Test("A brand that does not exist is not an empty log")
    func unknown() async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute(["audit", "tail", "--brand", "nope"])
        #expect(answer.refusal?.code == "not_found")
    }
}
