import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Calls that are made once", .covers("commands over HTTP"))
struct CallMarkTests: OperatorCalls {
    private static let create: AdminRequest = [
        "client", "create", "--name", "Shop", "--confidential", "--scope", "transactions",
    ]

    /// With two owners of all brands.
    private func server() async throws -> TestServer {
        let server = try await TestServer.start()
        try await make("bob", "zoe", "paul", at: server)
        for name in ["bob", "zoe"] { try await grant(name, "owner", "--all-brands", at: server) }
        return server
    }

    private func call(
        _ words: AdminRequest = Self.create, key: String, by name: String = "bob", at server: TestServer
    ) async throws -> String? {
        let caller = OperatorCaller(
            identity: .person(try await id(name, at: server)), clientID: try ClientID("console"),
            origin: TestServer.origin, now: server.clock.now(), shortcoming: nil)
        let administration = server.flows.administration
        let grant = try #require(try await OperatorCall.grant(of: caller, in: administration))
        let call = OperatorCall(
            administration: administration, caller: caller, command: try administration.command(for: words),
            request: words, mark: .key(try IdempotencyKey(key), of: caller.identity))
        return await call.run(under: grant).refusal?.code
    }

    private func clients(_ server: TestServer) async throws -> Int64 { try await server.rows(of: "clients") }

    @Test("A key makes one client; another key, or another caller with the same one, makes another")
    func once() async throws {
        let server = try await server()
        let before = try await clients(server)
        #expect(try await call(key: "key-0123456789abc", at: server) == nil)
        for words in [Self.create, ["account", "deactivate", "paul"]] {
            #expect(try await call(words, key: "key-0123456789abc", at: server) == CallMark.keyUsed)
        }
        #expect(try await clients(server) == before + 1)
        #expect(try await call(key: "key-0123456789abd", at: server) == nil)
        #expect(try await call(key: "key-0123456789abc", by: "zoe", at: server) == nil)
        #expect(try await clients(server) == before + 3)
        #expect(try await server.administer(["account", "show", "paul"])["state"] == "active")
    }

    @Test("Of the same call ten times at once, one creates something", arguments: Deployment.allCases)
    func atOnce(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await make("bob", at: one)
            try await grant("bob", "owner", "--all-brands", at: one)
            let before = try await clients(one)
            let codes = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await call(key: "key-0123456789abc", at: number.isMultiple(of: 2) ? one : other)
                    }
                }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1, "\(codes)")
            #expect(try await clients(one) == before + 1)
        }
    }

    @Test("A call that was refused before it changed anything does not use its key, and neither does one that reads")
    func unused() async throws {
        let server = try await server()
        let key = "key-0123456789abc"
        #expect(try await call(["account", "deactivate", "ghost"], key: key, at: server) == "not_found")
        #expect(try await call(["account", "show", "paul"], key: key, at: server) == nil)
        #expect(try await call(["account", "deactivate", "paul"], key: key, at: server) == nil)
        #expect(try await call(["account", "show", "paul"], key: key, at: server) == nil)
    }

    @Test("After a command whose own writes bring no mark, the key is used as well")
    func keys() async throws {
        let server = try await server()
        let rotate: AdminRequest = ["keys", "rotate"]
        #expect(try await call(rotate, key: "key-0123456789abc", at: server) == nil)
        let listed = try await server.administer(["keys", "list"])
        #expect(try await call(rotate, key: "key-0123456789abc", at: server) == CallMark.keyUsed)
        #expect(try await server.administer(["keys", "list"]) == listed)
    }
}
