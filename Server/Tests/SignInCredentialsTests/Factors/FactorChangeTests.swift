import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("A change of factors looks again in its write")
struct FactorChangeTests {
    private static let answers = [("first_pet", "Rex"), ("childhood_street", "Street 7"), ("first_teacher", "Miller")]

    private func setUp(reachable: Bool = true) async throws -> (server: TestServer, device: TestDevice) {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", "default", "--secret-questions", "on"])
        let account =
            try await reachable ? server.reachableAccount() : server.account { $0.email = "ada@example.com" }
        let methods = reachable ? ["pwd", "otp"] : ["pwd"]
        return (server, try await .signedIn(account, server.publicClient(), methods: methods))
    }

    @Test("attack: what was under way when the account was closed changes nothing", .threat("A stolen password"))
    func closed() async throws {
        let (server, device) = try await setUp()
        let security = server.flows.signIn.security
        _ = try await device.authenticator()
        server.clock.advance(by: .seconds(31))
        let waiting = try await device.beginAuthenticator().get()
        let path = Endpoints.authenticator.path
        let begin = try await device.call(.post, path)
        let confirm = try await device.call(.post, path)
        let remove = try await device.call(.delete, path)
        let questions = try await device.call(.put, Endpoints.secretQuestions.path)
        let password = try await device.call(.put, Endpoints.accountPassword.path)
        try await server.administer(["account", "deactivate", "ada"])

        let begun = try await security.authenticatorApps.begin(call: begin)
        #expect(begun.refusal == .accountChanged)
        let confirmed = try await security.authenticatorApps
            .confirm(OneTimeCode(device.code(of: waiting)), call: confirm)
        #expect(confirmed.refusal == .accountChanged)
        let removed = try await security.authenticatorApps.remove(call: remove)
        #expect(removed.refusal == .accountChanged)
        let choice = SecretQuestionChoice(
            answers: try Self.answers.map { .init(question: $0.0, answer: try Password($0.1)) })
        let set = try await security.secretQuestions.set(choice, call: questions)
        #expect(set.refusal == .accountChanged)
        let changed = try await security.password.change(
            PasswordChangeRequest(currentPassword: nil, newPassword: Password("thief phrase 999")), call: password)
        #expect(changed.refusal == .accountChanged)
        #expect(try await server.rows(of: "secret_questions") == 0)
    }

    @Test("attack: a recorded request makes no second change, not even after a restart of the server")
    func replay() async throws {
        let (server, device) = try await setUp()
        let presented = try device.presented(.post, Endpoints.recoveryCodes.path)
        _ = try await server.flows.signIn.security.recoveryCodes.make(call: server.flows.callers.app(presented)).get()
        let used = OAuthRefusal.invalidDPoPProof("The proof has already been used.")
        await #expect(throws: used) { try await server.flows.callers.app(presented) }
        let restarted = try await server.restarted()
        let afterwards = try await restarted.flows.signIn.security.recoveryCodes.make(
            call: restarted.flows.callers.app(presented))
        #expect(afterwards.refusal == .unauthorized(used))
    }

    @Test(
        "attack: an authenticator app that was begun while the account had nothing is not confirmed past its first factor"
    )
    func confirmedLate() async throws {
        let (server, thief) = try await setUp(reachable: false)
        let setup = try await thief.beginAuthenticator().get()
        try await server.administer(["account", "verify-email", "ada"])
        let confirmed = try await thief.confirmAuthenticator(thief.code(of: setup))
        #expect(confirmed.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
    }

    @Test("The holder is notified of every change, but not if nothing changes, and not without limit")
    func told() async throws {
        let (server, device) = try await setUp()
        let before = try await server.messages().count
        for _ in 0..<3 { try await device.setSecretQuestions([]).get() }
        #expect(try await server.messages().count == before)
        for _ in 0..<5 { _ = try await device.makeRecoveryCodes().get() }
        let sixth = try await device.makeRecoveryCodes()
        #expect(sixth.refusal == .tooManyAttempts(retryAfter: 60))
        #expect(try await server.messages().count == before + 5)
        let setup = try await device.beginAuthenticator().get()
        let replaced = try await device.confirmAuthenticator(device.code(of: setup))
        #expect(replaced.refusal == .tooManyAttempts(retryAfter: 60))
        #expect(try await server.messages().count == before + 5)
        server.clock.advance(by: .seconds(60))
        try await device.confirmAuthenticator(device.code(of: setup)).get()
        #expect(try await server.messages().count == before + 6)
    }
}
