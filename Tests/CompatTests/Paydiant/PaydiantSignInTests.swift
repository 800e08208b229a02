import Foundation
import PaydiantCompat
import Testing
import WalletAuth
import WalletAuthTesting

@MainActor
@Suite(
    "Paydiant's sign-ins", .threat("Apps that moved here from another vendor"),
    .covers("three success methods of the delegate"))
struct PaydiantSignInTests {
    @Test("Each sign-in reports once, on the main actor, after the call has returned")
    func success() async throws {
        let world = try PaydiantWorld()
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        #expect(world.delegate.events.isEmpty)
        await world.service.waitForAll()
        #expect(world.delegate.events == ["attributes"])
        #expect(world.delegate.attributes["pushEnabled"] as? Bool == false)
    }

    @Test("After a nonce the delegate gets the response, with the properties of the request")
    func nonce() async throws {
        let world = try PaydiantWorld()
        let request = PDLoginByNonceRequest()
        request.nonce = world.server.issueLoginNonce(for: "alice")
        request.additionalData = [
            PDAuthenticationAdditionalData(additionalDataKey: "hostIP", additionalDataValue: "10.9.23.65")
        ]
        world.coordinator.login(byNonce: request)
        await world.service.waitForAll()
        #expect(world.delegate.events == ["response"])
        let data = try #require(world.delegate.response).additionalData.map {
            [$0.additionalDataKey ?? "", $0.additionalDataValue ?? ""]
        }
        #expect(data == [["pushEnabled", "false"], ["hostIP", "10.9.23.65"]])
    }

    @Test("A class that implements fewer methods gets the most specific one that it has, once")
    func fallback() async throws {
        let world = try PaydiantWorld()
        let simple = SimpleDelegate()
        let response = ResponseDelegate()
        world.coordinator.delegate = simple
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        #expect(simple.events == ["success"])
        world.coordinator.delegate = response
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        #expect(response.events == ["response"])
    }

    @Test("A delegate without a method for questions gets the 412 as an error")
    func questionWithoutMethod() async throws {
        let world = try PaydiantWorld()
        let simple = SimpleDelegate()
        world.coordinator.delegate = simple
        world.server.setState(of: "alice", .secondFactor(answer: "123456"))
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        #expect(simple.events == ["failed 412"])
    }

    @Test("Calls of all coordinators are reported in the order in which they were made")
    func order() async throws {
        let world = try PaydiantWorld()
        let other = PDAuthenticationCoordinator(world.service)
        other.delegate = world.delegate
        world.coordinator.login(byUsernamePassword: "alice", password: "wrong")
        other.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        world.coordinator.logout()
        other.logout()
        await world.service.waitForAll()
        #expect(world.delegate.events == ["failed 401", "attributes", "logout", "failed 403"])
        #expect(world.delegate.errors.last?.domain == kUserErrorLogoutDomain)
    }

    @Test("The delegate is called even if the coordinator is gone, and is not retained")
    func callerGone() async throws {
        let world = try PaydiantWorld()
        var coordinator: PDAthenticationCoordinator? = PDAthenticationCoordinator(world.service)
        coordinator?.delegate = world.delegate
        coordinator?.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        coordinator = nil
        await world.service.waitForAll()
        #expect(world.delegate.events == ["attributes"])
        var gone: FullDelegate? = FullDelegate()
        world.coordinator.delegate = gone
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        gone = nil
        #expect(world.coordinator.delegate == nil)
        await world.service.waitForAll()
    }

    @Test("A question is asked, a wrong answer has the domain of the sign-in, and the right one signs in and links")
    func secondFactor() async throws {
        let world = try PaydiantWorld()
        world.server.setState(
            of: "alice",
            .secondFactors([.init(method: "secret_question", question: "First pet?", answer: "Rex")]))
        let request = PDLoginByNonceRequest()
        request.nonce = world.server.issueLoginNonce(for: "alice")
        world.coordinator.login(byNonce: request)
        await world.service.waitForAll()
        let token = try #require(world.delegate.tokens.first)
        #expect(token.question == "First pet?")
        token.answer = "Tom"
        world.coordinator.register(withMFA: token)
        await world.service.waitForAll()
        #expect(world.delegate.errors.first?.code == 401)
        #expect(world.delegate.errors.first?.domain == kUserErrorLoginWithNonceDomain)
        token.answer = "Rex"
        world.coordinator.register(withMFA: token)
        await world.service.waitForAll()
        #expect(world.delegate.events == ["question", "failed 401", "attributes"])
    }

    @Test("A factor without a question asks for its code, as the SDK's messages do")
    func codeQuestion() async throws {
        let world = try PaydiantWorld()
        world.server.setState(of: "alice", .secondFactors([.init(method: "totp", answer: "123456")]))
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        let token = try #require(world.delegate.tokens.first)
        #expect(token.question == UserErrorMessages.builtIn.question(of: try #require(token.challenge)))
    }

    @Test("A token that the app made itself is refused with a sentence")
    func foreignToken() async throws {
        let world = try PaydiantWorld()
        world.coordinator.register(withMFA: PDMFAToken())
        await world.service.waitForAll()
        #expect(world.delegate.events == ["failed 400"])
        #expect(world.delegate.errors.first?.reason.contains("mfaQuestionDidPrompt") == true)
    }

    @Test("A provider's code signs in with the server's nonce, once; without it nothing is sent")
    func federated() async throws {
        let world = try PaydiantWorld()
        world.server.link("alice", to: "example", subject: "alice-there")
        let request = PDLoginByFederatedIdentityRequest()
        request.identityProvider = "example"
        request.authorizationCode = "a-code"
        world.coordinator.login(byFederatedIdentity: request)
        await world.service.waitForAll()
        #expect(world.delegate.events == ["failed 400"])
        #expect(world.server.requests.isEmpty)
        var nonce: String?
        world.coordinator.federatedNonce(
            completion: { nonce = $0 }, failure: { Issue.record("no nonce: \($0)") })
        await world.service.waitForAll()
        request.authorizationCode = world.server.issueAuthorizationCode(
            provider: "example", subject: "alice-there", nonce: nonce)
        world.coordinator.login(byFederatedIdentity: request)
        world.coordinator.login(byFederatedIdentity: request)
        await world.service.waitForAll()
        #expect(world.delegate.events == ["failed 400", "response", "failed 400"])
    }

    @Test("Neither the store nor a description has the password, the answer or the nonce")
    func secrets() async throws {
        let world = try PaydiantWorld()
        try await world.link()
        let nonce = PDLoginByNonceRequest()
        nonce.nonce = world.server.issueLoginNonce(for: "alice")
        let secrets = [PaydiantWorld.password, "123456", nonce.nonce ?? ""]
        world.coordinator.login(byNonce: nonce)
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password + "!")
        await world.service.waitForAll()
        var texts = world.store.items.values.map { String(decoding: $0, as: UTF8.self) }
        for value in [nonce, PaydiantWorld.generation, world.delegate.tokens, world.delegate.errors, world.coordinator]
            as [Any]
        {
            var dumped = ""
            dump(value, to: &dumped)
            texts += ["\(value)", String(reflecting: value), dumped]
        }
        for secret in secrets { #expect(!texts.contains { $0.contains(secret) }) }
    }
}
