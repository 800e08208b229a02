import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("An account by an address", .covers("why a person cannot sign in"))
struct AccountSearchTests {
    private static let phone = "+35921234567"

    private func answer(_ server: TestServer, _ words: [String]) async -> AdministrationAnswer {
        await server.flows.administration.execute(AdminRequest(words))
    }

    private func shown(_ server: TestServer, _ text: String, _ more: [String] = []) async throws -> String? {
        try await server.administer(AdminRequest(["account", "show", text] + more))["accountId"]?.string
    }

    @Test("Commands that read find an account by a confirmed e-mail address or phone number, however it is typed")
    func found() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account {
            $0.email = "Ada@example.com"
            $0.emailVerified = true
            $0.phone = Self.phone
            $0.profile.phoneVerified = true
        }
        for text in ["ada@example.com", "ADA@example.com", Self.phone, "+359 2 123 4567"] {
            #expect(try await shown(server, text) == ada.rawValue, "\(text)")
            for verb in [
                ["account", "explain"], ["account", "consents"], ["account", "export"], ["session", "list"],
                ["device", "list"], ["passkey", "list"], ["audit", "tail", "--account"],
            ] {
                let answer = await answer(server, verb + [text])
                #expect(answer.status == .done, "\(verb) \(text): \(answer.lines)")
            }
        }
    }

    @Test("An address that is not confirmed finds no account, nor does one of another brand or one that was given up")
    func unconfirmed() async throws {
        let server = try await TestServer.start()
        _ = try await server.account {
            $0.email = "ada@example.com"
            $0.phone = Self.phone
        }
        for text in ["ada@example.com", Self.phone] {
            let answer = await answer(server, ["account", "show", text])
            #expect(answer.refusal?.code == "not_found", "\(answer.lines)")
        }
        try await server.administer(["account", "verify-email", "ada"])
        #expect(try await shown(server, "ada@example.com") != nil)
        try await server.administer(["brand", "create", "other", "--name", "Other"])
        let other = await answer(server, ["account", "show", "ada@example.com", "--brand", "other"])
        #expect(other.refusal?.code == "not_found")
        try await server.administer(["account", "set-email", "ada", "--email", "new@example.com", "--verified"])
        let former = await answer(server, ["account", "show", "ada@example.com"])
        #expect(former.refusal?.code == "not_found")
    }

    @Test("A user name comes first, and an address that several accounts confirmed names them by their ids")
    func ambiguous() async throws {
        let server = try await TestServer.start()
        var ids: [String] = []
        for name in ["ada", "bob"] {
            ids.append(
                try await server.account(name) {
                    $0.email = "family@example.com"
                    $0.emailVerified = true
                }.rawValue)
        }
        let refused = try #require(await answer(server, ["account", "show", "family@example.com"]).refusal)
        #expect(refused.code == "ambiguous" && ids.allSatisfy { refused.line.contains($0) }, "\(refused.line)")
        let named = try await server.account("family@example.com")
        #expect(try await shown(server, "family@example.com") == named.rawValue)
    }

    @Test(
        "attack: nothing is changed by an address, which a person may share or have given up",
        arguments: [["account", "deactivate"], ["account", "erase"], ["account", "keep"], ["session", "end"]])
    func changes(command: [String]) async throws {
        let server = try await TestServer.start()
        _ = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let answer = await answer(server, command + ["ada@example.com"])
        #expect(answer.status == .refused)
        #expect(answer.refusal?.line.contains("walletauth account show") == true, "\(answer.lines)")
    }
}
