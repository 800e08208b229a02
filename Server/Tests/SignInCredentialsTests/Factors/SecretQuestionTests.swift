import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Secret questions")
struct SecretQuestionTests {
    private static let answers = [
        ("first_pet", "Rex"), ("childhood_street", "Große Straße 7"), ("first_teacher", "Frau  Müller"),
    ]

    /// A server whose brand takes questions, and a person who answered three.
    private func setUp(reachable: Bool = false) async throws -> (server: TestServer, device: TestDevice) {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", "default", "--secret-questions", "on"])
        let account = try await reachable ? server.reachableAccount() : server.account()
        let device = try await TestDevice.signedIn(
            account, server.publicClient(), methods: reachable ? ["pwd", "otp"] : ["pwd"])
        try await device.setSecretQuestions(Self.answers).get()
        return (server, device)
    }

    private func answer(to question: String?) -> String? {
        Self.answers.first { SecretQuestion(rawValue: $0.0)?.text(in: .english) == question }?.1
    }

    @Test("They are off unless an operator turns them on: none is shown, set or asked")
    func off() async throws {
        let (server, device) = try await setUp()
        try await server.administer(["brand", "update", "default", "--secret-questions", "off"])
        let catalog = try await device.secretQuestions()
        #expect(catalog.refusal == .questionsOff)
        let set = try await device.setSecretQuestions(Self.answers)
        #expect(set.refusal == .questionsOff)
        _ = try await TestApp(client: device.app.client).signIn().code()
    }

    @Test("The right answer opens the door, tells the holder, and raises nothing: it links and enrolls no device")
    func rightAnswer() async throws {
        let (server, device) = try await setUp(reachable: true)
        let app = TestApp(client: device.app.client)
        let first = try await app.signIn().asked()
        let asked = try await app.proceed(first.session, .chooseFactor(.secretQuestion)).asked()
        #expect(asked.prompt.method == "secret_question")
        let right = try #require(answer(to: asked.prompt.question))
        let code = try await app.answer(right, to: asked).code()
        let tokens = try await app.redeem(code).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        #expect(claims.amr == ["pwd", "kba"])
        #expect(try await server.messages().contains { $0.kind == "new_device" })
        let account = try #require(try await server.accountID())
        let phone = TestDevice(app: app, tokens: tokens)
        let enrolled = try await phone.enroll(phone.enrollment(account, over: phone.challenge()))
        #expect(enrolled.refusal == .strongerSignIn(maximumAge: 300))
        #expect(try await app.signIn().errorCode == "mfa_required")
    }

    @Test("Case, composed letters and spaces count for nothing", arguments: ["rEX", " Rex ", "ＲＥＸ"])
    func forgiving(typed: String) async throws {
        #expect(SecretAnswer.normalized(typed) == "rex")
        #expect(SecretAnswer.normalized("GROSSE   strasse 7") == SecretAnswer.normalized("Große Straße 7"))
        #expect(SecretAnswer.normalized("Mu\u{308}ller") == SecretAnswer.normalized("MÜLLER"))
        #expect(SecretAnswer.normalized("Rex") != SecretAnswer.normalized("R ex"))
    }

    @Test("One question sticks until it is answered, however often a sign-in is begun (waiting for an easier one)")
    func sticks() async throws {
        let (server, device) = try await setUp()
        var asked: Set<String?> = []
        for _ in 0..<10 {
            asked.insert(try await TestApp(client: device.app.client).signIn().asked().prompt.question)
        }
        #expect(asked.count == 1)
        let app = TestApp(client: device.app.client)
        let prompt = try await app.signIn().asked()
        _ = try await app.answer(try #require(answer(to: prompt.prompt.question)), to: prompt).code()
        let sticking = try await server.context.database.read {
            try $0.row("SELECT COUNT(*) AS number FROM secret_questions WHERE asked = 1", [])?.integer("number")
        }
        #expect(sticking == 0)
    }

    @Test("Five wrong answers over several sign-ins are compared, and answering a question brings no tries for codes")
    func guesses() async throws {
        let (server, device) = try await setUp(reachable: true)
        let client = device.app.client
        // Four wrong codes and then a right answer: were both counted together, the codes' count would start over.
        for _ in 0..<4 {
            let app = TestApp(client: client)
            let asked = try await app.signIn().asked()
            #expect(try await app.answer(server.wrongCode(), to: asked).errorCode == "invalid_credentials")
        }
        let app = TestApp(client: client)
        let first = try await app.signIn().asked()
        let asked = try await app.proceed(first.session, .chooseFactor(.secretQuestion)).asked()
        _ = try await app.answer(try #require(answer(to: asked.prompt.question)), to: asked).code()
        let fifth = TestApp(client: client)
        let last = try await fifth.signIn().asked()
        let wrong = try await server.wrongCode()
        #expect(try await fifth.answer(wrong, to: last).errorCode == "invalid_credentials")
        let found = try await fifth.answer(wrong, to: last)
        guard case .refused(.tooManyWrongCodes) = found else {
            Issue.record("an answer washed the guesses at codes away: \(String(describing: found))")
            return
        }
        for number in 1...6 {
            let app = TestApp(client: client)
            let first = try await app.signIn().asked()
            let asked = try await app.proceed(first.session, .chooseFactor(.secretQuestion)).asked()
            let before = server.context.passwords.hashesComputed
            let outcome = try await app.answer("a wrong answer", to: asked)
            #expect(server.context.passwords.hashesComputed - before == (number <= 5 ? 1 : 0))
            if number == 6, case .refused(.tooManyWrongCodes) = outcome {} else { #expect(number < 6) }
        }
    }

    @Test(
        "Too few, doubled, unknown, empty and equal answers are refused",
        arguments: [
            [("first_pet", "Rex"), ("first_teacher", "Ann")],
            [("first_pet", "Rex"), ("first_pet", "Max"), ("first_teacher", "Ann")],
            [("first_pet", "Rex"), ("mother_maiden_name", "Max"), ("first_teacher", "Ann")],
            [("first_pet", "  "), ("childhood_street", "Max"), ("first_teacher", "Ann")],
            [("first_pet", "Rex"), ("childhood_street", "rex "), ("first_teacher", "Ann")],
        ])
    func unacceptable(answers: [(String, String)]) async throws {
        let (_, device) = try await setUp(reachable: true)
        let outcome = try await device.setSecretQuestions(answers)
        #expect(outcome.refusal == .unacceptableAnswers)
    }

    @Test("They are asked in the person's language, and taken away by setting none")
    func languages() async throws {
        let (server, device) = try await setUp(reachable: true)
        for language in Language.allCases {
            let texts = SecretQuestion.allCases.map { $0.text(in: language) }
            #expect(Set(texts).count == SecretQuestion.allCases.count)
        }
        #expect(Language.choose(["pt", "de-AT", "en"]) == .german)
        let catalog = try await device.secretQuestions().get()
        #expect(catalog.questions.count { $0.isChosen } == 3)
        try await device.setSecretQuestions([]).get()
        let left = try await server.rows(of: "secret_questions")
        #expect(left == 0)
    }
}
