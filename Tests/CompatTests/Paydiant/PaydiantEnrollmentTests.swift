import Foundation
import PaydiantCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@MainActor
@Suite("A newcomer under Paydiant's names", .covers("PDUserEnrollmentCoordinator"))
struct PaydiantEnrollmentTests {
    private let world: PaydiantWorld
    private let coordinator: PDUserEnrollmentCoordinator
    private let user = PDUser()

    init() throws {
        world = try PaydiantWorld()
        coordinator = PDUserEnrollmentCoordinator(world.service)
        world.server.setRegistration(true)
        user.emailAddress = "ada@example.com"
        user.password = "a good long secret"
    }

    /// What an enrollment's first call led to.
    @MainActor
    private final class Result {
        var token: PDEnrollmentToken?
        var error: PDPaydiantError?
    }

    private func create(_ user: PDUser? = nil) async -> Result {
        let result = Result()
        coordinator.createUser(user ?? self.user, completion: { result.token = $0 }, failure: { result.error = $0 })
        await world.service.waitForAll()
        return result
    }

    /// The error; nil after a success.
    private func confirm(_ token: PDEnrollmentToken, code: String? = nil) async -> PDPaydiantError? {
        if let code { token.code = code }
        let error: PDPaydiantError? = await withCheckedContinuation { continuation in
            coordinator.confirmUser(
                user, token: token, completion: { continuation.resume(returning: nil) },
                failure: { continuation.resume(returning: $0) })
        }
        #expect(error == nil || error?.domain == kUserErrorCreateUserDomain)
        return error
    }

    @Test("A newcomer proves an address after a wrong code, tries another name, and is signed in")
    func newcomer() async throws {
        let token = try #require(await create().token)
        #expect(token.digits == 8)
        #expect(token.wasSent)
        let wrong = await confirm(token, code: "11111111")
        #expect(wrong?.code == 400)
        #expect(wrong?.walletError.code == .invalidCode)
        user.username = "alice"
        let taken = await confirm(token, code: ScriptedServer.registrationCode)
        #expect(taken?.code == 409)
        #expect(taken?.walletError.code == .usernameTaken)
        var fault = OAuthError(.insufficientAuthorization, errorCode: .passwordChangeRequired).json
        fault.set("password_fault", "too_common")
        world.answer(Endpoints.registrationFinish.path, 403, fault)
        user.username = nil
        let common = await confirm(token)
        #expect(common?.code == 508)
        #expect(common?.walletError.code == "password_too_common")
        #expect(await confirm(token) == nil)
        #expect(world.service.wallet.identity?.subject == "sub-ada@example.com")
        #expect(await confirm(token) == nil, "after a lost answer")
    }

    @Test("A phone number works too; both or neither are refused before anything is sent")
    func address() async throws {
        user.phoneNumber = "+4930123456"
        #expect(await create().error?.code == 400)
        user.emailAddress = nil
        let sent = world.server.requests.count
        #expect(await create(PDUser()).error?.code == 400)
        #expect(world.server.requests.count == sent)
        let token = try #require(await create().token)
        #expect(await confirm(token, code: ScriptedServer.registrationCode) == nil)
        #expect(world.service.wallet.identity?.subject == "sub-+4930123456")
    }

    @Test("403 where newcomers are not taken, 400 for an ended verification and for a token of the app's own")
    func numbers() async throws {
        world.server.setRegistration(false)
        let off = await create()
        #expect(off.error?.code == 403)
        #expect(off.error?.walletError.code == .registrationOff)
        world.server.setRegistration(true)
        let token = try #require(await create().token)
        world.answer(
            Endpoints.registrationConfirmation.path, Problem(status: 400, code: "invalid_session", title: "Refused"))
        let ended = await confirm(token, code: ScriptedServer.registrationCode)
        #expect(ended?.code == 400)
        #expect(ended?.walletError.code == .invalidSession)
        let foreign = await confirm(PDEnrollmentToken(), code: ScriptedServer.registrationCode)
        #expect(foreign?.code == 400)
        #expect(foreign?.reason.contains("createUser") == true)
        let next = try #require(await create().token)
        #expect(await confirm(next, code: ScriptedServer.registrationCode) == nil)
    }

    @Test("Called again for the same address it sends another code, and results arrive in the order of the calls")
    func again() async throws {
        var steps: [String] = []
        var tokens: [PDEnrollmentToken] = []
        world.server.inject(.delay(.seconds(5)), at: Endpoints.registrations.path)
        for number in 1...2 {
            coordinator.createUser(
                user,
                completion: {
                    steps.append("token \(number)")
                    tokens.append($0)
                }, failure: { steps.append("\($0)") })
        }
        world.coordinator.logout()
        steps.append("called")
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(5))
        await world.service.waitForAll()
        #expect(steps == ["called", "token 1", "token 2"])
        #expect(world.delegate.events == ["failed 403"])
        #expect(world.server.requests.filter { $0.path == Endpoints.registrations.path }.count == 2)
        let token = try #require(tokens.last)
        #expect(await confirm(token, code: ScriptedServer.registrationCode) == nil)
    }

    /// The number of attempts in which an address was sent a code. Another code is sent in the same attempt.
    private func attempts(of email: String) throws -> Int {
        let seen = world.server.requests.filter { $0.path == Endpoints.registrations.path }
        let sent = try seen.map { try RegistrationRequest(JSONValue.object(parsing: Array($0.body))) }
        return Set(sent.filter { $0.email?.rawValue == email }.map(\.codeChallenge)).count
    }

    @Test("Confirming an older token leaves the registration of another address alone")
    func others() async throws {
        let first = try #require(await create().token)
        user.emailAddress = "grace@example.com"
        _ = try #require(await create().token)
        world.answer(
            Endpoints.registrationConfirmation.path, Problem(status: 400, code: "invalid_session", title: "Refused"))
        let ended = await confirm(first, code: ScriptedServer.registrationCode)
        #expect(ended?.walletError.code == .invalidSession)
        let second = try #require(await create().token)
        #expect(try attempts(of: "grace@example.com") == 1)
        user.emailAddress = "alan@example.com"
        _ = try #require(await create().token)
        user.emailAddress = "grace@example.com"
        #expect(await confirm(second, code: ScriptedServer.registrationCode) == nil)
        user.emailAddress = "alan@example.com"
        _ = try #require(await create().token)
        #expect(try attempts(of: "alan@example.com") == 1)
    }

    @Test("The secret questions are those of a signed-in person; without a session they are 401")
    func questions() async throws {
        var error: PDPaydiantError?
        var response: PDRetrieveMFAQuestionsWithMetadataResponse?
        func retrieve() async {
            coordinator.retrieveMfaQuestionsWithMetadata(completion: { response = $0 }, failure: { error = $0 })
            await world.service.waitForAll()
        }
        await retrieve()
        #expect(error?.code == 401)
        #expect(error?.domain == kUserErrorRetrieveMfaQuestionsWithMetadataDomain)
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        let off = Problem(status: 409, code: "secret_questions_off", title: "Refused")
        world.answer(Endpoints.secretQuestions.path, off)
        await retrieve()
        #expect(error?.code == 409)
        let catalog = SecretQuestionCatalog(
            questions: [.init(id: "pet", text: "What was your first pet's name?", isChosen: false)], least: 1, most: 3)
        world.answer(Endpoints.secretQuestions.path, 200, catalog.json)
        await retrieve()
        #expect(response?.mfaQuestions.map(\.key) == ["pet"])
        #expect(response?.mfaQuestions.first?.question == "What was your first pet's name?")
        #expect(response?.minimumQuestions == 1)
        #expect(response?.maximumQuestions == 3)
    }

    @Test("No dump shows the password or the code")
    func redacted() {
        let token = PDEnrollmentToken()
        token.code = "87654321"
        for value in [user, token] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", dumped] {
                #expect(!text.contains("a good long secret") && !text.contains("87654321"))
            }
        }
    }
}
