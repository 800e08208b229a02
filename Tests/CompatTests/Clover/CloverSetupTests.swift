import CloverCompat
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite(
    "Setting the Clover SDK up", .threat("Apps that moved here from another vendor"),
    .covers("their own names, by a changed import", "appSecret, apiKey, apiSecret"))
struct CloverSetupTests {
    @Test("The instance exists before any configuration and names what is missing by an error")
    func unconfigured() async throws {
        let sdk = CloverPaymentSDK { _ in nil }
        #expect(!sdk.isLoggedIn)
        #expect(sdk.merchantID == nil && sdk.employeeID == nil)
        sdk.logout()
        #expect(await cloverFailure { try await sdk.updateToken("token") }?.message.contains("setup") == true)
        #expect(throws: CloverGenericError.self) { try sdk.wallet }
        let url = try #require(URL(string: CloverWorld.redirectURI))
        #expect(
            await cloverFailure { try await sdk.receivedOAuthCodeOrToken(url).value }?.message.contains("kept") == true)
        for (environment, key) in [
            (CloverEnvironment.EnvironmentType.sandbox, "WalletAuthSandboxIssuer"), (.production, "WalletAuthIssuer"),
        ] {
            let configuration = CloverPaymentSDK.Configuration(
                environment: environment, appID: "com.example.wallet", oauthFlowType: NoOAuth(token: "token"))
            let error = await cloverFailure { try await sdk.setup(configuration: configuration) }
            #expect(error?.message.contains(key) == true)
            #expect(error?.message.contains("configure(issuer:)") == true)
        }
        #expect(!CloverPaymentSDK.shared.isLoggedIn)
    }

    @Test("The issuer is that of the environment in Info.plist, unless the app's code gives one")
    func issuer() async throws {
        let world = CloverWorld()
        let seen = AsyncStream.makeStream(of: Wallet.Environment.self)
        let sdk = CloverPaymentSDK { key in
            ["WalletAuthSandboxIssuer": "https://sandbox.example.com", "WalletAuthIssuer": "https://auth.example.com"][
                key]
        }
        func environment(
            of environment: CloverEnvironment.EnvironmentType, issuer: URL? = nil
        ) async -> Wallet.Environment? {
            sdk.configure(issuer: issuer) { configuration in
                configuration.ports = Wallet.Ports(
                    transport: world.server, store: world.store, userAgent: world.browser, keys: world.keys,
                    presence: ScriptedUserPresence(), time: world.clock)
                seen.continuation.yield(configuration.environment)
            }
            _ = await cloverFailure {
                try await sdk.setup(
                    configuration: CloverPaymentSDK.Configuration(
                        environment: environment, appID: "com.example.wallet",
                        oauthFlowType: PartialOAuth(codeResponse: nil)))
            }
            return await seen.stream.first { _ in true }
        }
        let own = try #require(URL(string: "https://own.example.com"))
        #expect(await environment(of: .sandbox)?.issuer.absoluteString == "https://sandbox.example.com")
        #expect(await environment(of: .production)?.issuer.absoluteString == "https://auth.example.com")
        #expect(await environment(of: .production, issuer: own) == .production(issuer: own))
        #expect(await environment(of: .sandbox, issuer: own) == .sandbox(issuer: own))
    }

    @Test("An equal configuration is the same wallet, and another one takes its place")
    func sameWallet() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration())
        let wallet = try sdk.wallet
        try await sdk.setup(configuration: world.configuration())
        #expect(try sdk.wallet === wallet)
        #expect(world.browser.presented.count == 1)
        try await sdk.setup(configuration: world.configuration(PartialOAuth(codeResponse: nil)))
        #expect(try sdk.wallet !== wallet)
        #expect(sdk.isLoggedIn, "the stored session is the same")
        #expect(world.browser.presented.count == 1)
    }

    @Test("A configuration that the wallet refuses leaves the one before in place")
    func refused() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration())
        let error = await cloverFailure {
            try await sdk.setup(
                configuration: world.configuration(FullOAuth(redirectURI: "http://app.example.com/callback")))
        }
        #expect(error?.walletError?.code == .invalidConfiguration)
        #expect(sdk.isLoggedIn)
    }

    @Test("All values of the wallet's configuration are compared")
    func comparedValues() {
        let configuration = Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "app",
            signIn: .partial(codeResponse: nil))
        // Add a new value to Wallet.Configuration.isEqual(exceptPorts:) as well.
        #expect(Mirror(reflecting: configuration).children.count == 14)
    }

    @Test("Concurrent setups are one sign-in")
    func concurrent() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await sdk.setup(configuration: world.configuration()) } }
            try await group.waitForAll()
        }
        #expect(sdk.isLoggedIn)
        #expect(world.browser.presented.count == 1)
        #expect(world.redemptions == 1)
    }

    @Test("A flow of the app's own is refused by its name")
    func ownFlow() async {
        struct MyFlow: OAuthFlowType {}
        let world = CloverWorld()
        let error = await cloverFailure { try await world.launch().setup(configuration: world.configuration(MyFlow())) }
        #expect(error?.message.contains("MyFlow") == true)
    }

    @Test("The merchant and the employee of the session are known")
    func merchant() async throws {
        let world = CloverWorld()
        let sdk = world.launch { $0.merchantID = "m-1024" }
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.merchantID == "m-1024")
        #expect(sdk.employeeID == "sub-alice")
    }

    @Test("attack: the app's secrets are in no request, no page, no stored value and no description")
    func secrets() async throws {
        func make<Printed: PrintedCloverConfiguration>(_ type: Printed.Type) -> Printed {
            Printed(
                environment: .production, appID: "com.example.wallet", appSecret: "the-app-secret",
                apiKey: "the-api-key",
                apiSecret: "the-api-secret", oauthFlowType: FullOAuth(redirectURI: CloverWorld.redirectURI))
        }
        let world = CloverWorld()
        let sdk = world.launch()
        let configuration = make(CloverPaymentSDK.Configuration.self)
        try await sdk.setup(configuration: configuration)
        try await sdk.wallet.refresh()
        sdk.logout()
        try await sdk.setup(configuration: configuration)

        let printed: any PrintedCloverConfiguration = configuration
        #expect(printed.appSecret.isEmpty && printed.apiKey.isEmpty && printed.apiSecret.isEmpty)
        var seen = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &seen)
        seen += world.browser.presented.map(\.absoluteString).joined()
        for request in world.server.requests {
            seen += request.path + request.headers.all.map { $0.name + $0.value }.joined()
            seen += String(decoding: request.body, as: UTF8.self)
        }
        for (key, value) in world.store.items { seen += "\(key)" + String(decoding: value, as: UTF8.self) }
        #expect(seen.contains("refresh_token"), "the search reads what was sent")
        for secret in ["the-app-secret", "the-api-key", "the-api-secret"] { #expect(!seen.contains(secret)) }
    }

    @Test("Descriptions of the flows show neither token, code nor verifier")
    func descriptions() throws {
        let world = CloverWorld()
        let response = try world.codeResponse()
        var seen = ""
        for flow: any OAuthFlowType in [NoOAuth(token: "the-token"), PartialOAuth(codeResponse: response)] {
            let configuration = world.configuration(flow)
            seen += "\(flow) \(String(reflecting: flow)) \(configuration) \(String(reflecting: configuration))"
            dump(configuration, to: &seen)
        }
        seen += "\(response.challenge) \(String(reflecting: response.challenge))"
        dump(response.challenge, to: &seen)
        for secret in ["the-token", response.code, response.challenge.verifier] { #expect(!seen.contains(secret)) }
    }
}
