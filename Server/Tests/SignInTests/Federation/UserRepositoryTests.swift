import Crypto
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Store

@Suite("The issuer's own user repository")
struct UserRepositoryTests {
    private struct Setting {
        let repository: TestProvider
        let server: TestServer
        let app: TestApp

        func signIn(
            _ username: String = "Ada", _ password: String = "right", on other: TestApp? = nil
        ) async throws -> NativeSignInOutcome {
            try await (other ?? app).step(
                .begin(
                    .federatedIdentity(
                        FederatedLogin(
                            provider: ProviderID("members"),
                            credential: .password(username: username, try Password(password))))))
        }
    }

    private func setUp() async throws -> Setting {
        let repository = TestProvider(issuer: "https://members.example.com")
        repository.answerPassword { question in
            var answer = JSONObject()
            answer["requestId"] = question["requestId"]
            let isRight = question["username"] == "Ada" && question["password"] == "right"
            answer["verified"] = .bool(isRight)
            if isRight { answer.set("subject", "member-17") }
            return answer
        }
        let server = try await TestServer.start(providers: repository.http)
        try await server.administer(
            ["provider", "add", "repository", "members", "--endpoint", "https://members.example.com/verify"])
        // It was looked at when it was added.
        repository.forgetRequests()
        return Setting(
            repository: repository, server: server, app: TestApp(client: try await server.publicClient()))
    }

    @Test("The right password signs in by one factor; a wrong one is a wrong credential")
    func verifies() async throws {
        let setting = try await setUp()
        let tokens = try await setting.app
            .redeem(setting.app.createAccount(setting.signIn().guest()).code()).tokens()
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.amr == ["fed"])
        _ = try await setting.signIn().code()
        let wrong = try await setting.signIn("Ada", "wrong")
        #expect(wrong.errorCode == "invalid_credentials")
        #expect(wrong.refusal?.status == 401)
    }

    @Test("The question is signed by the published key, over its body, for the repository alone, for a minute")
    func signed() async throws {
        let setting = try await setUp()
        _ = try await setting.signIn()
        let question = try #require(setting.repository.requests.first)
        #expect(question.method == "POST")
        let header = question.headers.first { $0.name == "Authorization" }?.value ?? ""
        let jws = try CompactJWS(String(header.dropFirst("Bearer ".count)))
        let keys = try setting.server.context.keyRing.publishedKeys().keys.filter { $0.algorithm == .es256 }
            .map { try $0.verifier() }
        let claims = try jws.verified(by: keys, type: UserRepositoryClient.type).claims()
        #expect(claims.issuer == "https://auth.example.com")
        #expect(claims.audience == ["https://members.example.com/verify"])
        #expect(try claims.string("body_sha256") == Base64URL.encode(Array(SHA256.hash(data: question.body))))
        let lifetime = try claims.requiredDate("exp").secondsSince1970 - claims.requiredDate("iat").secondsSince1970
        #expect(lifetime == 60)
        // No token of the server's own passes for it, and it passes for none.
        #expect(throws: JOSEError.self) { try jws.verified(by: keys, type: .accessToken) }
    }

    @Test("attack: an answer to another question, or that names no one, or is neither yes nor no, counts for nothing")
    func answers() async throws {
        for change: @Sendable (inout JSONObject) -> Void in [
            { $0.set("requestId", "another") }, { $0["requestId"] = nil }, { $0["subject"] = nil },
            { $0.set("subject", "") }, { $0["verified"] = nil }, { $0.set("verified", "true") },
        ] {
            let setting = try await setUp()
            setting.repository.answerPassword { question in
                var answer = JSONObject(strings: ["subject": "member-17"])
                answer["requestId"] = question["requestId"]
                answer["verified"] = .bool(true)
                change(&answer)
                return answer
            }
            #expect(try await setting.signIn().refusal?.status == 503)
        }
    }

    @Test(
        "attack: the server cannot be used to try passwords at the repository: the sixth is not passed on, and looks wrong",
        .threat("A forged or misused provider identity")
    )
    func guessing() async throws {
        let setting = try await setUp()
        for _ in 0..<5 { #expect(try await setting.signIn("Ada", "wrong").errorCode == "invalid_credentials") }
        let asked = setting.repository.asked("/verify")
        #expect(asked == 5)
        // Also in other capitals, and with the right password.
        #expect(try await setting.signIn("ADA", "right").errorCode == "invalid_credentials")
        #expect(try await setting.signIn("Ada", "right").errorCode == "invalid_credentials")
        #expect(setting.repository.asked("/verify") == asked)
        setting.server.clock.advance(by: .seconds(31))
        #expect(try await setting.signIn().errorCode == "no_matching_guest")
    }

    @Test("attack: another spelling of a name brings no new tries, and the repository hears the plain one")
    func spellings() async throws {
        let setting = try await setUp()
        let spellings = [
            " ada", "ＡＤＡ", "a\u{200b}da", "\u{202e}ada", "a\u{301}da", "ADÁ", "a\u{ad}da", "ada\t", "a\u{e0041}da",
            "ada\u{fe0f}", "𝐚𝐝𝐚", "ada\u{0}",
        ]
        for spelling in spellings.prefix(5) { _ = try await setting.signIn(spelling, "wrong") }
        let asked = setting.repository.asked("/verify")
        #expect(asked == 5)
        for spelling in spellings { #expect(try await setting.signIn(spelling).errorCode == "invalid_credentials") }
        #expect(setting.repository.asked("/verify") == asked)
        setting.server.clock.advance(by: .seconds(31))
        #expect(try await setting.signIn("\u{200b} Ａｄａ ").errorCode == "no_matching_guest")
        #expect(try await setting.signIn("\u{200b} \u{301}", "wrong").errorCode == "invalid_credentials")
    }

    @Test("What a repository is asked keeps capitals and accents; what is counted has neither")
    func names() {
        for (typed, asked, counted) in [
            ("Ada", "Ada", "ada"), ("  Ada   Lovelace ", "Ada Lovelace", "ada lovelace"), ("Éva", "Éva", "eva"),
            ("STRASSE", "STRASSE", "strasse"), ("straße", "straße", "strasse"), ("ΟΔΟΣ", "ΟΔΟΣ", "οδοσ"),
            ("οδος", "οδος", "οδοσ"), ("İ", "İ", "i"), ("ﬁ@example.com", "fi@example.com", "fi@example.com"),
        ] {
            let name = RepositoryUsername(typed)
            #expect(name?.asked == asked)
            #expect(name?.counted == counted)
        }
        #expect(RepositoryUsername("\u{200b}\u{2060}") == nil)
        #expect(RepositoryUsername(String(repeating: "\u{fdfa}", count: 80)) == nil)
        #expect(RepositoryUsername(String(repeating: "a", count: 256))?.counted.utf8.count == 256)
    }

    @Test(
        "attack: a name is too long as typed, before invisible characters are removed from between its marks",
        .threat("Malformed tokens and JSON"))
    func joinedMarks() {
        #expect(RepositoryUsername("a" + String(repeating: "\u{301}\u{200b}", count: 51)) != nil)
        #expect(RepositoryUsername("a" + String(repeating: "\u{301}\u{200b}", count: 52)) == nil)
    }

    @Test("attack: a stranger's wrong passwords do not slow the holder's own device, whose own are counted apart")
    func knownDevice() async throws {
        let setting = try await setUp()
        let stranger = TestApp(client: setting.app.client)
        _ = try await setting.app.redeem(setting.app.createAccount(setting.signIn().guest()).code()).tokens()
        for _ in 0..<8 { _ = try await setting.signIn("ada", "wrong", on: stranger) }
        #expect(try await setting.signIn(on: stranger).errorCode == "invalid_credentials")
        _ = try await setting.signIn().code()
        // The right password on the known device resets no count of untrusted devices.
        #expect(try await setting.signIn(on: stranger).errorCode == "invalid_credentials")
        // Its own failures are slowed as well, under their own count.
        let asked = setting.repository.asked("/verify")
        for _ in 0..<8 { _ = try await setting.signIn("Ada", "wrong") }
        #expect(setting.repository.asked("/verify") == asked + 5)
        #expect(try await setting.signIn().errorCode == "invalid_credentials")
    }

    @Test("attack: the key of an app that a scan signed in gets no count of its own, but a stranger's")
    func scannedDevice() async throws {
        let setting = try await setUp()
        let stranger = TestApp(client: setting.app.client)
        _ = try await setting.app.redeem(setting.app.createAccount(setting.signIn().guest()).code()).tokens()
        try await setting.server.context.database.write {
            _ = try $0.execute("UPDATE sessions SET amr = $1", [.text("pin swk \(AuthenticationStrength.crossDevice)")])
        }
        for _ in 0..<8 { _ = try await setting.signIn("ada", "wrong", on: stranger) }
        #expect(try await setting.signIn().errorCode == "invalid_credentials")
    }

    @Test("attack: an account at the repository gets no count of its own for guesses at another name")
    func othersDevice() async throws {
        let setting = try await setUp()
        _ = try await setting.app.redeem(setting.app.createAccount(setting.signIn().guest()).code()).tokens()
        setting.repository.answerPassword { question in
            var answer = JSONObject()
            answer["requestId"] = question["requestId"]
            answer["verified"] = .bool(question["username"] == "mallory")
            if question["username"] == "mallory" { answer.set("subject", "member-18") }
            return answer
        }
        let mallory = TestApp(client: setting.app.client)
        let guest = try await setting.signIn("mallory", on: mallory).guest()
        _ = try await mallory.redeem(mallory.createAccount(guest, username: "mallory").code()).tokens()
        let before = setting.repository.asked("/verify")
        for _ in 0..<5 { _ = try await setting.signIn("Ada", "wrong", on: TestApp(client: setting.app.client)) }
        for _ in 0..<5 { _ = try await setting.signIn("Ada", "wrong", on: mallory) }
        #expect(setting.repository.asked("/verify") == before + 5)
    }

    /// Has the repository tell two names apart that are counted as one: `Ada` is the holder's, `ada` Mallory's.
    private func setUpAlike() async throws -> Setting {
        let setting = try await setUp()
        setting.repository.answerPassword { question in
            var answer = JSONObject()
            answer["requestId"] = question["requestId"]
            let subject: String? =
                switch (question["username"], question["password"]) {
                case ("Ada", "right"): "member-17"
                case ("ada", "mallory's"): "member-18"
                default: nil
                }
            answer["verified"] = .bool(subject != nil)
            answer.set("subject", subject)
            return answer
        }
        return setting
    }

    @Test("attack: the owner of a name that folds alike washes no guesses away by the own right password")
    func alikeNames() async throws {
        let setting = try await setUpAlike()
        func stranger() -> TestApp { TestApp(client: setting.app.client) }
        for _ in 0..<4 { _ = try await setting.signIn("Ada", "wrong", on: stranger()) }
        for _ in 0..<3 {
            #expect(try await setting.signIn("ada", "mallory's", on: stranger()).errorCode == "no_matching_guest")
        }
        _ = try await setting.signIn("Ada", "wrong", on: stranger())
        let asked = setting.repository.asked("/verify")
        for _ in 0..<3 {
            #expect(try await setting.signIn("Ada", "right", on: stranger()).errorCode == "invalid_credentials")
        }
        #expect(setting.repository.asked("/verify") == asked)
    }

    @Test("attack: a device known under a name that folds alike has no count of its own at the holder's name")
    func alikeDevices() async throws {
        let setting = try await setUpAlike()
        _ = try await setting.app.redeem(setting.app.createAccount(setting.signIn().guest()).code()).tokens()
        let mallory = TestApp(client: setting.app.client)
        let guest = try await setting.signIn("ada", "mallory's", on: mallory).guest()
        _ = try await mallory.redeem(mallory.createAccount(guest, username: "mallory").code()).tokens()
        // Both sign in once more: each name is remembered to the letter, and neither takes the other's place.
        _ = try await setting.signIn("ada", "mallory's", on: mallory).code()
        for _ in 0..<5 { _ = try await setting.signIn("Ada", "wrong", on: TestApp(client: setting.app.client)) }
        let asked = setting.repository.asked("/verify")
        #expect(try await setting.signIn("Ada", "right", on: mallory).errorCode == "invalid_credentials")
        #expect(setting.repository.asked("/verify") == asked)
        _ = try await setting.signIn().code()
    }

    @Test("A repository that is down is reported as such, and costs no try")
    func down() async throws {
        let setting = try await setUp()
        setting.repository.setDown(true)
        for _ in 0..<8 { #expect(try await setting.signIn().refusal?.status == 503) }
        setting.repository.setDown(false)
        #expect(try await setting.signIn().errorCode == "no_matching_guest")
    }

    @Test("A token is no answer where a password is asked for, nor a password where a token is")
    func kinds() async throws {
        let setting = try await setUp()
        let nonce = try await setting.app.federatedNonce()
        let token = try setting.repository.token(
            setting.repository.claims(nonce: nonce.nonce.rawValue, now: setting.server.clock.now()))
        let outcome = try await setting.app.signIn(idToken: token, nonce.challengeID, provider: "members")
        #expect(outcome.errorCode == "invalid_credentials")
        #expect(setting.repository.requests.isEmpty)
        // A question to this one would be recorded there as well.
        try await setting.server.add(TestProvider())
        setting.repository.forgetRequests()
        let login = FederatedLogin(
            provider: try ProviderID("example"), credential: .password(username: "Ada", try Password("right")))
        let mistaken = try await setting.app.step(.begin(.federatedIdentity(login)))
        #expect(mistaken.errorCode == "invalid_credentials")
        #expect(setting.repository.requests.isEmpty)
    }
}
