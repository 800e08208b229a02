import Testing
import WalletAuth
import WalletAuthTesting

@Suite("Making an account by oneself")
struct RegistrationTests {
    private let world = World()

    @Test("A newcomer proves an address, chooses a name and a password, and is signed in")
    func whole() async throws {
        world.server.setRegistration(true)
        let wallet = try world.wallet()
        let challenge = try await wallet.enrollment.begin(email: " ada@example.com ")
        #expect(challenge.digits == 8)
        #expect(challenge.wasSent)
        #expect(!wallet.isLoggedIn)
        let wrong = await failure { try await challenge.confirm(code: "11111111") }
        #expect(wrong?.code == .invalidCode)
        #expect(wrong?.operation == .register)
        let newcomer = try await challenge.confirm(code: ScriptedServer.registrationCode)
        let taken = await failure { try await newcomer.finish(username: "alice", password: "a good long secret") }
        #expect(taken?.code == .usernameTaken)
        try await newcomer.finish(username: "ada", password: "a good long secret").signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
    }

    @Test("The end that is called again after a lost answer signs in to the same account")
    func repeated() async throws {
        world.server.setRegistration(true)
        let wallet = try world.wallet()
        let newcomer = try await wallet.enrollment.begin(phone: "+4930123456")
            .confirm(code: ScriptedServer.registrationCode)
        try await newcomer.finish(username: "ada", password: "a good long secret").signedIn()
        try await newcomer.finish(username: "ada", password: "a good long secret").signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
        let other = await failure { try await newcomer.finish(username: "eve", password: "a good long secret") }
        #expect(other?.code == .addressTaken)
    }

    @Test("Where registration is off, the beginning says so")
    func off() async throws {
        let wallet = try world.wallet()
        let error = await failure { try await wallet.enrollment.begin(email: "ada@example.com") }
        #expect(error?.code == .registrationOff)
        #expect(error?.operation == .register)
    }

    @Test("Text that is no address is refused on the device")
    func noAddress() async throws {
        world.server.setRegistration(true)
        let wallet = try world.wallet()
        let error = await failure { try await wallet.enrollment.begin(email: "ada") }
        #expect(error?.code == .badRequest)
        #expect(error?.reachedServer == false)
    }
}
