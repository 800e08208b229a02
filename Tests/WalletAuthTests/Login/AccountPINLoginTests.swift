import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Signing in by the PIN of the account")
struct AccountPINLoginTests {
    private static let pin = "804613972558"

    private func world() -> World {
        let world = World()
        world.server.setAccountPIN(of: "alice", Self.pin)
        return world
    }

    @Test("The right PIN signs in, bound to the device's key, without a browser")
    func right() async throws {
        let world = world()
        let wallet = try world.wallet()
        try await wallet.login(username: "alice", accountPIN: Self.pin).signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(wallet.identity?.tokenType == .dpop)
        #expect(world.userAgent.presented.isEmpty)
        let step = try #require(world.server.requests.last { $0.path == "/oauth2/authorize-challenge" })
        #expect(step.form["login_method"] == "account_pin")
        #expect(step.form["account_pin"] == Self.pin)
        #expect(step.form["password"] == nil)
    }

    @Test("A wrong PIN, no PIN, an unknown name and what cannot be either are one error; five wrong ones lock the PIN")
    func wrong() async throws {
        let wallet = try world().wallet()
        for (name, pin) in [("bob", Self.pin), ("nobody", Self.pin), ("", Self.pin), ("alice", "")] {
            let error = await failure { try await wallet.login(username: name, accountPIN: pin) }
            #expect(error?.code == .invalidCredentials)
            #expect(error?.statusCode == 401)
            #expect(error?.operation == .loginByAccountPIN)
        }
        for _ in 0..<5 {
            let error = await failure { try await wallet.login(username: "alice", accountPIN: "170395826641") }
            #expect(error?.code == .invalidCredentials)
        }
        let locked = await failure { try await wallet.login(username: "alice", accountPIN: Self.pin) }
        #expect(locked?.code == .invalidCredentials)
        #expect(!wallet.isLoggedIn)
        try await wallet.login(username: "alice", password: "correct horse").signedIn()
    }

    @Test("A brand that takes no PIN is reported by its own code, with a sentence for the person")
    func notOffered() async throws {
        let wallet = try World().wallet()
        let error = await failure { try await wallet.login(username: "alice", accountPIN: Self.pin) }
        let refused = try #require(error)
        #expect(refused.code == .loginStrategyUnavailable)
        #expect(refused.outcome == .refused)
        #expect(UserErrorMessages.builtIn.text(for: refused, languages: ["en"])?.contains("password") == true)
    }

    @Test("A password that must be changed takes the password: the PIN leads to an error and to no new password")
    func expiredPassword() async throws {
        let world = world()
        world.server.setState(of: "alice", .passwordChangeRequired)
        let wallet = try world.wallet()
        let error = await failure { try await wallet.login(username: "alice", accountPIN: Self.pin) }
        #expect(error?.code == .passwordChangeRequired)
        #expect(error?.statusCode == 508)
        let change = try await wallet.login(username: "alice", password: "correct horse").passwordChange()
        try await change.choose(newPassword: "a better horse").signedIn()
    }

    @Test("A linked device proves its key with the PIN, and is asked for nothing more")
    func linkedDevice() async throws {
        let world = World()
        world.server.addPerson(
            "carol", password: "correct horse",
            state: .secondFactors([ScriptedServer.Factor(method: "otp", channel: "SMS", answer: "111111")]),
            subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        world.server.setAccountPIN(of: "carol", Self.pin)
        let wallet = try world.wallet()
        let challenge = try await wallet.login(username: "carol", accountPIN: Self.pin).secondFactor()
        try await wallet.register(mfa: challenge, answer: "111111").link.linked()
        try await wallet.logout()
        try await wallet.login(username: "carol", accountPIN: Self.pin).signedIn()
        let step = try #require(world.server.requests.last { $0.path == "/oauth2/authorize-challenge" })
        #expect(step.form["device_id"] != nil && step.form["device_proof"] != nil)
    }
}
