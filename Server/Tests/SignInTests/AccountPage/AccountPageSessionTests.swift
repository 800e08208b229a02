import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Sessions on the account's page", .threat("The account's own page"))
struct AccountPageSessionTests {
    /// An account that is signed in in an app and in another browser.
    private struct Places {
        let server: TestServer
        let account: AccountID
        let app: TestClient
        let token: RefreshToken
        let other: TestBrowser

        init() async throws {
            server = try await TestServer.start()
            account = try await server.reachableAccount()
            app = try await server.bearerClient()
            token = try #require(try await app.signIn(account).refreshToken)
            other = TestBrowser(server)
            _ = try await other.signIn(on: other.openAccount().page())
            server.clock.advance(by: .minutes(2))
        }
    }

    private func events(_ account: AccountID, _ server: TestServer) async throws -> [String] {
        let id = try #require(UniqueID(bytes: account.bytes))
        return try await server.context.database.read { try SecurityEvents.list(of: id, limit: 100, on: $0) }
            .map(\.kind).filter { $0.hasPrefix("session.") }
    }

    @Test("This browser's session is listed first, then other browsers' and apps', and each of those can be ended")
    func each() async throws {
        let places = try await Places()
        let (server, browser) = (places.server, TestBrowser(places.server))
        var page = try await browser.signIn(on: browser.openAccount().page())
        let sessions = try #require(page.overview).sessions.map(\.session)
        try #require(sessions.count == 3)
        #expect(sessions[0].place == .browser(BrowserKind(), isThisOne: true))
        #expect(sessions[1].place == .browser(BrowserKind(), isThisOne: false))
        guard case .app(_, device: nil) = sessions[2].place else {
            Issue.record("no session of an app: \(sessions[2])")
            return
        }
        // Signing out is what ends this browser's.
        page = try await browser.press(.endSession(id: sessions[0].id), on: page).accountPage()
        #expect(page.overview?.sessions.count == 3)
        for (number, session) in sessions[1...].enumerated() {
            let before = page
            for _ in 0..<2 {
                page = try await browser.press(.endSession(id: session.id), on: before).accountPage()
                #expect(page.notice == .sessionEnded)
                #expect(page.overview?.sessions.count == 2 - number)
            }
        }
        _ = try await places.other.openAccount().page()
        #expect(try await places.app.refresh(places.token).refusal == .invalidGrant)
        #expect(try await events(places.account, server) == ["session.ended_by_holder", "session.ended_by_holder"])
    }

    @Test("A row tells when its session was last used: by an app, to sign in to one, or to look at the account")
    func lastUse() async throws {
        let places = try await Places()
        let (server, other, own) = (places.server, places.other, TestBrowser(places.server))
        _ = try await own.signIn(on: own.openAccount().page())
        /// Of the other browser, and of the app.
        func lastUses() async throws -> [Timestamp?] {
            let overview = try #require(try await own.openAccount().accountPage().overview)
            return overview.sessions.dropFirst().map(\.session.lastUsedAt)
        }
        #expect(try await lastUses() == [nil, nil])
        server.clock.advance(by: .minutes(5))
        let signIn = server.clock.now()
        _ = try await other.open(places.app.request { $0["prompt"] = "none" }).code()
        #expect(try await lastUses() == [signIn, nil])
        server.clock.advance(by: .seconds(59))
        _ = try await other.openAccount().accountPage()
        _ = try await places.app.refresh(places.token).tokens()
        #expect(try await lastUses() == [signIn, server.clock.now()])
        let refresh = server.clock.now()
        server.clock.advance(by: .seconds(1))
        _ = try await other.openAccount().accountPage()
        #expect(try await lastUses() == [server.clock.now(), refresh])
    }

    @Test("An app's session has the name of its device, also after a sign-in that did not name the device")
    func devices() async throws {
        let server = try await TestServer.start()
        let (account, client) = (try await server.reachableAccount(), try await server.publicClient())
        let device = try await TestDevice.signedIn(account, client)
        _ = try await device.enrolled(account)
        for key in [device.app.key, TestKey()] {
            server.clock.advance(by: .minutes(1))
            _ = try await client.signIn(account, proof: key)
        }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let names = try #require(page.overview).sessions.dropFirst().map(\.device)
        #expect(names.compactMap(\.self) == ["Ada's phone", "Ada's phone"])
        #expect(names.count == 3)
    }

    @Test("All others end at once, with what is in progress; the browser stays signed in")
    func others() async throws {
        let places = try await Places()
        let (server, browser) = (places.server, TestBrowser(places.server))
        let page = try await browser.signIn(on: browser.openAccount().page())
        for _ in 0..<2 {
            let ended = try await browser.press(.endOtherSessions, on: page).accountPage()
            #expect(ended.notice == .otherSessionsEnded)
            #expect(ended.overview?.sessions.map(\.session.isOfThisBrowser) == [true])
        }
        _ = try await places.other.openAccount().page()
        #expect(try await places.app.refresh(places.token).refusal == .invalidGrant)
        #expect(try await events(places.account, server) == ["session.others_ended_by_holder"])
    }

    @Test("attack: the owner is signed out everywhere in silence: ending all others sends one message, ending one none")
    func notified() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let app = try await server.bearerClient()
        _ = try await app.signIn(account)
        let browser = TestBrowser(server)
        var page = try await browser.signIn(on: browser.openAccount().page())
        let session = try #require(page.overview?.sessions.last?.session)
        page = try await browser.press(.endSession(id: session.id), on: page).accountPage()
        #expect(page.notice == .sessionEnded)
        #expect(try await server.told("sessions_ended") == 0)
        for _ in 0..<2 {
            let ended = try await browser.press(.endOtherSessions, on: page).accountPage()
            #expect(ended.notice == .otherSessionsEnded)
        }
        #expect(try await server.told("sessions_ended") == 1)
    }

    @Test("attack: a cookie alone ends nothing, and no one ends another person's session")
    func thief() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        _ = try await server.reachableAccount("eve")
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(account).refreshToken)
        let browser = TestBrowser(server)
        let own = try await browser.signIn(on: browser.openAccount().page())
        let sessions = try #require(own.overview).sessions.map(\.session)
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies
        let seen = try await thief.openAccount().accountPage()
        for action in [AccountPage.Action.endSession(id: sessions[1].id), .endOtherSessions] {
            #expect(try await thief.press(action, on: seen).page().purpose == .accountChange)
        }
        server.clock.advance(by: .minutes(2))
        let eve = TestBrowser(server)
        var page = try await eve.signIn(on: eve.openAccount().page(), "eve")
        for id in sessions.map(\.id) + ["", "x"] {
            page = try await eve.press(.endSession(id: id), on: page).accountPage()
            #expect(page.notice == nil && page.overview != nil)
        }
        _ = try await app.refresh(token).tokens()
        #expect(try await browser.openAccount().accountPage().overview != nil)
    }
}
