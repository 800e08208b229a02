import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Signing in for one of several merchants")
struct MerchantLoginTests {
    private static let employers = [
        ScriptedServer.Employer(id: "kiosk", name: "Kiosk am Bahnhof"),
        ScriptedServer.Employer(id: "shop", name: "Corner Shop"),
    ]

    private func scene(_ employers: [ScriptedServer.Employer]) throws -> (World, Wallet) {
        let world = World()
        world.server.setState(of: "alice", .employee(of: employers))
        return (world, try world.wallet())
    }

    @Test("An employee of several merchants chooses one in the app's own screen, and the session is for it")
    func chosen() async throws {
        let (world, wallet) = try scene(Self.employers)
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let choice = try outcome.merchantChoice()
        #expect(outcome.statusCode == 403)
        #expect(choice.merchants.map(\.id) == ["kiosk", "shop"])
        #expect(choice.merchants.map(\.name) == ["Kiosk am Bahnhof", "Corner Shop"])
        #expect(!wallet.isLoggedIn)
        try await choice.choose(choice.merchants[1]).signedIn()
        #expect(wallet.identity?.merchantID == "shop")
        let choosing = world.server.requests.last { $0.path == "/oauth2/authorize-challenge" }
        #expect(choosing?.form["merchant_id"] == "shop")
        #expect(choosing?.form["password"] == nil)
        world.expireToken()
        _ = try await wallet.perform(try request("/api/me"))
        #expect(wallet.identity?.merchantID == "shop")
    }

    @Test("A sign-in that a call asks for is for the merchant that was chosen, in the app and in the browser")
    func stepUp() async throws {
        let (world, wallet) = try scene(Self.employers)
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let choice = try outcome.merchantChoice()
        try await choice.choose(choice.merchants[1]).signedIn()
        let needed = AuthenticationRequirements(maximumAge: 300)

        let again = try await wallet.login(
            username: "alice", password: "correct horse", strength: .required(needed))
        try again.signedIn()
        #expect(wallet.identity?.merchantID == "shop")

        #expect(try await wallet.stepUp(to: needed) == .signedIn)
        let form = try FormParameters(parsing: try #require(world.userAgent.presented.last?.query()))
        #expect(form["merchant_id"] == "shop")
        #expect(wallet.identity?.merchantID == "shop")
    }

    @Test(
        "An employee of one merchant is signed in for it, and a former merchant is refused by its own code"
    )
    func oneAndNone() async throws {
        let (world, wallet) = try scene([Self.employers[0]])
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        try outcome.signedIn()
        #expect(wallet.identity?.merchantID == "kiosk")

        world.server.setState(of: "alice", .employee(of: Self.employers))
        let other = try world.wallet()
        let choice = try await other.login(username: "alice", password: "correct horse").merchantChoice()
        world.server.setState(of: "alice", .employee(of: [Self.employers[0]]))
        let error = await failure { try await choice.choose(choice.merchants[1]) }
        #expect(error?.code == .notAnEmployee)
        #expect(error?.outcome == .refused)
        #expect(error?.operation == .loginByUsernamePassword)
    }
}
