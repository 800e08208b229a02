import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthUI

@Suite("A session that a screen observes", .covers("what a screen shows")) @MainActor
struct WalletSessionTests {
    private func isSignedIn(_ session: WalletSession) -> Bool {
        if case .signedIn = session.state { true } else { false }
    }

    @Test("From a first launch to a sign-out")
    func story() async throws {
        let session = WalletSession(try World().wallet(), languages: ["en"])
        #expect(session.state == .restoring)
        await session.restore()
        #expect(session.state == .signedOut(.neverSignedIn))
        #expect(session.message == nil)
        await session.signIn()
        let identity = try #require(session.wallet.identity)
        #expect(session.state == .signedIn(identity))
        await session.signOut()
        #expect(session.state == .signedOut(.loggedOut))
        #expect(session.lastError == nil && session.message == nil)
    }

    @Test("A locked store asks to be made available, and is never a signed-out person")
    func lockedStore() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.store.condition = .locked
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.restore()
        #expect(session.state == .needsAction(.makeStoreAvailable(.locked)))
        #expect(session.lastError?.code == .storeUnavailable)
        #expect(session.message != nil)
        world.store.condition = .working
        await session.restore()
        #expect(isSignedIn(session))
        #expect(session.lastError == nil)
        world.store.condition = .locked
        await session.restore()
        #expect(isSignedIn(session), "this process knows who is signed in")
    }

    @Test("A lost key asks to be replaced, which signing in does")
    func lostKey() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.keys.loseAll()
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.restore()
        #expect(session.state == .needsAction(.replaceKey))
        #expect(session.message != nil)
        await session.signIn()
        #expect(isSignedIn(session))
    }

    @Test("Without a network the person stays signed in")
    func offline() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.server.network = .offline
        let session = WalletSession(try world.wallet())
        let restoring = Task { await session.restore() }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        await restoring.value
        #expect(isSignedIn(session))
        #expect(session.wallet.renewalFailure?.outcome == .offline)
    }

    @Test("A session that the server no longer renews says so, and keeps the person signed in")
    func notRenewed() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.server.inject(
            .answer(HTTPResponse(status: 401, body: Data(#"{"error":"invalid_client"}"#.utf8))), at: "/oauth2/token")
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.restore()
        let identity = try #require(session.wallet.identity)
        #expect(session.state == .needsAction(.renewSession(identity)))
        #expect(session.message != nil)
        await session.signOut()
        #expect(session.state == .signedOut(.loggedOut))
    }

    @Test("A session that ends during another call is shown as ended, with the reason")
    func endedElsewhere() async throws {
        let world = World()
        let session = WalletSession(try await world.signedIn(), languages: ["en"])
        await session.restore()
        #expect(isSignedIn(session))
        world.server.endSessions(of: "alice")
        world.expireToken()
        _ = await failure { try await session.wallet.accessToken() }
        await observed { session.state == .signedOut(.sessionEnded) }
        #expect(session.message != nil)
    }

    @Test("A sign-in through another call, such as one with a password, is shown")
    func signedInElsewhere() async throws {
        let world = World()
        let session = WalletSession(try world.wallet())
        await session.restore()
        _ = try await session.wallet.login(username: "alice", password: "correct horse")
        await observed { isSignedIn(session) }
    }

    @Test("A page that opened elsewhere is waited for, and its callback ends the wait")
    func elsewhere() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet())
        await session.signIn()
        #expect(session.state == .needsAction(.finishInBrowser))
        let page = try #require(world.userAgent.presented.first)
        #expect(await session.handle(try world.server.signIn(at: page, as: "alice")) == .signIn)
        #expect(isSignedIn(session))
        #expect(await session.handle(try url("https://app.example.com/callback?code=forged&state=forged")) == nil)
        #expect(session.lastError == nil)
        #expect(isSignedIn(session))
    }

    @Test(
        "A URL that any page could open neither ends the wait for a sign-in nor shows an error",
        arguments: [
            "https://app.example.com/callback#access_token=forged", "https://app.example.com/callback?id_token=forged",
            "https://app.example.com/callback?code=forged&state=forged",
            "https://app.example.com/callback?error=x&state=f",
            "https://app.example.com/callback?access_token=x&state=a&state=b", "https://app.example.com/offers",
        ])
    func foreignWhileWaiting(link: String) async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.signIn()
        await session.handle(try url(link))
        #expect(session.state == .needsAction(.finishInBrowser))
        #expect(session.lastError == nil && session.message == nil)
        let page = try #require(world.userAgent.presented.first)
        #expect(await session.handle(try world.server.signIn(at: page, as: "alice")) == .signIn)
        #expect(isSignedIn(session))
    }

    @Test(
        "A URL that any page could open does not clear the error that the person has to read",
        arguments: [
            "https://app.example.com/callback#access_token=forged", "https://app.example.com/callback?code=f&state=f",
            "https://app.example.com/offers", "https://auth.example.com/t/no-transaction",
        ])
    func foreignAfterError(link: String) async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.signIn()
        let page = try #require(world.userAgent.presented.first)
        await session.handle(try world.server.refuse(page, with: "login_required"))
        let (error, state, message) = (session.lastError, session.state, session.message)
        #expect(error != nil && message != nil)
        await session.handle(try url(link))
        #expect(session.lastError?.code == error?.code)
        #expect(session.state == state)
        #expect(session.message == message)
    }

    @Test("A store that cannot be read when the page answers is an error, and the answer is good once it can")
    func lockedAtAnswer() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.signIn()
        let answer = try world.server.signIn(at: try #require(world.userAgent.presented.first), as: "alice")
        world.store.condition = .locked
        #expect(await session.handle(answer) == nil)
        #expect(session.lastError?.code == .storeUnavailable && session.message != nil)
        #expect(session.state == .needsAction(.finishInBrowser))
        world.store.condition = .working
        #expect(await session.handle(answer) == .signIn)
        #expect(isSignedIn(session) && session.lastError == nil)
    }

    @Test("An answer that is not from the asked server is an error, and leaves its sign-in waiting")
    func mixUp() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.signIn()
        let page = try #require(world.userAgent.presented.first)
        let good = try world.server.signIn(at: page, as: "alice")
        var other = try #require(URLComponents(url: good, resolvingAgainstBaseURL: false))
        other.queryItems = other.queryItems?.filter { $0.name != "iss" }
        other.queryItems?.append(URLQueryItem(name: "iss", value: "https://evil.example"))
        await session.handle(try #require(other.url))
        #expect(session.lastError != nil)
        #expect(session.state == .needsAction(.finishInBrowser))
        #expect(await session.handle(good) == .signIn)
        #expect(isSignedIn(session))
    }

    @Test("A refusal that comes back from a page elsewhere ends the wait for it, and a forged callback does not")
    func refusedElsewhere() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let session = WalletSession(try world.wallet(), languages: ["en"])
        await session.signIn()
        await session.handle(try url("https://app.example.com/callback?code=forged&state=forged"))
        #expect(session.state == .needsAction(.finishInBrowser))
        let page = try #require(world.userAgent.presented.first)
        await session.handle(try world.server.refuse(page, with: "login_required"))
        #expect(session.state == .signedOut(.neverSignedIn))
        #expect(session.message != nil)
    }

    @Test("A link that launches the app does not say who is signed in: that is for the restoring")
    func launchedByLink() async throws {
        let session = WalletSession(try World().wallet())
        await session.handle(try url("https://app.example.com/offers"))
        #expect(session.state == .restoring)
        await session.handle(try url("https://app.example.com/callback?code=forged&state=forged"))
        #expect(session.state == .signedOut(.neverSignedIn), "the store was read for it")
    }

    @Test("A person who closes the page reads no error, and the button is free again")
    func closed() async throws {
        let world = World()
        let (shown, page) = AsyncStream.makeStream(of: Void.self)
        let (closed, close) = AsyncStream.makeStream(of: Void.self)
        world.userAgent.setBehavior { _ in
            page.finish()
            for await _ in closed {}
            throw UserAgentFailure(.cancelledByPerson, reason: "closed")
        }
        let session = WalletSession(try world.wallet())
        await session.restore()
        let signIn = Task { await session.signIn() }
        for await _ in shown {}
        #expect(session.isBusy)
        close.finish()
        await signIn.value
        #expect(!session.isBusy)
        #expect(session.state == .signedOut(.neverSignedIn))
        #expect(session.lastError?.outcome == .cancelledByPerson)
        #expect(session.message == nil)
    }

    @Test("A session that nothing shows any more is released, while its wallet goes on")
    func released() async throws {
        let wallet = try World().wallet()
        weak var session: WalletSession?
        do {
            let shown = WalletSession(wallet)
            await shown.restore()
            session = shown
        }
        #expect(session == nil)
        #expect(try await wallet.signIn() == .signedIn)
    }
}
