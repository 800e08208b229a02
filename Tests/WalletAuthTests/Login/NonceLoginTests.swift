import Testing
import WalletAuth
import WalletAuthTesting

@Suite("Signing in by a login nonce")
struct NonceLoginTests {
    @Test("A nonce signs in once, and the next use of it is refused as its own call's error")
    func once() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = world.server.issueLoginNonce(for: "alice", purpose: "handover")
        try await wallet.login(nonce: nonce, purpose: "handover").signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
        let error = await failure { try await wallet.login(nonce: nonce, purpose: "handover") }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.statusCode == 401)
        #expect(error?.operation == .loginByNonce)
    }

    @Test("A nonce for something else does not sign in, and an impossible one is refused without asking the server")
    func purpose() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = world.server.issueLoginNonce(for: "alice", purpose: "handover")
        let error = await failure { try await wallet.login(nonce: nonce) }
        #expect(error?.code == .invalidCredentials)
        let sent = world.server.requests.count
        for (nonce, purpose) in [("", "login"), ("ünfit", "login"), ("fit", "two words")] {
            let error = await failure { try await wallet.login(nonce: nonce, purpose: purpose) }
            #expect(error?.code == .invalidCredentials)
        }
        #expect(world.server.requests.count == sent)
    }

    @Test("A linked device proves itself along with a nonce, and is asked for nothing more")
    func linkedDevice() async throws {
        let world = World()
        world.server.addPerson(
            "carol", password: "correct horse",
            state: .secondFactors([ScriptedServer.Factor(method: "otp", channel: "SMS", answer: "111111")]),
            subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        let wallet = try world.wallet()
        let challenge = try await wallet.login(username: "carol", password: "correct horse").secondFactor()
        try await wallet.register(mfa: challenge, answer: "111111").link.linked()
        try await wallet.logout()
        let again = try await wallet.login(nonce: world.server.issueLoginNonce(for: "carol"))
        try again.signedIn()
        let step = try #require(world.server.requests.last { $0.path == "/oauth2/authorize-challenge" })
        #expect(step.form["device_id"] != nil && step.form["device_proof"] != nil)
        // A device that is not linked is asked.
        world.keys.loseAll()
        let elsewhere = try await world.wallet().login(nonce: world.server.issueLoginNonce(for: "carol"))
        try elsewhere.secondFactor()
    }

    @Test("What blocks a password blocks a nonce as well")
    func obstacle() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(nonce: world.server.issueLoginNonce(for: "alice"))
        let verification = try outcome.emailVerification()
        try await verification.confirm(code: "123456").signedIn()
    }

    @Test("Properties and requested attributes are said in every step of a sign-in")
    func extras() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(
            username: "alice", password: "correct horse", properties: ["store": "12"],
            requestedAttributes: ["push_enabled", "locale"])
        let verification = try outcome.emailVerification()
        try await verification.confirm(code: "123456").signedIn()
        let steps = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" && $0.status != 400 }
        #expect(steps.count == 2)
        #expect(steps.allSatisfy { $0.form["properties"] == #"{"store":"12"}"# })
        #expect(steps.allSatisfy { $0.form["requested_attributes"] == "push_enabled locale" })
    }

    @Test("The key that a backend may bind a nonce to is the one that the sign-in is bound to")
    func keyThumbprint() async throws {
        let world = World()
        let wallet = try world.wallet()
        let thumbprint = try await wallet.signInKeyThumbprint()
        #expect(thumbprint?.utf8.count == 43)
        let again = try await wallet.signInKeyThumbprint()
        #expect(again == thumbprint)
    }
}
