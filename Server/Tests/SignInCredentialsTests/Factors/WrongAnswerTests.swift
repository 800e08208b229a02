import FlowSupport
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite(
    "Wrong answers after the right password", .threat("A stolen password"),
    .covers("input that cannot be a code costs a try"))
struct WrongAnswerTests {
    private func events(_ kind: String, on server: TestServer) async throws -> Int64 {
        try await server.context.database.read {
            let row = try $0.row("SELECT COUNT(*) AS number FROM security_events WHERE kind = $1", [.text(kind)])
            return try row?.integer("number") ?? 0
        }
    }

    @Test(
        "attack: the last wrong one is recorded and the holder notified, once for a blocked sign-in; recovery codes still work"
    )
    func told() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let device = try await TestDevice.signedIn(account, client)
        let codes = try await device.makeRecoveryCodes().get().codes
        let app = TestApp(client: client)
        var asked = try await app.signIn().asked()
        let wrong = try await server.wrongCode()
        for _ in 0..<5 {
            let told = try await server.messages().contains { $0.kind == "second_factor_failed" }
            #expect(!told)
            let outcome = try await app.answer(wrong, to: asked)
            #expect(outcome.errorCode == "invalid_credentials")
            if let session = outcome.refusal?.session { asked = AskedFactor(session: session, prompt: asked.prompt) }
        }
        #expect(try await server.messages().count { $0.kind == "second_factor_failed" } == 1)
        #expect(try await events("factor.failed", on: server) == 1)
        #expect(try await events("factor.mismatched", on: server) == 4)

        let held = try await app.signIn().asked()
        for _ in 0..<3 {
            let outcome = try await app.answer(wrong, to: held)
            #expect(outcome.refusal?.status == 429)
            #expect(outcome.refusal?.explanation(of: .password) == "Too many wrong codes.")
        }
        #expect(try await events("factor.held", on: server) == 1)
        // Knowing the password blocks the codes, and not the way in that cannot be guessed.
        _ = try await NativeSignInOutcome.authorizedOrRefused(app: app, code: codes[0].reveal(), first: held).code()
    }

    @Test("account explain counts wrong codes from the first on, until a right one")
    func counted() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        let asked = try await app.signIn().asked()
        let wrong = try await server.wrongCode()
        for _ in 0..<3 { #expect(try await app.answer(wrong, to: asked).errorCode == "invalid_credentials") }
        let explained = try await server.administer(["account", "explain", "ada"])
        #expect(explained["failures"]?.object?["codes"]?.object?["count"]?.integer == 3)
        #expect(explained["verdict"]?.string?.hasSuffix("; since the last right one: 3 wrong codes.") == true)
        _ = try await app.answer(try await server.sentCode(), to: asked).code()
        #expect(try await server.administer(["account", "explain", "ada"])["failures"]?.object?["codes"] == nil)
    }

    @Test("A wrong code is found by the id of its request")
    func request() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        let asked = try await app.signIn().asked()
        let wrong = try await server.wrongCode()
        for reason in [
            "the answer to the second factor was wrong", "2 answers to the second factor in a row were wrong",
        ] {
            #expect(try await app.answer(wrong, to: asked).errorCode == "invalid_credentials")
            let explained = await server.flows.administration.execute(
                ["account", "explain", "--request", TestServer.origin.traceID])
            let line = try #require(explained.lines.first)
            #expect(line.hasSuffix(": the first factor or the code of a recovery was right, \(reason)."), "\(line)")
        }
        let refusals = try await server.administer(["account", "explain", "ada"])["refusals"]?.array ?? []
        #expect(refusals.map { $0.object?["kind"]?.string } == ["factor.mismatched", "factor.mismatched"])
    }

    @Test("attack: thousands of wrong codes in a row write a few entries")
    func flood() {
        #expect((1...5000).filter { FactorAnswers.isRecorded($0) }.count == 5 + 10)
    }

    @Test(
        "Text that cannot be a code costs no try, whichever factor is asked for",
        arguments: ["12ab", "12345", "1234567"])
    func impossibleCode(typed: String) async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let device = try await TestDevice.signedIn(account, client)
        let codes = try await device.makeRecoveryCodes().get().codes
        let app = TestApp(client: client)
        let asked = try await app.signIn().asked()
        for _ in 0..<6 {
            let refused = try #require(try await app.answer(typed, to: asked).refusal)
            #expect(refused.errorCode == "invalid_credentials")
            #expect(refused.session != nil)
        }
        let chosen = try await app.proceed(asked.session, .chooseFactor(.recoveryCode)).asked()
        for _ in 0..<6 {
            #expect(try await app.answer(typed, to: chosen).errorCode == "invalid_credentials")
        }
        _ = try await app.answer(codes[0].reveal(), to: chosen).code()
        #expect(try await events("factor.failed", on: server) == 0)
    }
}
