import Foundation
import Testing
import WalletAuth

@Suite("One wallet for all", .covers("Wallet.instance.authenticationService"), .serialized)
struct SharedWalletTests {
    @Test("The configured wallet is handed out, and the newest one after configuring again")
    func configured() throws {
        let world = World()
        let first = try Wallet.configure(world.configuration())
        #expect(try Wallet.instance === first)
        let second = try Wallet.configure(world.configuration())
        #expect(try Wallet.instance === second)
    }

    @Test("Wallets of different clients, or with store names of their own, share nothing in one store")
    func separate() async throws {
        let world = World()
        _ = try await world.signedIn()
        var configuration = world.configuration(.partial(codeResponse: nil))
        configuration.storeName = "second"
        let wallet = try Wallet(configuration: configuration)
        #expect(await failure { try await wallet.setUp() }?.outcome == .signedOut(.neverSignedIn))
    }
}
