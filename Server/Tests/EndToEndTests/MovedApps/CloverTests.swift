import CloverCompat
import CloverPage
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

/// The code that the Clover page describes, with only the import changed, against the running program. All of it uses the one
/// shared instance, so the tests run one after another.
@Suite(
    "An app moved from the Clover SDK against the server", .onceForAllEngines,
    .threat("Apps that moved here from another vendor"),
    .covers("the flows as each page prints them"), .serialized)
@MainActor
struct CloverTests {
    /// A person, and a device with an app of their own.
    private struct World {
        let server: RunningServer
        let client: RegisteredClient
        let person: Person
        let device: Device
        let issuer: URL

        var values: CloverAppValues { CloverAppValues(appID: client.id) }

        init(at server: RunningServer, options: [String] = []) async throws {
            let name = "clover-\(randomText(6).lowercased())"
            self.server = server
            client = try await server.makePublicClient("com.example.\(name)", options: options)
            person = try await server.makeAccount(name)
            device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            issuer = await server.issuer
        }

        /// The one line that is new in the app. Each call of it is another start of the app here, with other memory over the same
        /// store.
        func startProcess() {
            CloverPaymentSDK.shared.configure(issuer: issuer) { [device] in $0.ports = device.ports }
        }

        /// The status of a call with the session's token.
        func userInfo() async throws -> Int {
            let request = URLRequest(url: await server.url("/oauth2/userinfo"))
            return try await CloverPaymentSDK.shared.wallet.perform(request).1.statusCode
        }
    }

    private func withWorld(options: [String] = [], _ body: @MainActor (World) async throws -> Void) async throws {
        try await SharedServer.use { @Sendable @MainActor server, _ in
            try await body(try await World(at: server, options: options))
        }
    }

    private func eventuallyShown(_ app: FullOAuthApp, _ count: Int) async throws {
        try await eventually("\(count) lines in the app") { await app.shown.count >= count }
    }

    @Test(
        "Full OAuth: the callback's setup is ready with the token, the next launch restores it, and a call carries it")
    func full() async throws {
        try await withWorld { world in
            world.startProcess()
            let app = FullOAuthApp(values: world.values, redirectURI: world.client.redirectURI)
            try await app.launch()
            try await eventuallyShown(app, 2)
            #expect(Set(app.shown) == ["launched", "ready"])
            #expect(CloverPaymentSDK.shared.isLoggedIn)
            #expect(try await world.userInfo() == 200)
            #expect(app.quit())

            world.startProcess()
            let next = FullOAuthApp(values: world.values, redirectURI: world.client.redirectURI)
            try await next.launch()
            #expect(CloverPaymentSDK.shared.isLoggedIn)
            #expect(next.shown == ["launched"], "restoring calls no callback")
            #expect(world.device.browser.presented.count == 1)

            // The refreshed token calls the callback, which sets up again.
            try await CloverPaymentSDK.shared.wallet.refresh()
            try await eventuallyShown(next, 2)
            #expect(next.shown == ["launched", "ready"])
            #expect(try await world.userInfo() == 200)
            #expect(world.device.network.refreshTokens.count == 2)
            #expect(next.quit())
        }
    }

    @Test("logout: the app shows it at once, the server revokes the session, and the next launch signs in again")
    func logout() async throws {
        try await withServer { @Sendable @MainActor server in
            let world = try await World(at: server)
            world.startProcess()
            let app = FullOAuthApp(values: world.values, redirectURI: world.client.redirectURI)
            try await app.launch()
            try await eventuallyShown(app, 2)
            app.logOut()
            #expect(!CloverPaymentSDK.shared.isLoggedIn)
            try await eventuallyShown(app, 3)
            #expect(app.shown.last == "signed out")
            try await eventually("the sign-out to be in the audit log") {
                try await server.require(["audit", "tail", "--kind", "session.signed_out"]) != "No entries."
            }
            #expect(app.quit())

            world.startProcess()
            let next = FullOAuthApp(values: world.values, redirectURI: world.client.redirectURI)
            try await next.launch()
            #expect(CloverPaymentSDK.shared.isLoggedIn)
            #expect(world.device.browser.presented.count == 2)
            #expect(next.quit())
        }
    }

    @Test("Partial OAuth: the app's own sign-in gives the code, later launches pass nil, and the SDK renews the token")
    func partial() async throws {
        try await withWorld { world in
            world.startProcess()
            let app = PartialOAuthApp(values: world.values)
            try await app.firstLaunch { challenge in
                let client = StandardClient(world.client, at: world.server)
                let journey = await client.beginAuthorization(
                    scope: "openid", changes: ["code_challenge": challenge, "nonce": nil])
                return try await client.authorizationCode(for: world.person, journey)
            }
            #expect(try await world.userInfo() == 200)

            world.startProcess()
            let next = PartialOAuthApp(values: world.values)
            try await next.subsequentLaunch()
            #expect(CloverPaymentSDK.shared.isLoggedIn)
            try await CloverPaymentSDK.shared.wallet.refresh()
            #expect(try await world.userInfo() == 200)
            #expect(world.device.browser.presented.isEmpty)
        }
    }

    @Test(
        "No OAuth: the app's tokens are used and replaced, another person's is refused, and logout revokes the last one"
    )
    func noOAuth() async throws {
        try await withWorld(options: ["--allow-bearer"]) { world in
            let backend = StandardClient(world.client, at: world.server)
            let tokens = try await backend.signIn(world.person)
            world.startProcess()
            let app = NoOAuthApp(values: world.values)
            try await app.launch(token: tokens.access)
            #expect(try await world.userInfo() == 200)

            let newer = try backend.tokens(await backend.refresh(tokens.refresh))
            try await app.refreshed(token: newer.access)
            #expect(try await CloverPaymentSDK.shared.wallet.accessToken().reveal() == newer.access)
            #expect(try await world.userInfo() == 200)

            let stranger = try await world.server.makeAccount("stranger-\(randomText(6).lowercased())")
            let theirs = try await backend.signIn(stranger)
            await #expect(throws: CloverGenericError.self) { try await app.refreshed(token: theirs.access) }
            #expect(try await CloverPaymentSDK.shared.wallet.accessToken().reveal() == newer.access)

            CloverPaymentSDK.shared.logout()
            #expect(!CloverPaymentSDK.shared.isLoggedIn)
            try await eventually("the server to refuse the token") {
                try await backend.userInfo(newer.access).status == 401
            }
        }
    }

    @Test("attack: the secrets that the app still passes reach neither the server nor the store")
    func secrets() async throws {
        try await withWorld { world in
            world.server.ledger.enter(world.values.appSecret)
            world.server.ledger.enter(world.values.apiKey)
            world.server.ledger.enter(world.values.apiSecret)
            world.startProcess()
            let app = FullOAuthApp(values: world.values, redirectURI: world.client.redirectURI)
            try await app.launch()
            #expect(app.quit())
            let pages = world.device.browser.presented.map(\.absoluteString).joined()
            let seen = world.device.store.items.values.reduce(pages) { $0 + String(decoding: $1, as: UTF8.self) }
            #expect(seen.contains(world.values.appID) && seen.contains("accessToken"), "the search reads both")
            for secret in [world.values.appSecret, world.values.apiKey, world.values.apiSecret] {
                #expect(!seen.contains(secret))
            }
        }
    }
}
