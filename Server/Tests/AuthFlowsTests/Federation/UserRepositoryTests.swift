import AuthCore
import Crypto
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("The issuer's own user repository")
struct UserRepositoryTests {
    private struct Setting {
        let repository: TestProvider
        let server: TestServer
        let app: TestApp

        func signIn(_ username: String = "Ada", _ password: String = "right") async throws -> NativeSignInOutcome {
            try await app.step(
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
            .provider(
                .addRepository(
                    RepositoryRegistration(id: "members", endpoint: "https://members.example.com/verify"))))
        return Setting(
            repository: repository, server: server, app: TestApp(client: try await server.publicClient()))
    }

    @Test("The right password is somebody's, by one factor; a wrong one is a wrong credential")
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
        let claims = try jws.verified(by: keys, type: UserRepositoryCall.type).claims()
        #expect(claims.issuer == "https://auth.example.com")
        #expect(claims.audience == ["https://members.example.com/verify"])
        #expect(try claims.string("body_sha256") == Base64URL.encode(Array(SHA256.hash(data: question.body))))
        let lifetime = try claims.requiredDate("exp").secondsSince1970 - claims.requiredDate("iat").secondsSince1970
        #expect(lifetime == 60)
        // No token of the server's own passes for it, and it passes for none.
        #expect(throws: JOSEError.self) { try jws.verified(by: keys, type: .accessToken) }
    }

    @Test("attack: an answer to another question, or that names nobody, or is neither yes nor no, says nothing")
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

    @Test("attack: the server is no way to try passwords at the repository: the sixth is not asked, and looks wrong")
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

    @Test("A repository that is down is told as such, and costs nobody a try")
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
    }
}
