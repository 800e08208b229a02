import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite(
    "Signing in through the browser",
    .covers("setup(configuration:)", "sandbox and production", "app secret in the app"))
struct BrowserSignInTests {
    @Test("setUp opens the browser when no one is signed in, and restores the session from then on")
    func setUp() async throws {
        let world = World()
        #expect(try await world.wallet().setUp() == .signedIn)
        let next = try world.wallet()
        #expect(!next.isLoggedIn)
        #expect(try await next.setUp() == .restored)
        #expect(next.isLoggedIn)
        #expect(next.identity?.subject == "sub-alice")
        #expect(world.userAgent.presented.count == 1)
        #expect(world.userAgent.openConversations == 0)
    }

    @Test("The request has PKCE S256, state, nonce and the key's thumbprint, all of them fresh each time")
    func request() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        try await wallet.logout()
        try await wallet.setUp()
        let forms = try world.userAgent.presented.map { try FormParameters(parsing: $0.query() ?? "") }
        #expect(forms.count == 2)
        for form in forms {
            #expect(form["response_type"] == "code")
            #expect(form["code_challenge_method"] == "S256")
            #expect(form["dpop_jkt"] != nil)
        }
        for name in ["state", "nonce", "code_challenge"] { #expect(forms[0][name] != forms[1][name]) }
    }

    @Test("Several callers of setUp share one page")
    func shared() async throws {
        let world = World()
        let wallet = try world.wallet()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await wallet.setUp() } }
            try await group.waitForAll()
        }
        #expect(world.userAgent.presented.count == 1)
    }

    @Test("Closing the page is not a failure, and the person can open it again")
    func closed() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.outcome == .cancelledByPerson)
        world.userAgent.setBehavior { .callback(try world.server.signIn(at: $0, as: "alice")) }
        #expect(try await wallet.setUp() == .signedIn)
    }

    @Test("A server's refusal comes through with its code")
    func refused() async throws {
        let world = World()
        world.userAgent.setBehavior { .callback(try world.server.refuse($0, with: "login_required")) }
        #expect(await failure { try await world.wallet().setUp() }?.code == "login_required")
    }

    @Test("An answer that comes through the app's URL handler ends the waiting for the page")
    func byURLHandler() async throws {
        let world = World()
        let shown = world.pagesLeftOpen()
        let wallet = try world.wallet()
        let setUp = Task { try await wallet.setUp() }
        for await url in shown {
            try await wallet.receivedOAuthCodeOrToken(try world.server.signIn(at: url, as: "alice"))
            break
        }
        #expect(try await setUp.value == .signedIn)
        #expect(wallet.isLoggedIn)
    }

    @Test("An answer that comes by the page and by the URL handler at once is redeemed once, and both succeed")
    func byBothWays() async throws {
        let world = World()
        let wallet = try world.wallet()
        let handed = LockedValue<Task<Void, any Error>?>(nil)
        world.userAgent.setBehavior { page in
            let answer = try world.server.signIn(at: page, as: "alice")
            handed.withLock { $0 = Task { try await wallet.receivedOAuthCodeOrToken(answer) } }
            return .callback(answer)
        }
        #expect(try await wallet.setUp() == .signedIn)
        #expect(wallet.isLoggedIn)
        try await handed.withLock { $0 }?.value
        #expect(world.server.requests.count { $0.form["code"] != nil && $0.status == 200 } == 1)
        #expect(world.living.count == 1)
    }

    @Test("A code whose answer was lost is never sent again; the next sign-in works")
    func lostCodeAnswer() async throws {
        let world = World()
        world.server.inject(.loseAnswer, at: "/oauth2/token")
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.code == .signInInterrupted)
        #expect(world.redemptions == 1)
        #expect(try await wallet.setUp() == .signedIn)
        let codes = world.server.requests.compactMap { $0.form["code"] }
        #expect(Set(codes).count == codes.count)
    }

    @Test(
        "The one repetition of a code is the one that the server asks for with its nonce, before it looks at the code")
    func nonceForTheCode() async throws {
        let world = World()
        world.userAgent.setBehavior { url in
            world.server.renewNonces()
            return .callback(try world.server.signIn(at: url, as: "alice"))
        }
        _ = try await world.signedIn()
        let statuses = world.server.requests.filter { $0.form["code"] != nil }.map(\.status)
        #expect(statuses == [400, 200])
        #expect(world.living.count == 1)
    }

    @Test("Killed while the code was under way, the app does not send it again, though it is handed the same URL")
    func killedWhileRedeeming() async throws {
        let world = World()
        let process = SimulatedProcess(world.ports)
        let callback = LockedValue<URL?>(nil)
        world.userAgent.setBehavior { url in
            let answer = try world.server.signIn(at: url, as: "alice")
            callback.withLock { $0 = answer }
            return .callback(answer)
        }
        // Learn the nonce first, so that the code goes out once.
        var settings = world.server.settings
        settings.dpop = .offered
        world.server.settings = settings
        process.kill(at: .afterSending(to: "/oauth2/token"))
        _ = await failure { try await world.wallet(ports: process.ports).setUp() }
        let next = try world.wallet()
        let url = try #require(callback.withLock { $0 })
        #expect(await failure { try await next.receivedOAuthCodeOrToken(url) }?.code == .signInInterrupted)
        #expect(world.redemptions == 1)
    }

    @Test("A disk that is full when the tokens come prevents the sign-in, and the tokens are not given out")
    func fullDisk() async throws {
        let world = World()
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        let wallet = try world.wallet()
        let setUp = Task { await failure { try await wallet.setUp() } }
        await world.clock.waitForSleepers()
        world.store.condition = .full
        world.clock.advance(by: .seconds(1))
        #expect(await setUp.value?.outcome == .storeUnavailable(.full))
        #expect(!wallet.isLoggedIn)
    }

    @Test("A configuration that cannot work names every fault at once")
    func misconfigured() throws {
        let configuration = Wallet.Configuration(
            environment: .production(issuer: try url("http://auth.example.com")), clientID: "",
            signIn: .full(redirectURI: try url("javascript:alert(1)")), ports: World().ports)
        do {
            _ = try Wallet(configuration: configuration)
            Issue.record("taken")
        } catch let error as WalletError {
            #expect(error.code == .invalidConfiguration)
            #expect(error.reason.split(separator: ";").count >= 3)
            #expect(error.reason.contains("the issuer \"http://auth.example.com\" is neither https"), "\(error.reason)")
        }
    }

    @Test("An issuer over http in production is named with the environment that takes it, and never with a password")
    func issuerOverHTTP() throws {
        for (issuer, said) in [
            (
                "http://127.0.0.1:8700",
                "the issuer \"http://127.0.0.1:8700\" is not https: http needs .sandbox(issuer:)"
            ),
            ("http://ada:secret@127.0.0.1:8700", "the issuer has user information"),
        ] {
            let configuration = Wallet.Configuration(
                environment: .production(issuer: try url(issuer)), clientID: "com.example.wallet",
                signIn: .partial(codeResponse: nil), ports: World().ports)
            let error = #expect(throws: WalletError.self) { try Wallet(configuration: configuration) }
            #expect(error?.reason.contains(said) == true, "\(error?.reason ?? "")")
            #expect(error?.reason.contains("secret") == false)
        }
    }

    @Test("A resource without scheme or host, and a page's return URL that no client can have, are named at once")
    func unusableURLs() throws {
        var configuration = World().configuration(.partial(codeResponse: nil))
        configuration.resources = .only([try url("https://api.example.com"), try url("pay.example.com")])
        configuration.consentReturnURL = try url("https://app.example.com/agreed#page")
        let error = #expect(throws: WalletError.self) { try Wallet(configuration: configuration) }
        #expect(error?.code == .invalidConfiguration)
        let reason = try #require(error?.reason)
        #expect(reason.contains("resources list \"pay.example.com\""), "\(reason)")
        #expect(!reason.contains("api.example.com"), "\(reason)")
        #expect(reason.contains("consentReturnURL has a fragment"), "\(reason)")
    }
}
