import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("What the page is asked to show")
struct PromptTests {
    private func prompt(
        _ standard: StandardWorld, scopes: [String] = ["openid", "offline_access"],
        _ chosen: [AuthorizationRequest.Prompt]? = nil
    ) async throws -> String? {
        var configuration = standard.world.configuration(ports: standard.ports)
        configuration.scopes = scopes
        configuration.prompt = chosen
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        let page = try #require(standard.world.userAgent.presented.last)
        return try FormParameters(parsing: page.query(percentEncoded: true) ?? "")["prompt"]
    }

    @Test("offline_access at another's server comes with prompt=consent, as OpenID Connect Core section 11 wants it")
    func consent() async throws {
        #expect(try await prompt(StandardWorld()) == "consent")
        #expect(try await prompt(StandardWorld(), scopes: ["openid"]) == nil)
    }

    @Test("This project's own server is asked for nothing")
    func ownServer() async throws {
        #expect(try await prompt(StandardWorld { $0.keepsRefreshAttempts = true }) == nil)
    }

    @Test("The app's choice goes first, also where it is none")
    func chosen() async throws {
        #expect(try await prompt(StandardWorld(), [.login]) == "login")
        #expect(try await prompt(StandardWorld(), [.login, .consent]) == "login consent")
        #expect(try await prompt(StandardWorld(), []) == nil)
        #expect(
            try await prompt(StandardWorld { $0.keepsRefreshAttempts = true }, [.selectAccount]) == "select_account")
    }

    @Test("A server that lists its prompts without consent is not sent it")
    func unsupported() async throws {
        let standard = StandardWorld()
        standard.odd.changeMetadata { $0["prompt_values_supported"] = ["none", "login"] }
        #expect(try await prompt(standard) == nil)
    }

    @Test("A choice that contradicts itself is a mistake in the configuration")
    func contradiction() throws {
        var configuration = World().configuration()
        configuration.prompt = [.none, .login]
        #expect(throws: WalletError.self) { try Wallet(configuration: configuration) }
    }
}
