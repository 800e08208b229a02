import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Second factors and linking a device", .covers(".mfaRequired, registerWithMFA"))
struct SecondFactorTests {
    private static let factors = [
        ScriptedServer.Factor(method: "otp", channel: "EMAIL", answer: "111111"),
        ScriptedServer.Factor(method: "otp", channel: "SMS", answer: "222222"),
        ScriptedServer.Factor(method: "totp", answer: "333333"),
    ]

    /// A world in which carol has three second factors.
    private func world(subject: String? = "6ba7b810-9dad-41d1-80b4-00c04fd430c8") -> World {
        let world = World()
        world.server.addPerson(
            "carol", password: "correct horse", state: .secondFactors(Self.factors), subject: subject)
        return world
    }

    private func challenge(_ wallet: Wallet) async throws -> MFAChallenge {
        let outcome = try await wallet.login(username: "carol", password: "correct horse")
        #expect(outcome.statusCode == 412)
        return try outcome.secondFactor()
    }

    @Test("The alternatives are listed, and may be chosen; a wrong answer leaves the sign-in open")
    func choose() async throws {
        let world = world()
        let wallet = try world.wallet()
        let first = try await challenge(wallet)
        #expect(first.channel == "EMAIL")
        #expect(first.resendAfter == .seconds(30))
        #expect(first.alternatives.map(\.channel) == ["SMS", nil])
        let second = try await first.choose(first.alternatives[0]).secondFactor()
        #expect(second.channel == "SMS")
        let again = try await second.resend().secondFactor()
        let error = await failure { try await again.answer("111111") }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.operation == .loginByUsernamePassword)
        // The person reads of the code, and not of a password that was right.
        #expect(error?.concernsAnswer == true)
        let words = error.flatMap { UserErrorMessages.builtIn.text(for: $0, languages: ["en"]) }
        #expect(words?.contains("code") == true && words?.contains("password") == false, "\(words ?? "")")
        try await again.answer("222222").signedIn()
        #expect(wallet.isLoggedIn)
    }

    @Test("The factors of a sign-in have the ways of a payment's consent, and may be chosen by them")
    func waysOfConsent() async throws {
        let world = World()
        let question = ScriptedServer.Factor(method: "secret_question", question: "Whose?", answer: "hers")
        world.server.addPerson(
            "carol", password: "correct horse", state: .secondFactors(Self.factors + [question]))
        let wallet = try world.wallet()
        let first = try await challenge(wallet)
        #expect(first.verification == .email)
        #expect(first.availableVerifications.map(\.verification) == [.email, .sms, .authenticator])
        #expect(first.availableVerifications.first?.destination == first.destination)
        #expect(first.alternatives.map(\.verification) == [.sms, .authenticator, nil])
        let error = await failure { try await first.choose(verification: .devicePIN) }
        #expect(error?.code == .verificationUnavailable)
        let second = try await first.choose(verification: .authenticator).secondFactor()
        #expect(second.verification == .authenticator)
        try await second.answer("333333").signedIn()
    }

    @Test("A sign-in that a second factor completes has the session revoked that it replaces")
    func replacedSession() async throws {
        let world = world()
        let wallet = try await world.signedIn()
        let challenge = try await challenge(wallet)
        try await challenge.answer("111111").signedIn()
        try await eventually("the replaced session to be revoked") {
            world.server.sessions.first?.endedBecause == .revoked
        }
        #expect(world.living.count == 1)
    }

    @Test("Answering links this device, and the next sign-in from it asks for nothing, even after signing out")
    func register() async throws {
        let world = world()
        var configuration = world.configuration()
        configuration.deviceName = "Carol's phone"
        let wallet = try Wallet(configuration: configuration)
        let registration = try await wallet.register(mfa: challenge(wallet), answer: "111111")
        try registration.login.signedIn()
        let device = try registration.link.linked()
        #expect(device.name.rawValue == "Carol's phone")
        _ = try await wallet.logout()
        try await wallet.login(username: "carol", password: "correct horse").signedIn()
    }

    @Test("A wrong answer is an error of the sign-in that was begun, and links nothing")
    func wrongAnswer() async throws {
        let world = world()
        let wallet = try world.wallet()
        let challenge = try await challenge(wallet)
        let error = await failure { try await wallet.register(mfa: challenge, answer: "999999") }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.operation == .loginByUsernamePassword)
        #expect(error?.statusCode == 401)
        #expect(wallet.diagnostics.events.map { $0.result } == ["invalid_credentials"])
        #expect(!world.server.requests.contains { $0.path == "/v1/devices" })
        try await wallet.register(mfa: challenge, answer: "111111").link.linked()
    }

    @Test("A device that cannot be linked leaves the person signed in, and says why")
    func failingLink() async throws {
        let world = world(subject: "no-uuid")
        let wallet = try world.wallet()
        let registration = try await wallet.register(mfa: challenge(wallet), answer: "111111")
        try registration.login.signedIn()
        guard case .failed(let error) = registration.link else {
            Issue.record("expected the link to fail, got \(registration.link)")
            return
        }
        #expect(error.operation == .enrollDevice)
        #expect(wallet.isLoggedIn)
    }

    @Test("Two enrollments of this device at once leave one device with one key")
    func enrolledTwice() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        world.server.inject(.delay(.seconds(1)), at: Endpoints.devices.path)
        let first = Task { try await wallet.devices.enroll(name: "Phone") }
        await world.clock.waitForSleepers()
        let second = try await wallet.devices.enroll(name: "Phone")
        world.clock.advance(by: .seconds(1))
        let replacing = try await first.value
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [replacing.id])
        #expect(world.keys.names.count { $0.name.hasSuffix(".device") } == 1)
        #expect(world.server.requests.contains { $0.method == "DELETE" && $0.path.hasSuffix(second.id.rawValue) })
    }

    /// A world in which the subject of alice is an account's.
    private func worldOfAccount() -> World {
        let world = World()
        world.server.addPerson(
            "alice", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        return world
    }

    @Test("The account's user name is listed as it was typed, also by a later start")
    func typedUsername() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        try await wallet.devices.enroll(name: "Phone", username: "Alice")
        #expect(try await wallet.accounts.map(\.username) == ["Alice"])
        #expect(try await world.wallet().accounts.map(\.username) == ["Alice"])
    }

    @Test("An enrollment is carried through although its task is cancelled, and this device knows what the server does")
    func cancelledEnrollment() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        world.server.inject(.delay(.seconds(1)), at: Endpoints.devices.path)
        let enrollment = Task { try await wallet.devices.enroll(name: "Phone") }
        await world.clock.waitForSleepers()
        enrollment.cancel()
        world.clock.advance(by: .seconds(1))
        let device = try await enrollment.value
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
    }

    @Test("An enrollment that cannot be stored leaves no key here, and the person signed in")
    func unstoredEnrollment() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        world.server.inject(.delay(.seconds(1)), at: Endpoints.devices.path)
        let enrollment = Task { await failure { try await wallet.devices.enroll(name: "Phone") } }
        await world.clock.waitForSleepers()
        world.store.condition = .full
        world.clock.advance(by: .seconds(1))
        let error = await enrollment.value
        #expect(error?.outcome == .storeUnavailable(.full))
        #expect(!world.server.requests.contains { $0.method == "DELETE" })
        #expect(!world.keys.names.contains { $0.name.hasSuffix(".device") })
        let accounts = try await wallet.accounts
        #expect(accounts.isEmpty)
        world.store.condition = .working
        try await wallet.refresh()
        #expect(wallet.isLoggedIn)
    }

    @Test("A wallet that was not set up enrolls this device with the stored session, or says why there is none")
    func enrolledBeforeSetUp() async throws {
        let world = worldOfAccount()
        _ = try await world.signedIn()
        let wallet = try world.wallet()
        let device = try await wallet.devices.enroll(name: "Phone")
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
        try await wallet.logout()
        let next = try world.wallet()
        let error = await failure { try await next.devices.enroll(name: "Phone") }
        #expect(error?.outcome == .signedOut(.loggedOut))
        #expect(error?.operation == .enrollDevice)
    }

    @Test("An app that links no devices answers, and that is all")
    func withoutLink() async throws {
        let world = world()
        var configuration = world.configuration()
        configuration.linksDevice = false
        let wallet = try Wallet(configuration: configuration)
        let registration = try await wallet.register(mfa: challenge(wallet), answer: "111111")
        try registration.login.signedIn()
        guard case .notWanted = registration.link else {
            Issue.record("expected no link, got \(registration.link)")
            return
        }
        #expect(!world.server.requests.contains { $0.path == "/v1/devices" })
    }

    @Test("A sign-in of two factors is asked for by its class")
    func strength() async throws {
        let world = World()
        let wallet = try world.wallet()
        _ = try await wallet.login(username: "alice", password: "correct horse", strength: .twoFactors)
        _ = try await wallet.login(username: "alice", password: "correct horse")
        let sent = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" && $0.status == 200 }
        #expect(sent.map { $0.form["acr_values"] } == ["urn:wallet-auth:acr:2fa", nil])
    }
}
