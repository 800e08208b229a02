import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("Observed accounts")
struct ObservedAccountsTests {
    @Test("An observer has the accounts when an enrollment, a sign-in and a removal return")
    func observed() async throws {
        let world = World()
        world.server.addPerson(
            "alice", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        let wallet = try await world.signedIn()
        let observed = LockedValue<[EnrolledAccount]>([])
        wallet.observeAccounts { accounts in observed.withLock { $0 = accounts } }

        let device = try await wallet.devices.enroll(name: "Phone", username: "alice")
        let enrolled = observed.withLock { $0 }
        #expect(enrolled.map(\.deviceID) == [device.id])

        world.clock.advance(by: .seconds(60))
        _ = try await wallet.login(username: "alice", password: "correct horse")
        let signedIn = observed.withLock { $0 }
        let listed = try await wallet.accounts
        #expect(signedIn == listed)
        #expect(try #require(signedIn.first).lastUsedAt > #require(enrolled.first).lastUsedAt)

        try await wallet.devices.remove(device.id)
        #expect(observed.withLock { $0 }.isEmpty)
    }
}
