import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Passkeys in the app", .covers("passkeys in apps' own screens"))
struct PasskeyTests {
    private let world = World()
    private let presence = ScriptedUserPresence()

    /// A wallet in which alice is signed in and has a passkey on this device.
    private func walletWithPasskey() async throws -> Wallet {
        let wallet = try await world.signedIn(ports: world.portsWithPasskeys(presence))
        try await wallet.passkeys.register(name: "Phone")
        return wallet
    }

    @Test("A passkey is added on the device, named, and signs in without a user name")
    func registered() async throws {
        let wallet = try await world.signedIn(ports: world.portsWithPasskeys(presence))
        let passkey = try await wallet.passkeys.register(name: "Phone")
        #expect(passkey.name == "Phone")
        try await wallet.logout()
        try await wallet.passkeys.signIn().signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(world.userAgent.presented.count == 1, "only the first sign-in had a browser")
        #expect(presence.reasons.count == 2)
    }

    @Test("A named person's passkey is used and no other; another's is not even offered")
    func named() async throws {
        let wallet = try await walletWithPasskey()
        try await wallet.logout()
        let asked = presence.reasons.count
        let error = await failure { try await wallet.passkeys.signIn(username: "bob") }
        #expect(error?.code == .cancelledByPerson)
        #expect(error?.operation == .loginByPasskey)
        #expect(error?.reason.hasPrefix("this device has no passkey") == true, "\(String(describing: error))")
        #expect(presence.reasons.count == asked)
        #expect(!wallet.isLoggedIn)
        try await wallet.passkeys.signIn(username: "ALICE").signedIn()
    }

    @Test("The server refuses a passkey of another account than the named one")
    func ofAnother() async throws {
        let wallet = try await walletWithPasskey()
        try await wallet.logout()
        // An address says nothing about the passkey, so the person is asked.
        let error = await failure { try await wallet.passkeys.signIn(username: "bob@example.com") }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.operation == .loginByPasskey)
        #expect(!wallet.isLoggedIn)
    }

    @Test("A removed passkey signs in no more")
    func removed() async throws {
        let wallet = try await world.signedIn(ports: world.portsWithPasskeys(presence))
        let passkey = try await wallet.passkeys.register()
        try await wallet.passkeys.remove(passkey.id)
        let again = await failure { try await wallet.passkeys.remove(passkey.id) }
        #expect(again?.code == .factorNotFound)
        try await wallet.logout()
        let error = await failure { try await wallet.passkeys.signIn() }
        #expect(error?.code == .invalidCredentials)
    }

    @Test("A passkey is the second factor where the server offers it, in place of the code that it asked for first")
    func secondFactor() async throws {
        let wallet = try await walletWithPasskey()
        try await wallet.logout()
        world.server.setState(
            of: "alice",
            .secondFactors([
                .init(method: "totp", answer: "123456"), .init(method: "passkey", answer: ""),
            ]))
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let challenge = try outcome.secondFactor()
        #expect(challenge.method == "totp")
        #expect(challenge.takesPasskey)
        try await challenge.answerWithPasskey().signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
    }

    @Test("A person who declines is reported as such, and the server hears of nothing")
    func declined() async throws {
        let wallet = try await walletWithPasskey()
        try await wallet.logout()
        presence.failure = .refused
        let before = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" }.count
        let error = await failure { try await wallet.passkeys.signIn() }
        #expect(error?.code == .cancelledByPerson)
        #expect(world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" }.count == before)
    }

    @Test("Without a passkey on the device, or a device for them, the person is not asked")
    func none() async throws {
        let wallet = try world.wallet(ports: world.portsWithPasskeys(presence))
        #expect(await failure { try await wallet.passkeys.signIn() }?.code == .cancelledByPerson)
        #expect(presence.reasons.isEmpty)
        let bare = try world.wallet()
        #expect(await failure { try await bare.passkeys.signIn() }?.code == .passkeysUnavailable)
    }

    @Test("The registration whose answer was lost is repeated with the same passkey")
    func repeated() async throws {
        let wallet = try await world.signedIn(ports: world.portsWithPasskeys(presence))
        world.server.inject(.loseRequest, at: Endpoints.accountPasskeys.path)
        let error = await repeating(in: world) { try await wallet.passkeys.register() }
        #expect(error == nil)
        #expect(presence.reasons.count == 1)
        let sent = world.server.requests.filter { $0.path == Endpoints.accountPasskeys.path }
        #expect(sent.count == 1)
    }
}
