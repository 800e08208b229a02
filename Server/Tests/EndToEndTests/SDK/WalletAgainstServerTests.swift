import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// The SDK against the running program, over real HTTP.
@Suite(
    "The SDK against the server",
    .covers(
        "loginByUsernamePassword", "logout (Clover, Paydiant)", "getAuthenticationDetails(brandIdentity:request:)",
        "Full OAuth", "isLoggedIn", "a lost response signs a user out"))
struct WalletAgainstServerTests {
    typealias Body = (RunningServer, Device, Wallet, RegisteredClient, Person) async throws -> Void

    /// A person, an app of their own, and a device with it, at the server that such tests share.
    private func withDevice(options: [String] = [], _ body: Body) async throws {
        try await SharedServer.use { server, _ in
            let name = "sdk-\(randomText(6).lowercased())"
            let client = try await server.makePublicClient("com.example.\(name)", options: options)
            try await use(client, of: try await server.makeAccount(name), at: server, body)
        }
    }

    /// The same at a server that the test may end.
    private func withServerOfItsOwn(_ body: Body) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient()
            try await use(client, of: try await server.makeAccount(), at: server, body)
        }
    }

    private func use(
        _ client: RegisteredClient, of person: Person, at server: RunningServer, _ body: Body
    ) async throws {
        let device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
        try await body(server, device, try device.wallet(issuer: await server.issuer, client: client), client, person)
    }

    private func userInfo(_ wallet: Wallet, _ server: RunningServer) async throws -> Int {
        let (_, response) = try await wallet.perform(URLRequest(url: await server.url("/oauth2/userinfo")))
        return response.statusCode
    }

    @Test("Five lines sign a person in through the browser, and a call carries a token bound to the device's key")
    func browser() async throws {
        try await withDevice { server, _, wallet, _, _ in
            let outcome = try await wallet.setUp()
            #expect(outcome == .signedIn)
            #expect(wallet.isLoggedIn)
            #expect(wallet.identity?.tokenType == .dpop)
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test("Native sign-in by password, inside the app", .onceForAllEngines)
    func native() async throws {
        try await withDevice { server, device, wallet, _, person in
            try await wallet.login(username: person.username, password: person.password).signedIn()
            #expect(device.browser.presented.isEmpty)
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test("An app started again restores its session without a browser", .onceForAllEngines)
    func restart() async throws {
        try await withDevice { server, device, wallet, client, _ in
            try await wallet.setUp()
            let again = try device.wallet(issuer: await server.issuer, client: client)
            #expect(try await again.setUp() == .restored)
            #expect(device.browser.presented.count == 1)
            #expect(try await userInfo(again, server) == 200)
        }
    }

    @Test(
        "A lost response to a refresh never signs anyone out: the repeated attempt gets the same successor",
        .onceForAllEngines)
    func lostAnswer() async throws {
        try await withDevice { server, device, wallet, _, _ in
            try await wallet.setUp()
            device.network.loseAnswers(1, to: "/oauth2/token")
            do {
                try await wallet.refresh()
            } catch let error as WalletError {
                if case .signedOut = error.outcome { Issue.record("signed out by a lost answer") }
                try await wallet.refresh()
            }
            let successors = device.network.refreshTokens
            #expect(successors.count == 3)
            #expect(Set(successors.dropFirst()).count == 1, "the lost answer and its repetition are the same token")
            #expect(wallet.isLoggedIn)
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test(
        "An app killed between the server's answer and the store resumes with the token that it never saw",
        .onceForAllEngines)
    func killedBeforeStoring() async throws {
        try await withDevice { server, device, wallet, client, _ in
            try await wallet.setUp()
            let process = SimulatedProcess(device.ports)
            let doomed = try device.wallet(issuer: await server.issuer, client: client, ports: process.ports)
            try await doomed.setUp()
            process.kill(at: .afterSending(to: "/oauth2/token"))
            _ = try? await doomed.refresh()
            #expect(!process.isAlive)

            let next = try device.wallet(issuer: await server.issuer, client: client)
            #expect(try await next.setUp() == .restored)
            try await next.refresh()
            #expect(try await userInfo(next, server) == 200)
        }
    }

    @Test("1,000 callers at an expired token cause one refresh", .onceForAllEngines)
    func singleFlight() async throws {
        try await withDevice { _, device, wallet, _, _ in
            try await wallet.setUp()
            let (calls, call) = AsyncStream.makeStream(of: Void.self)
            // Nothing is answered before all have called.
            device.network.before("/oauth2/token") { await calls.wait(for: 1_000) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<1_000 {
                    group.addTask {
                        call.yield()
                        try await wallet.refresh()
                    }
                }
                try await group.waitForAll()
            }
            #expect(device.network.grants("refresh_token") == 1)
        }
    }

    @Test("Two processes of one app refresh one after the other and never end each other's session", .onceForAllEngines)
    func twoProcesses() async throws {
        try await withDevice { server, device, wallet, client, _ in
            try await wallet.setUp()
            let other = try device.wallet(issuer: await server.issuer, client: client)
            #expect(try await other.setUp() == .restored)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<10 {
                    group.addTask { try await (round.isMultiple(of: 2) ? wallet : other).refresh() }
                }
                try await group.waitForAll()
            }
            #expect(try await userInfo(wallet, server) == 200)
            #expect(try await userInfo(other, server) == 200)
        }
    }

    @Test(
        "A server that is down is unavailable, not a sign-out; when it is back the session goes on", .onceForAllEngines)
    func serverDown() async throws {
        try await withServerOfItsOwn { server, _, wallet, _, _ in
            try await wallet.setUp()
            await server.crash()
            let error = await #expect(throws: WalletError.self) { try await wallet.refresh() }
            if case .signedOut = error?.outcome { Issue.record("signed out by a server that is down") }
            #expect(wallet.isLoggedIn)
            try await server.start()
            try await wallet.refresh()
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test("Theft: every refresh token of the session in a thief's hands opens nothing and ends nothing")
    func theft() async throws {
        try await withDevice { server, device, wallet, client, _ in
            try await wallet.setUp()
            try await wallet.refresh()
            try await wallet.refresh()
            let thief = StandardClient(client, at: server)
            for token in device.network.refreshTokens {
                let answer = try await thief.refresh(token)
                #expect(answer.members["access_token"] == nil)
            }
            let stolenAccess = try #require(device.network.accessToken)
            let call = try await thief.userInfo(stolenAccess)
            #expect(call.status == 401)
            try await wallet.refresh()
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test("An operator ends the session: the SDK says that the session has ended, and why")
    func endedByOperator() async throws {
        try await withDevice { server, _, wallet, _, person in
            try await wallet.setUp()
            try await server.require(["account", "deactivate", person.username])
            let error = await #expect(throws: WalletError.self) { try await wallet.refresh() }
            #expect(error?.outcome == .signedOut(.sessionEnded))
            #expect(!wallet.isLoggedIn)
        }
    }

    @Test("Sign-out revokes the session at the server and leaves nothing on the device")
    func signOut() async throws {
        try await withDevice { server, device, wallet, client, _ in
            try await wallet.setUp()
            #expect(try await wallet.logout() == .revoked)
            #expect(!wallet.isLoggedIn)
            let newest = try #require(device.network.refreshTokens.last)
            let thief = StandardClient(client, at: server)
            let late = try await thief.refresh(newest)
            #expect(late.status == 400)
            let again = try device.wallet(issuer: await server.issuer, client: client)
            #expect(try await again.setUp() == .signedIn, "a new sign-in, not a restored session")
        }
    }

    @Test("Sign-out while the server is down is done at once here, and made up for there", .onceForAllEngines)
    func signOutOffline() async throws {
        try await withServerOfItsOwn { server, device, wallet, client, _ in
            try await wallet.setUp()
            await server.crash()
            #expect(try await wallet.logout() == .queued)
            #expect(!wallet.isLoggedIn)
            try await server.start()
            #expect(try await server.require(["audit", "tail", "--kind", "session.signed_out"]) == "No entries.")
            // The next start, where the person does not sign in again.
            device.browser.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
            let again = try device.wallet(issuer: await server.issuer, client: client)
            let error = await #expect(throws: WalletError.self) { try await again.setUp() }
            #expect(error?.outcome == .cancelledByPerson)
            #expect(await again.sendQueuedRevocations())
            #expect(try await server.require(["audit", "tail", "--kind", "session.signed_out"]) != "No entries.")
        }
    }

    @Test(
        "The app leads: details of the page, its own browser, a checked callback, and the code redeemed by the SDK",
        .onceForAllEngines)
    func authenticationDetails() async throws {
        let reset = "https://app.example.com/forgot"
        try await withDevice(options: ["--reset-credentials-url", reset]) { server, device, wallet, client, person in
            let details = try await wallet.authentication.getAuthenticationDetails(
                brandIdentity: "default",
                request: .init(
                    clientIdentifier: client.id, codeChallenge: OAuthCodeChallenge(), resetCredentialsURL: reset,
                    state: randomText(16), redirectURI: client.redirectURI, locale: "de", loginStrategy: .password))
            let page = HeadlessBrowser(ledger: server.ledger)
            let callback = try await page.signIn(
                at: details.authenticationURL,
                typing: ["username": person.username, "password": person.password], until: client.redirectURI)
            let code = try await wallet.authentication.callback(callback)
            try await wallet.authenticate(code: code)
            #expect(device.browser.presented.isEmpty)
            #expect(try await userInfo(wallet, server) == 200)
        }
    }

    @Test("An unknown brand and a URL that is not registered reach the app as what they are", .onceForAllEngines)
    func authenticationDetailsRefused() async throws {
        let reset = "https://app.example.com/forgot"
        try await withDevice(options: ["--reset-credentials-url", reset]) { _, _, wallet, client, _ in
            func refused(brand: String, resettingAt url: String) async -> WalletError? {
                await #expect(throws: WalletError.self) {
                    try await wallet.authentication.getAuthenticationDetails(
                        brandIdentity: brand,
                        request: .init(
                            clientIdentifier: client.id, codeChallenge: OAuthCodeChallenge(), resetCredentialsURL: url,
                            state: randomText(16), redirectURI: client.redirectURI))
                }
            }
            let brand = await refused(brand: "no-such-brand", resettingAt: reset)
            #expect(brand?.code == .brandNotFound)
            #expect(brand?.outcome == .misconfigured)
            let url = await refused(brand: "default", resettingAt: "https://elsewhere.example/forgot")
            #expect(url?.code == .unregisteredURL)
            #expect(url?.outcome == .misconfigured)
        }
    }
}
