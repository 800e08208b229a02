import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("The sign-in engine, whatever presents it", .threat("A session that is too weak or too old"))
struct SignInEngineTests {
    /// The server's engine, and the sign-in that it decides about.
    private struct Engine {
        let engine: SignInEngine
        var attempt: SignInAttempt

        var now: Timestamp { attempt.now }

        func admit(_ proof: SignInProof) async throws -> SignInProgress {
            try await engine.admit(proof, for: attempt)
        }

        func fulfill(_ answer: RequiredActionAnswer, of pending: PendingSignIn) async throws -> SignInProgress {
            try await engine.fulfill(answer, of: pending, for: attempt)
        }
    }

    private func engine(_ server: TestServer, mayAsk: Bool = true) async throws -> Engine {
        let now = server.clock.now()
        let id = try await server.publicClient().id
        let client = try #require(try await server.context.clients.find(id, now: now))
        let intent = SignInIntent(
            client: client, challenge: CodeChallenge(verifier: TestClient.verifier), scope: client.scope,
            resources: [], origin: TestServer.origin)
        let engine = server.flows.signIn.native.engine
        var attempt = SignInAttempt(checks: engine.checks, intent: intent, brand: try client.accountBrand, now: now)
        attempt.mayAsk = mayAsk
        return Engine(engine: engine, attempt: attempt)
    }

    /// An account whose address waits for its code.
    private func unverified(_ server: TestServer) async throws -> AccountRecord {
        let id = try await server.account { $0.email = "ada@example.com" }
        return try #require(try await server.record(of: id))
    }

    private func proof(
        of account: AccountRecord, at time: Timestamp, _ methods: [String] = [AuthenticationStrength.password]
    ) -> SignInProof {
        SignInProof(
            account: account.id,
            factors: SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: methods, authTime: time))
    }

    @Test("A required action comes with what a presenter shows, and its answer passes the gate again")
    func required() async throws {
        let server = try await TestServer.start()
        let account = try await unverified(server)
        let engine = try await engine(server)
        let first = try await engine.admit(proof(of: account, at: engine.now))
        guard case .required(.emailCode(let destination, let sending), let pending, after: nil) = first else {
            Issue.record("no code was asked for: \(first)")
            return
        }
        #expect(destination == "a…@example.com")
        #expect(sending?.isSent == true)
        let code = try await server.emailedCode()
        guard case .admitted = try await engine.fulfill(.emailCode(code), of: pending) else {
            Issue.record("the right code was refused")
            return
        }
    }

    @Test("attack: the answer to one required action does not pass for another")
    func otherAction() async throws {
        let server = try await TestServer.start()
        let account = try await unverified(server)
        let engine = try await engine(server)
        let factors = proof(of: account, at: engine.now).factors
        let pending = PendingSignIn(.emailCode, account: account.id, factors: factors)
        for answer in [RequiredActionAnswer.merchant, .resendFactor, .newPassword(try Password("a fresh phrase 7"))] {
            guard case .refused(.notAsked) = try await engine.fulfill(answer, of: pending) else {
                Issue.record("\(answer.need) was accepted")
                continue
            }
        }
    }

    @Test("attack: in a browser, a first factor older than ten minutes gets no required action, and no code is sent")
    func old() async throws {
        let server = try await TestServer.start()
        let account = try await unverified(server)
        let engine = try await engine(server)
        let old = proof(of: account, at: engine.now - PendingSignIn.lifetime)
        guard case .refused(.expired) = try await engine.admit(old) else {
            Issue.record("the old proof was accepted")
            return
        }
        #expect(try await !server.messages().contains { $0.kind == "email_code" })
    }

    @Test("attack: a method that proves too little for its class passes the gate only with that class")
    func methodsClass() async throws {
        let server = try await TestServer.start()
        let id = try await server.account()
        let account = try #require(try await server.record(of: id))
        let engine = try await engine(server)
        var proof = proof(of: account, at: engine.now)
        guard case .admitted = try await engine.admit(proof) else {
            Issue.record("the password alone was refused")
            return
        }
        proof.requiredACR = [AuthenticationStrength.twoFactors]
        let progress = try await engine.admit(proof)
        guard case .refused(.unmetACR) = progress else {
            Issue.record("one factor passed as two: \(progress)")
            return
        }
    }

    @Test("attack: the class of a method outlasts the steps that the sign-in waits for")
    func classInLaterSteps() async throws {
        let server = try await TestServer.start()
        let id = try await server.account()
        let account = try #require(try await server.record(of: id))
        let engine = try await engine(server)
        var proof = proof(of: account, at: engine.now)
        guard case .admitted = try await engine.fulfill(.merchant, of: PendingSignIn(.merchant, proof)) else {
            Issue.record("without a class, the step was refused")
            return
        }
        proof.requiredACR = [AuthenticationStrength.twoFactors]
        guard let waiting = SignInProof(PendingSignIn(.merchant, proof)) else {
            Issue.record("the waiting sign-in has no proof")
            return
        }
        #expect(waiting.requiredACR == proof.requiredACR)
        let progress = try await engine.fulfill(.merchant, of: PendingSignIn(.merchant, proof))
        guard case .refused(.unmetACR) = progress else {
            Issue.record("one factor passed as two after a step: \(progress)")
            return
        }
    }

    @Test("attack: an account that the request does not expect passes neither with its proof nor with a later answer")
    func unexpectedAccount() async throws {
        let server = try await TestServer.start()
        let id = try await server.account()
        let account = try #require(try await server.record(of: id))
        var engine = try await engine(server)
        let proof = proof(of: account, at: engine.now)
        let grace = try await server.account("grace")
        for expected in [grace.rawValue, "", "no id"] {
            engine.attempt.intent.expectedAccount = expected
            let attempts = [
                try await engine.admit(proof),
                try await engine.fulfill(.merchant, of: PendingSignIn(.merchant, proof)),
            ]
            for progress in attempts {
                guard case .refused(.unexpectedAccount) = progress else {
                    Issue.record("\(expected) is another account: \(progress)")
                    continue
                }
            }
        }
        engine.attempt.intent.expectedAccount = id.rawValue
        guard case .admitted = try await engine.admit(proof) else {
            Issue.record("the expected account was refused")
            return
        }
    }

    @Test("Where the person may not be asked, no code is sent")
    func noPrompt() async throws {
        let server = try await TestServer.start()
        let account = try await unverified(server)
        let engine = try await engine(server, mayAsk: false)
        guard case .refused(.interactionRequired) = try await engine.admit(proof(of: account, at: engine.now)) else {
            Issue.record("the person was asked")
            return
        }
        #expect(try await !server.messages().contains { $0.kind == "email_code" })
    }

    @Test("attack: the account PIN sets no password")
    func pin() async throws {
        let server = try await TestServer.start()
        let id = try await server.account()
        try await server.administer(["account", "expire-password", "ada"])
        let account = try #require(try await server.record(of: id))
        let engine = try await engine(server)
        let byPIN = proof(of: account, at: engine.now, [AuthenticationStrength.pin])
        guard case .refused(.passwordNeeded) = try await engine.admit(byPIN) else {
            Issue.record("the PIN may set a password")
            return
        }
        let byPassword = try await engine.admit(proof(of: account, at: engine.now))
        guard case .required(.newPassword, _, after: nil) = byPassword else {
            Issue.record("no new password was asked for: \(byPassword)")
            return
        }
    }
}
