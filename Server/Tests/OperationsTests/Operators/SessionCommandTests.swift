import Core
import FlowSupport
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("Sessions at the command line", .covers("sessions that operators list and end"))
struct SessionCommandTests {
    private func sessions(_ name: String, at server: TestServer) async throws -> [String] {
        let list = try await server.administer(["session", "list", name])
        return list["sessions"]?.array?.compactMap { $0.object?["sessionId"]?.string } ?? []
    }

    @Test("One session of an account is ended, or all, and another account's is not found")
    func ends() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let ada = try await server.account("ada")
        _ = try await server.account("eve")
        for _ in 0..<2 { _ = try await client.signIn(ada) }
        let open = try await sessions("ada", at: server)
        let first = try #require(open.last)
        let wrong = await server.flows.administration.execute(["session", "end", "eve", "--only", first])
        #expect(wrong.refusal?.code == "not_found")
        try await server.administer(["session", "end", "ada", "--only", first])
        #expect(try await sessions("ada", at: server) == open.filter { $0 != first })
        let again = await server.flows.administration.execute(["session", "end", "ada", "--only", first])
        #expect(again.refusal?.code == "not_found")
        try await server.administer(["session", "end", "ada"])
        #expect(try await sessions("ada", at: server).isEmpty)
        let tail = try await server.administer(["audit", "tail", "--account", "ada", "--limit", "100"])
        let kinds = tail["entries"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds.suffix(2) == ["session.ended_by_operator", "session.all_ended_by_operator"])
    }
}
