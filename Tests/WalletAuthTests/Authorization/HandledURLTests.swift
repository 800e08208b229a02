import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Every URL that opens an app goes to one call", .threat("login CSRF in an app"))
struct HandledURLTests {
    @Test("A sign-in's callback is processed, once, however often it arrives")
    func signIn() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in .opened }
        let wallet = try world.wallet()
        #expect(try await wallet.signIn() == .awaitingCallback)
        let page = try #require(world.userAgent.presented.first)
        let callback = try world.server.signIn(at: page, as: "alice")
        for _ in 0..<2 { #expect(try await wallet.handle(callback) == .signIn) }
        #expect(wallet.isLoggedIn)
        #expect(world.living.count == 1)
    }

    @Test("A transaction's link is no callback, and another server's link is not this wallet's")
    func transaction() async throws {
        let till = try await Till()
        let code = try till.code()
        #expect(try await till.wallet.handle(try url(code)) == .transaction)
        #expect(till.statuses == [.created], "nothing was sent")
        #expect(await Person().follow(try till.wallet.flows.start(with: code)).words.last == "done")
        let foreign = code.replacing("auth.example.com", with: "auth.example.org")
        #expect(try await till.wallet.handle(try url(foreign)) == .unrelated)
    }

    @Test(
        "A link of the app's own is left to the app",
        arguments: [
            "https://app.example.com/offers", "https://app.example.com/offers?state=CA", "com.example.wallet:/settings",
            "https://app.example.com/offers?tag=a&tag=b", "https://auth.example.com/t/no-transaction",
            "https://app.example.com/#code",
        ])
    func unrelated(link: String) async throws {
        let world = World()
        let wallet = try world.wallet()
        #expect(try await wallet.handle(try url(link)) == .unrelated)
        #expect(world.server.requests.isEmpty)
    }

    @Test("A forged callback is an error and changes nothing")
    func forged() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        for (text, code) in [
            ("https://app.example.com/callback?code=stolen&state=of-somebody-else", WalletError.Code.unknownState),
            ("https://app.example.com/callback#access_token=stolen", .tokenInCallback),
        ] {
            let forged = try url(text)
            #expect(await failure { try await wallet.handle(forged) }?.code == code)
        }
        #expect(wallet.identity?.subject == "sub-alice")
    }
}
