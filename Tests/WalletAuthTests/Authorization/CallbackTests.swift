import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "What a URL brings back", .threat("login CSRF in an app", "mix-up, an access token in a URL"),
    .covers(
        "state check, then the code to the backend", "the code to the SDK", "receivedOAuthCodeOrToken(_:)",
        "an abandoned sign-in blocks the next"))
struct CallbackTests {
    /// Begins a sign-in at the app's own browser and hands out its page.
    private func begin(_ world: World, _ state: String = "state-0123456789") async throws -> URL {
        let details = try await world.wallet(.partial(codeResponse: nil)).authentication.getAuthenticationDetails(
            brandIdentity: "default",
            request: Wallet.AuthenticationDetailsRequest(
                clientIdentifier: "com.example.wallet", codeChallenge: OAuthCodeChallenge(),
                resetCredentialsURL: "https://app.example.com/reset", state: state,
                redirectURI: World.redirectURI.absoluteString, locale: "de", loginHint: "alice",
                loginStrategy: .password))
        return details.authenticationURL
    }

    @Test("A pending sign-in is resumed after the app was killed: state, verifier and nonce were stored")
    func afterKill() async throws {
        let world = World()
        let page = try await begin(world)
        let callback = try world.server.signIn(at: page, as: "alice")
        let next = try world.wallet(.partial(codeResponse: nil))
        try await next.receivedOAuthCodeOrToken(callback)
        #expect(next.isLoggedIn)
    }

    @Test("The page's URL no longer begins a sign-in once it has expired")
    func expiredPage() async throws {
        let world = World()
        let page = try await begin(world)
        world.clock.advance(by: .seconds(599))
        _ = try world.server.signIn(at: page, as: "alice")
        world.clock.advance(by: .seconds(1))
        #expect(throws: UserAgentFailure.self) { try world.server.signIn(at: page, as: "alice") }
    }

    @Test("The backend's way: the verified code with its verifier, and then the backend's token")
    func backend() async throws {
        let world = World()
        let page = try await begin(world)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let code = try await wallet.authentication.callback(try world.server.signIn(at: page, as: "alice"))
        #expect(code.verifier != nil)
        #expect(code.redirectURI == World.redirectURI)
        #expect(world.redemptions == 0)
        try await wallet.authenticate(accessToken: try world.server.accessToken(for: "alice").reveal())
        #expect(wallet.isLoggedIn)
        #expect(wallet.identity?.subject == "sub-alice")
    }

    @Test("A verified code may be redeemed by the SDK, once")
    func redeemedByTheSDK() async throws {
        let world = World()
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let code = try await wallet.authentication.callback(
            try world.server.signIn(at: try await begin(world), as: "alice"))
        try await wallet.authenticate(code: code)
        #expect(wallet.isLoggedIn)
        #expect(await failure { try await wallet.authenticate(code: code) }?.code == .codeAlreadyUsed)
        #expect(wallet.isLoggedIn)
    }

    @Test("Several sign-ins may be pending; each callback finds its own, in any order, and the others stay")
    func several() async throws {
        let world = World()
        let pages = [
            try await begin(world, "state-aaaaaaaaaaaa"), try await begin(world, "state-bbbbbbbbbbbb"),
            try await begin(world, "state-cccccccccccc"),
        ]
        let wallet = try world.wallet(.partial(codeResponse: nil))
        for page in pages.reversed() {
            let code = try await wallet.authentication.callback(try world.server.signIn(at: page, as: "alice"))
            #expect(page.absoluteString.contains(code.state))
        }
    }

    @Test("Sign-ins that were abandoned never block the next, however many there are")
    func abandoned() async throws {
        let world = World()
        for number in 0..<40 { _ = try await begin(world, "state-abandoned-\(number)") }
        let wallet = try world.wallet(.partial(codeResponse: nil))
        try await wallet.receivedOAuthCodeOrToken(try world.server.signIn(at: try await begin(world), as: "alice"))
        #expect(wallet.isLoggedIn)
        for data in world.store.items.values { #expect(data.count < 16_384) }
    }

    @Test("Login CSRF: a callback whose state this device never sent is refused, and leaves the pending sign-in alone")
    func foreignState() async throws {
        let world = World()
        let page = try await begin(world)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        for text in [
            "https://app.example.com/callback?code=stolen&state=of-somebody-else",
            "https://app.example.com/callback?code=stolen", "https://app.example.com/callback?code=stolen&state=",
        ] {
            let forged = try url(text)
            #expect(await failure { try await wallet.receivedOAuthCodeOrToken(forged) }?.code == .unknownState)
        }
        try await wallet.receivedOAuthCodeOrToken(try world.server.signIn(at: page, as: "alice"))
        #expect(wallet.isLoggedIn)
    }

    @Test("Mix-up: a callback of another issuer, or without iss where the server promises it, is refused")
    func mixUp() async throws {
        let world = World()
        for tampering in ["&iss=https%3A%2F%2Fevil.example", ""] {
            let page = try await begin(world, "state-mixup-\(tampering.count)")
            let good = try world.server.signIn(at: page, as: "alice").absoluteString
            let form = try FormParameters(parsing: good.split(separator: "?")[1])
            let query = form.parameters.filter { $0.name != "iss" }.map { "\($0.name)=\($0.value)" }
            let forged = try url("https://app.example.com/callback?" + query.joined(separator: "&") + tampering)
            let wallet = try world.wallet(.partial(codeResponse: nil))
            #expect(await failure { try await wallet.receivedOAuthCodeOrToken(forged) }?.code == .issuerMismatch)
            // What was made up does not end the real one.
            try await wallet.receivedOAuthCodeOrToken(try url(good))
            #expect(wallet.isLoggedIn)
        }
    }

    @Test(
        "A callback at another place than the sign-in named is refused by a code of its own, and costs it nothing",
        arguments: [
            "https://evil.example/callback", "https://app.example.com/other", "http://app.example.com/callback",
            "https://app.example.com:8443/callback", "com.example.wallet:/callback",
        ])
    func elsewhere(_ place: String) async throws {
        let world = World()
        let page = try await begin(world)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let good = try world.server.signIn(at: page, as: "alice")
        let forged = try url(place + "?" + (good.query() ?? ""))
        let error = await failure { try await wallet.receivedOAuthCodeOrToken(forged) }
        #expect(error?.code == .redirectMismatch)
        #expect(error?.outcome == .refused)
        try await wallet.receivedOAuthCodeOrToken(good)
        #expect(wallet.isLoggedIn)
    }

    @Test(
        "A callback with doubled parameters, with both a code and an error, or with neither is refused",
        arguments: [
            "https://app.example.com/callback?code=a&error=b&state=state-0123456789",
            "https://app.example.com/callback?code=a&code=b&state=state-0123456789",
            "https://app.example.com/callback?state=state-0123456789",
        ])
    func malformed(_ text: String) async throws {
        let world = World()
        _ = try await begin(world)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let forged = try url(text)
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(forged) }?.code == .malformedCallback)
    }

    @Test("Token injection: a URL that bears an access token is refused, in the query and in the fragment")
    func tokenInURL() async throws {
        let world = World()
        _ = try await begin(world)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        for mark in ["?", "#"] {
            let forged = try url("https://app.example.com/callback\(mark)access_token=x&state=state-0123456789")
            #expect(await failure { try await wallet.receivedOAuthCodeOrToken(forged) }?.code == .tokenInCallback)
        }
    }

    @Test("The same URL handed in twice, as scene delegates do, signs in once and is ignored the second time")
    func twice() async throws {
        let world = World()
        let callback = try world.server.signIn(at: try await begin(world), as: "alice")
        let wallet = try world.wallet(.partial(codeResponse: nil))
        try await wallet.receivedOAuthCodeOrToken(callback)
        try await wallet.receivedOAuthCodeOrToken(callback)
        #expect(wallet.isLoggedIn)
        #expect(world.server.requests.count { $0.form["code"] != nil && $0.status == 200 } == 1)
    }

    @Test("A person's refusal at the page is reported as such")
    func denied() async throws {
        let world = World()
        let callback = try world.server.refuse(try await begin(world))
        let wallet = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(callback) }?.outcome == .cancelledByPerson)
    }

    @Test("A code that could not be sent for want of a network is still there when the URL is handed in again")
    func offlineAtTheCallback() async throws {
        let world = World()
        let callback = try world.server.signIn(at: try await begin(world), as: "alice")
        let wallet = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.neverSignedIn))
        // The metadata is known; the network goes away before the code is sent.
        _ = try? await wallet.login(username: "nobody", password: "x")
        try await expectRedeemed(callback, by: wallet, onceOnlineIn: world)
    }

    /// Delivers the callback without a network, which fails after its repetitions, and again with one.
    private func expectRedeemed(_ callback: URL, by wallet: Wallet, onceOnlineIn world: World) async throws {
        world.server.network = .offline
        let first = Task { await failure { try await wallet.receivedOAuthCodeOrToken(callback) } }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        #expect(await first.value?.outcome == .offline)
        world.server.network = .up
        try await wallet.receivedOAuthCodeOrToken(callback)
        #expect(wallet.isLoggedIn)
    }

    @Test("So is one that arrives in a new process without a network, before the server's metadata is known")
    func offlineAtTheStart() async throws {
        let world = World()
        let callback = try world.server.signIn(at: try await begin(world), as: "alice")
        let next = try world.wallet(.partial(codeResponse: nil))
        try await expectRedeemed(callback, by: next, onceOnlineIn: world)
    }

    @Test("So is one whose code could not be sent because the device's keys were locked")
    func lockedAtTheCallback() async throws {
        let world = World()
        let callback = try world.server.signIn(at: try await begin(world), as: "alice")
        let wallet = try world.wallet(.partial(codeResponse: nil))
        world.keys.failure = .locked
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(callback) }?.code == .keysUnavailable)
        world.keys.failure = nil
        // The first proof is signed. The server wants another nonce in the next one, for which the keys are locked again.
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        let second = Task { await failure { try await wallet.receivedOAuthCodeOrToken(callback) } }
        await world.clock.waitForSleepers()
        world.server.renewNonces()
        world.keys.failure = .locked
        world.clock.advance(by: .seconds(1))
        #expect(await second.value?.code == .keysUnavailable)
        world.keys.failure = nil
        try await wallet.receivedOAuthCodeOrToken(callback)
        #expect(wallet.isLoggedIn)
    }
}
