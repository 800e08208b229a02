import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// What an operator learns of a provider before the first sign-in fails.
@Suite("Identity providers, looked at when they are added and by the doctor")
struct ProviderProbeTests {
    private func setUp() async throws -> (server: TestServer, provider: TestProvider) {
        let provider = TestProvider()
        return (try await TestServer.start(providers: provider.http), provider)
    }

    private func add(
        _ provider: TestProvider, to server: TestServer, _ change: (inout OpenIDRegistration) -> Void = { _ in }
    ) async -> AdministrationAnswer {
        var registration = OpenIDRegistration(id: "example", issuer: provider.issuer, clientID: provider.clientID)
        registration.clientSecret = "a secret: with marks/"
        change(&registration)
        return await server.flows.administration.execute { try await ProviderAdministration($0).add(registration) }
    }

    private func warnings(_ answer: AdministrationAnswer) throws -> [String] {
        try JSONValue.object(parsing: Array(answer.json.utf8))["warnings"]?.strings ?? []
    }

    @Test("A provider that is what it was said to be is added without a warning")
    func sound() async throws {
        let (server, provider) = try await setUp()
        let answer = await add(provider, to: server)
        #expect(answer.status == .done)
        #expect(answer.lines == ["Provider example added to the brand default."])
        #expect(try warnings(answer).isEmpty)
        let paths = provider.requests.map { $0.url.dropFirst(provider.issuer.count) }
        #expect(paths == ["/.well-known/openid-configuration", "/keys"])
    }

    @Test("One that cannot be reached is added all the same, with a warning, and how to take it back")
    func unreachable() async throws {
        let (server, provider) = try await setUp()
        provider.setDown(true)
        let answer = await add(provider, to: server)
        #expect(answer.status == .done)
        #expect(
            answer.lines.contains { $0.hasPrefix("WARNING: ") && $0.contains("\(provider.issuer) is not usable") })
        #expect(answer.lines.last?.contains("`walletauth provider remove example`") == true)
        #expect(try warnings(answer).count == 1)
        let listed = try await server.administer(["provider", "list"])
        #expect(listed["providers"]?.array?.count == 1)
        provider.setDown(false)
        let mended = try await server.administer(["provider", "examine"])
        #expect(mended["providers"]?.array?.first?.object?["problems"]?.array == [])
    }

    @Test("One whose document is another's is named together with that other one")
    func mismatch() async throws {
        let (server, provider) = try await setUp()
        provider.publish("issuer", .string("https://other.example.com"))
        let told = try warnings(await add(provider, to: server))
        #expect(told == ["is not usable: its discovery document names another issuer, https://other.example.com"])
    }

    @Test("Attack: what a provider publishes does not reach an operator's terminal unescaped")
    func escapes() async throws {
        let (server, provider) = try await setUp()
        provider.publish("issuer", .string("https://other.example.com/\u{1B}[2J"))
        let told = try warnings(await add(provider, to: server))
        #expect(told == ["is not usable: its discovery document names another issuer"])
    }

    @Test("An unsupported client authentication, no token endpoint and no keys are reported together")
    func halfFit() async throws {
        let (server, provider) = try await setUp()
        provider.publish("token_endpoint", .null)
        provider.publish("token_endpoint_auth_methods_supported", .strings(["private_key_jwt"]))
        provider.keys = []
        let told = try warnings(await add(provider, to: server) { $0.authentication = "client_secret_post" })
        #expect(told.count == 3)
        #expect(told.contains { $0.contains("token_endpoint,") })
        #expect(told.contains { $0.contains("client_secret_post") && $0.contains("--auth-method") })
        #expect(told.contains { $0.contains("no key") })
    }

    @Test("A list of ways that is left out means client_secret_basic; a public client is no matter of the list")
    func defaults() async throws {
        let (server, provider) = try await setUp()
        let basic = try warnings(await add(provider, to: server))
        #expect(basic.isEmpty)
        let post = try warnings(
            await add(provider, to: server) {
                $0.id = "post"
                $0.authentication = "client_secret_post"
            })
        #expect(post.count == 1)
        let none = try warnings(
            await add(provider, to: server) {
                $0.id = "none"
                $0.clientSecret = nil
            })
        #expect(none.isEmpty)
    }

    @Test("A repository that answers at all is there; one that does not is reported")
    func repositories() async throws {
        let (server, provider) = try await setUp()
        let answer = await server.flows.administration.execute(
            ["provider", "add", "repository", "people", "--endpoint", provider.issuer + "/people"])
        #expect(answer.lines.count == 1)
        provider.setDown(true)
        let examined = try await server.administer(["provider", "examine"])
        let problems = examined["providers"]?.array?.first?.object?["problems"]?.strings
        #expect(problems?.count == 1)
    }

    @Test("More providers than are asked at once are all examined, each in its place")
    func many() async throws {
        let (server, provider) = try await setUp()
        let ids = (10..<30).map { "p\($0)" }
        for id in ids { _ = await add(provider, to: server) { $0.id = id } }
        let examined = try await server.administer(["provider", "examine"])
        let reported = examined["providers"]?.array?.compactMap { $0.object?["id"]?.string }
        #expect(reported == ids)
    }
}
