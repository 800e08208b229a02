import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Tokens that the app brings")
struct ExternalTokenTests {
    private func wallet(_ world: World, merchant: String? = nil) async throws -> Wallet {
        let token = try world.server.accessToken(for: "alice", merchantID: merchant)
        let wallet = try world.wallet(.external(token: token.reveal(), expiresAt: nil))
        try await wallet.setUp()
        return wallet
    }

    @Test("The token serves, and a newer one of the same person takes its place")
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

    @Test("Another person's token is refused, and changes nothing")
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

    @Test("A token whose owner cannot be told does not renew a session")
    func opaque() async throws {
        let world = World()
        let wallet = try await wallet(world)
        #expect(await failure { try await wallet.updateToken("opaque-token") }?.code == .tokenOwnerUnknown)
    }

    @Test("Whose an opaque token is, is asked at the userinfo endpoint")
    func userInfo() async throws {
        let world = World()
        let wallet = try await wallet(world)
        for (subject, code) in [("sub-bob", WalletError.Code.anotherPerson), ("sub-alice", nil)] {
            let body = Data(#"{"sub":"\#(subject)"}"#.utf8)
            world.server.inject(.answer(HTTPResponse(status: 200, body: body)), at: "/oauth2/userinfo")
            #expect(await failure { try await wallet.updateToken("opaque-token") }?.code == code)
        }
    }

    @Test("The app is told in time that its token ends")
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

    @Test("A session that the SDK renews itself takes no token from the app")
    func ownSession() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let token = try world.server.accessToken(for: "alice").reveal()
        #expect(await failure { try await wallet.updateToken(token) }?.code == .wrongSignInMode)
    }

    @Test("A token handed over by URL counts as an update in this mode only")
    func byURL() async throws {
        let world = World()
        let wallet = try await wallet(world)
        let next = try world.server.accessToken(for: "alice", lifetime: .seconds(900))
        try await wallet.receivedOAuthCodeOrToken(url("com.example.app:/token#access_token=\(next.reveal())"))
        #expect(try await wallet.accessToken() == next)
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
