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

    @Test("A newcomer creates a passkey in place of a password, and signs in with it afterwards")
    func passkey() async throws {
        world.server.setRegistration(true, byPasskey: true)
        let wallet = try world.wallet(ports: world.portsWithPasskeys())
        let newcomer = try await wallet.enrollment.begin(email: "ada@example.com")
            .confirm(code: ScriptedServer.registrationCode)
        #expect(newcomer.takesPasskey)
        let taken = await failure { try await newcomer.finishWithPasskey(username: "alice") }
        #expect(taken?.code == .usernameTaken)
        try await newcomer.finishWithPasskey(username: "ada").signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
        try await wallet.logout()
        try await wallet.passkeys.signIn().signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
    }

    @Test("Where no passkey takes the place of a password, the newcomer is not asked for one")
    func passkeyNotTaken() async throws {
        world.server.setRegistration(true)
        let presence = ScriptedUserPresence()
        let wallet = try world.wallet(ports: world.portsWithPasskeys(presence))
        let newcomer = try await wallet.enrollment.begin(email: "ada@example.com")
            .confirm(code: ScriptedServer.registrationCode)
        #expect(!newcomer.takesPasskey)
        let error = await failure { try await newcomer.finishWithPasskey(username: "ada") }
        #expect(error?.code == .passkeyNotTaken)
        #expect(presence.reasons.isEmpty)
    }

    @Test("An app that says that a passkey is wanted learns before a code is sent that none is taken")
    func passkeyNotTakenAtFirst() async throws {
        world.server.setRegistration(true)
        let enrollment = try world.wallet(ports: world.portsWithPasskeys()).enrollment
        let byEmail = await failure { try await enrollment.begin(email: "ada@example.com", forPasskey: true) }
        #expect(byEmail?.code == .passkeyNotTaken)
        let byPhone = await failure { try await enrollment.begin(phone: "+4930123456", forPasskey: true) }
        #expect(byPhone?.code == .passkeyNotTaken)
        world.server.setRegistration(true, byPasskey: true)
        let challenge = try await enrollment.begin(email: "ada@example.com", forPasskey: true)
        #expect(try await challenge.confirm(code: ScriptedServer.registrationCode).takesPasskey)
    }

    @Test("On a device without passkeys, the newcomer learns that before the server is asked for one")
    func noPasskeys() async throws {
        world.server.setRegistration(true, byPasskey: true)
        let newcomer = try await world.wallet().enrollment.begin(email: "ada@example.com")
            .confirm(code: ScriptedServer.registrationCode)
        let error = await failure { try await newcomer.finishWithPasskey(username: "ada") }
        #expect(error?.code == .passkeysUnavailable)
        #expect(error?.reachedServer == false)
        #expect(!world.server.requests.contains { $0.path == "/v1/registrations/passkey" })
    }

    @Test("The end by passkey whose answer was lost is repeated with the same passkey, and makes one account")
    func passkeyRepeated() async throws {
        world.server.setRegistration(true, byPasskey: true)
        let presence = ScriptedUserPresence()
        let wallet = try world.wallet(ports: world.portsWithPasskeys(presence))
        let newcomer = try await wallet.enrollment.begin(email: "ada@example.com")
            .confirm(code: ScriptedServer.registrationCode)
        world.server.inject(.loseAnswer, at: "/v1/registrations/finish")
        let error = await repeating(in: world) { try await newcomer.finishWithPasskey(username: "ada").signedIn() }
        #expect(error == nil)
        #expect(wallet.identity?.subject == "sub-ada")
        #expect(presence.reasons.count == 1)
        let ends = world.server.requests.filter { $0.path == "/v1/registrations/finish" && $0.status == 200 }
        #expect(ends.count == 2)
        #expect(Set(ends.map(\.body)).count == 1)
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
