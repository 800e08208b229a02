import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// For tests of calls under a role, as the endpoints make them after the token was checked.
protocol OperatorCalls {}

extension OperatorCalls {
    func id(_ name: String, _ brand: String = "default", at server: TestServer) async throws -> UniqueID {
        let account = try await server.context.database.read { try Accounts.find(named: name, brand: brand, on: $0) }
        return try #require(account?.id)
    }

    func call(_ words: AdminRequest, by name: String, at server: TestServer) async throws
        -> AdministrationAnswer
    {
        let caller = OperatorCaller(
            identity: .person(try await id(name, at: server)), clientID: try ClientID("console"),
            origin: TestServer.origin, now: server.clock.now(), shortcoming: nil)
        let administration = server.flows.administration
        guard let grant = try await OperatorCall.grant(of: caller, in: administration) else {
            return .refused(OperatorCall.noRole)
        }
        let command = try administration.command(for: words)
        return await OperatorCall(administration: administration, caller: caller, command: command, request: words)
            .run(under: grant)
    }

    func code(_ words: AdminRequest, by name: String, at server: TestServer) async throws -> String? {
        try await call(words, by: name, at: server).refusal?.code
    }

    func make(_ names: String..., at server: TestServer) async throws {
        for name in names { try await server.administer(["account", "create", name]) }
    }

    func grant(_ name: String, _ options: String..., at server: TestServer) async throws {
        try await server.administer(AdminRequest(["operator", "grant", name, "--role"] + options))
    }
}
