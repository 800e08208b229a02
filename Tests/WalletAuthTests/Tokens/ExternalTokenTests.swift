import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("Tokens that the app brings")
struct ExternalTokenTests {
    private func wallet(_ world: World, merchant: String? = nil) async throws -> Wallet {
        let token = try world.server.accessToken(for: "alice", merchantID: merchant)
        let wallet = try world.wallet(.external(token: token.reveal(), expiresAt: nil))
        try await wallet.setUp()
        return wallet
    }

    @Test("The token is used, and a newer one of the same person replaces it", .covers("No OAuth"))
    func updated() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let changes = Changes(wallet)
        let next = try world.server.accessToken(for: "alice", lifetime: .seconds(900))
        try await wallet.updateToken(next.reveal())
        #expect(try await wallet.accessToken() == next)
        #expect(changes.all == [.refreshed])
        #expect(world.refreshes == 0)
    }

    @Test("Another person's token is refused, and changes nothing", .covers("another person's or merchant's token"))
    func anotherPerson() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let former = try await wallet.accessToken()
        let token = try world.server.accessToken(for: "bob").reveal()
        #expect(await failure { try await wallet.updateToken(token) }?.code == .anotherPerson)
        #expect(try await wallet.accessToken() == former)
    }

    @Test("Another merchant's token is refused, also one that names none", arguments: ["merchant-2", nil])
    func anotherMerchant(_ merchant: String?) async throws {
        let world = World()
        let wallet = try await wallet(world, merchant: "merchant-1")
        let token = try world.server.accessToken(for: "alice", merchantID: merchant).reveal()
        #expect(await failure { try await wallet.updateToken(token) }?.code == .anotherMerchant)
    }

    @Test("A token with an unknown owner does not renew a session")
    func opaque() async throws {
        let world = World()
        let wallet = try await wallet(world)
        #expect(await failure { try await wallet.updateToken("opaque-token") }?.code == .tokenOwnerUnknown)
    }

    @Test("The owner of an opaque token is looked up at the userinfo endpoint")
    func userInfo() async throws {
        let world = World()
        let wallet = try await wallet(world)
        for (subject, code) in [("sub-bob", WalletError.Code.anotherPerson), ("sub-alice", nil)] {
            let body = Data(#"{"sub":"\#(subject)"}"#.utf8)
            world.server.inject(.answer(HTTPResponse(status: 200, body: body)), at: "/oauth2/userinfo")
            #expect(await failure { try await wallet.updateToken("opaque-token") }?.code == code)
        }
    }

    @Test("attack: a userinfo endpoint at another origin gets no bearer token, unless the app lists that origin")
    func foreignUserInfo() async throws {
        let elsewhere = "https://claims.example.com/oauth2/userinfo"
        for isListed in [false, true] {
            let standard = StandardWorld()
            let world = standard.world
            standard.odd.changeMetadata { $0["userinfo_endpoint"] = .string(elsewhere) }
            let token = try world.server.accessToken(for: "alice").reveal()
            var configuration = world.configuration(.external(token: token, expiresAt: nil), ports: standard.ports)
            if isListed { configuration.resources = .only([try url(elsewhere)]) }
            let wallet = try Wallet(configuration: configuration)
            try await wallet.setUp()
            world.server.inject(
                .answer(HTTPResponse(status: 200, body: Data(#"{"sub":"sub-alice"}"#.utf8))), at: "/oauth2/userinfo")
            let error = await failure { try await wallet.updateToken("opaque-token") }
            #expect(error?.code == (isListed ? nil : .tokenOwnerUnknown))
            #expect(world.server.requests.contains { $0.path == "/oauth2/userinfo" } == isListed)
        }
    }

    @Test("The app learns in time that its token ends")
    func expiring() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let changes = wallet.tokenChanges
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(240))
        for await change in changes {
            if case .expiring(let date) = change {
                #expect(date.timeIntervalSince(world.clock.trueNow()) == 60)
            } else {
                Issue.record("told \(change)")
            }
            break
        }
        #expect(wallet.isLoggedIn)
    }

    @Test("A session that the SDK renews itself takes no token from the app", .covers("updateToken(_:)"))
    func ownSession() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let token = try world.server.accessToken(for: "alice").reveal()
        #expect(await failure { try await wallet.updateToken(token) }?.code == .wrongSignInMode)
    }

    @Test("Another person's token cannot continue from an opaque token, whose owner is not known")
    func unknownFormerOwner() async throws {
        let world = World()
        let wallet = try world.wallet(.external(token: "opaque-token", expiresAt: nil))
        try await wallet.setUp()
        let token = try world.server.accessToken(for: "bob").reveal()
        #expect(await failure { try await wallet.updateToken(token) }?.code == .tokenOwnerUnknown)
        #expect(try await wallet.accessToken().reveal() == "opaque-token")
        try await wallet.authenticate(accessToken: token)
        #expect(wallet.identity?.subject == "sub-bob")
    }

    @Test("A token whose renewal was under way at the sign-out does not sign in again")
    func lateUpdate() async throws {
        let world = World()
        let wallet = try await wallet(world)
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/userinfo")
        let body = Data(#"{"sub":"sub-alice"}"#.utf8)
        world.server.inject(.answer(HTTPResponse(status: 200, body: body)), at: "/oauth2/userinfo")
        let update = Task { await failure { try await wallet.updateToken("opaque-token") } }
        await world.clock.waitForSleepers(2)
        try await wallet.logout()
        world.clock.advance(by: .seconds(1))
        #expect(await update.value != nil)
        #expect(!wallet.isLoggedIn)
    }

    @Test("A sign-out ends its session here, runs the hooks, and has the server revoke the token")
    func signOut() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let token = try await wallet.accessToken().reveal()
        let hooks = LockedValue(0)
        _ = wallet.onLogout { hooks.withLock { $0 += 1 } }
        let changes = Changes(wallet)
        #expect(try await wallet.logout() == .revoked)
        #expect(!wallet.isLoggedIn)
        #expect(changes.all == [.deleted])
        #expect(hooks.withLock { $0 } == 1)
        let sent = world.server.requests.filter { $0.path == "/oauth2/revoke" }
        #expect(sent.map { $0.form["token"] } == [token])
        #expect(sent.map { $0.form["token_type_hint"] } == ["access_token"])
        #expect(try await wallet.logout() == .notSignedIn)
        for data in world.store.items.values { #expect(!String(decoding: data, as: UTF8.self).contains(token)) }
    }

    @Test("Offline, the sign-out's revocation waits for the next start, and no session returns with it")
    func signOutOffline() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let token = try await wallet.accessToken().reveal()
        // The endpoints are known, so that only the revocation fails.
        _ = try? await wallet.userInfo()
        world.server.network = .offline
        #expect(try await wallet.logout() == .queued)
        #expect(!wallet.isLoggedIn)
        world.server.network = .up
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
        #expect(await next.sendQueuedRevocations())
        #expect(world.server.requests.filter { $0.path == "/oauth2/revoke" }.map { $0.form["token"] } == [token])
        for data in world.store.items.values { #expect(!String(decoding: data, as: UTF8.self).contains(token)) }
    }

    @Test("attack: a token whose key fails keeps the sign-outs behind it from the server, so that their sessions go on")
    func signOutWithoutItsKey() async throws {
        let world = World()
        let own = try await world.signedIn()
        let bound = try await own.accessToken().reveal()
        try await own.logout()
        let first = try world.wallet(.external(token: bound, expiresAt: nil))
        try await first.setUp()
        let second = try await wallet(world)
        let other = try await second.accessToken().reveal()
        for wallet in [first, second] { _ = try? await wallet.userInfo() }
        world.server.network = .offline
        for wallet in [first, second] { #expect(try await wallet.logout() == .queued) }
        world.server.network = .up
        func sent() -> [String?] {
            world.server.requests.filter { $0.path == "/oauth2/revoke" }.map { $0.form["token"] }
        }
        let former = sent().count
        world.keys.failure = .failed
        #expect(await !second.sendQueuedRevocations())
        #expect(Set(sent().dropFirst(former)) == [other])
        world.keys.failure = nil
        #expect(await second.sendQueuedRevocations())
        #expect(sent().contains(bound))
    }

    @Test("It is in memory only: nothing of it is stored, and a sign-out forgets it")
    func memoryOnly() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let token = try await wallet.accessToken().reveal()
        for data in world.store.items.values { #expect(!String(decoding: data, as: UTF8.self).contains(token)) }
        try await wallet.logout()
        #expect(!wallet.isLoggedIn)
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.loggedOut))
    }
}

@Suite("Tokens that come by URL, where the app brings the tokens")
struct TokenByURLTests {
    /// What any web page can have the system open.
    private func link(_ token: String) throws -> URL { try url("com.example.app:/token#access_token=\(token)") }

    private func wallet(_ world: World, token: String? = nil) async throws -> Wallet {
        let token = try token ?? world.server.accessToken(for: "alice").reveal()
        let wallet = try world.wallet(.external(token: token, expiresAt: nil))
        try await wallet.setUp()
        return wallet
    }

    @Test("It renews the session of the same person")
    func renewed() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let next = try world.server.accessToken(for: "alice", lifetime: .seconds(900))
        try await wallet.receivedOAuthCodeOrToken(link(next.reveal()))
        #expect(try await wallet.accessToken() == next)
    }

    @Test(
        "A web page cannot sign a person in to another's wallet (session fixation), not even if no one is signed in",
        .threat("A token sent to the wrong host")
    )
    func nobodySignedIn() async throws {
        let world = World()
        let attackers = try link(try world.server.accessToken(for: "bob").reveal())
        let wallet = try world.wallet(
            .external(token: try world.server.accessToken(for: "alice").reveal(), expiresAt: nil))
        for prepare in [
            {},
            {
                _ = try await wallet.setUp(); _ = try await wallet.logout()
            },
        ] {
            try await prepare()
            let error = await failure { try await wallet.receivedOAuthCodeOrToken(attackers) }
            #expect(error?.code == .tokenInCallback)
            #expect(error?.reason.contains("authenticate(accessToken:)") == true)
            #expect(!wallet.isLoggedIn)
        }
        #expect(world.server.requests.allSatisfy { $0.path != "/oauth2/userinfo" }, "nothing is asked about it")
    }

    @Test("Nor over the session of the person who is signed in")
    func anotherPerson() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let former = try await wallet.accessToken()
        let attackers = try link(try world.server.accessToken(for: "bob").reveal())
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(attackers) }?.code == .anotherPerson)
        let merchants = try link(try world.server.accessToken(for: "alice", merchantID: "merchant-1").reveal())
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(merchants) }?.code == .anotherMerchant)
        #expect(try await wallet.accessToken() == former)
    }

    @Test("attack: claims that anyone can write replace no token: the server has to know the one in the URL")
    func forged() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let former = try await wallet.accessToken()
        let genuine = try world.server.accessToken(for: "alice", lifetime: .seconds(86_400)).reveal()
        let parts = genuine.split(separator: ".")
        let forged = try link("\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 1, count: 64)))")
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(forged) }?.code == .tokenOwnerUnknown)
        #expect(try await wallet.accessToken() == former)
    }

    @Test("Nor over a session with an unknown owner")
    func unknownFormerOwner() async throws {
        let world = World()
        let wallet = try await wallet(world, token: "opaque-token")
        let attackers = try link(try world.server.accessToken(for: "bob").reveal())
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(attackers) }?.code == .tokenOwnerUnknown)
        #expect(try await wallet.accessToken().reveal() == "opaque-token")
    }

    @Test("Nor over a session that the SDK itself renews")
    func ownSession() async throws {
        let world = World()
        _ = try await world.signedIn()
        let token = try world.server.accessToken(for: "alice").reveal()
        let wallet = try world.wallet(.external(token: token, expiresAt: nil))
        _ = try await wallet.login(username: "alice", password: "correct horse")
        #expect(await failure { try await wallet.receivedOAuthCodeOrToken(link(token)) }?.code == .tokenInCallback)
        #expect(wallet.identity?.tokenType == .dpop)
    }
}
