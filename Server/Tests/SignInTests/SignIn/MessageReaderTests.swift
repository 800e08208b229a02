import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Messages to people, in the sandbox")
struct MessageReaderTests {
    @Test("A developer sees whom a code goes to, and the code")
    func sandbox() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        _ = try await TestApp(client: try await server.publicClient()).signIn()
        let message = try #require(try await server.flows.messages?.recent(limit: 10).first)
        #expect(message.kind == "email_code")
        #expect(message.recipient == "ada@example.com")
        #expect(try await server.emailedCode().reveal() == message.code)
    }

    @Test("A message for an unknown name goes nowhere, and is not among them")
    func decoys() async throws {
        let server = try await TestServer.start()
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.beginRecovery().recovery()
        #expect(try await server.rows(of: "outbox") == 1)
        let messages = try await server.flows.messages?.recent(limit: 10)
        #expect(messages == [])
        let listed = try await server.administer(["outbox", "list"])
        #expect(listed["messages"]?.array?.first?.object?["state"]?.string == "no recipient")
    }

    @Test(
        "The sandbox's `outbox list --json` has a code and its recipient; its lines have neither, nor has production's")
    func listed() async throws {
        for environment in [.sandbox, .production] as [ServerSettings.Environment] {
            let server = try await TestServer.start { $0.environment = environment }
            _ = try await server.account { $0.email = "ada@example.com" }
            _ = try await TestApp(client: try await server.publicClient()).signIn()
            let code = try await server.emailedCode().reveal()
            let answer = await server.flows.administration.execute(["outbox", "list"])
            #expect(!answer.lines.joined().contains(code) && !answer.lines.joined().contains("ada@"))
            let message = try #require(try answer.document()["messages"]?.array?.first?.object)
            let isSandbox = environment == .sandbox
            #expect(message["kind"]?.string == "email_code")
            #expect(message["code"]?.string == (isSandbox ? code : nil))
            #expect(message["recipient"]?.string == (isSandbox ? "ada@example.com" : nil))
            #expect((message["text"]?.string?.contains(code) ?? false) == isSandbox)
            #expect(answer.json.contains(code) == isSandbox)
        }
    }

    @Test("In production they cannot be read")
    func production() async throws {
        let server = try await TestServer.start { $0 = ServerSettings(environment: .production, issuer: $0.issuer) }
        #expect(server.flows.messages == nil)
    }
}
