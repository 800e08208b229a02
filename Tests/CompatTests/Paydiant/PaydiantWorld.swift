import Foundation
import PaydiantCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// A scripted server, and an app with a coordinator whose delegate implements every method.
@MainActor
struct PaydiantWorld {
    static let subject = "5b1f3a52-8c1e-4f7e-9d0a-1c2b3d4e5f60"
    static let password = "correct horse"

    let server: ScriptedServer
    let store = InMemoryStore()
    let clock = ManualClock()
    let service: Service
    let coordinator: PDAthenticationCoordinator
    let delegate = FullDelegate()

    init() throws {
        server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: Self.password, subject: Self.subject)
        service = try Service(Self.configuration(server, store, clock))
        coordinator = PDAthenticationCoordinator(service)
        coordinator.setDelegate(delegate)
    }

    static func configuration(
        _ server: ScriptedServer, _ store: InMemoryStore, _ clock: ManualClock
    ) -> WalletAuth.Wallet.Configuration {
        let keys = InMemoryDeviceKeys()
        return WalletAuth.Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil),
            ports: WalletAuth.Wallet.Ports(
                transport: server, store: store, userAgent: server.browser(of: "alice"), keys: keys,
                presence: keys.presence, time: clock))
    }

    /// What alice types to start a long-running session.
    static var generation: PDGenerateDeviceAuthenticationRequest {
        let request = PDGenerateDeviceAuthenticationRequest()
        (request.username, request.password) = ("alice", password)
        return request
    }

    /// Signs in with a second factor, which links the device.
    func link() async throws {
        server.setState(of: "alice", .secondFactors([.init(method: "otp", channel: "SMS", answer: "123456")]))
        coordinator.login(byUsernamePassword: "alice", password: Self.password)
        await service.waitForAll()
        let token = try #require(delegate.tokens.last)
        token.answer = "123456"
        coordinator.register(withMFA: token)
        await service.waitForAll()
        delegate.events = []
    }

    /// Answers the next sign-in step with an error that may continue.
    func refuseSignIn(_ code: ErrorCode) throws {
        let continues = [.emailUnverified, .passwordChangeRequired, .appInstanceUnverified].contains(code)
        let error = OAuthError(
            code == .serverError ? .serverError : continues ? .insufficientAuthorization : .accessDenied,
            errorCode: code)
        var object = error.json
        if continues { object.set("auth_session", "session-of-the-test") }
        answer(Endpoints.authorizeChallenge.path, error.httpStatus, object)
    }

    /// Answers the next request to a path.
    func answer(_ path: String, _ status: Int, _ object: JSONObject) {
        server.inject(
            .answer(
                HTTPResponse(
                    status: status, headers: ["Content-Type": "application/json"], body: Data(object.bytes))),
            at: path)
    }

    /// Answers the next request to a path with a problem.
    func answer(_ path: String, _ problem: Problem) { answer(path, problem.status, problem.json) }
}

/// Notes what it is called with, and that it is called on the main actor.
@MainActor
final class FullDelegate: PDAuthenticationDelegate {
    var events: [String] = []
    var tokens: [PDMFAToken] = []
    var errors: [PDPaydiantError] = []
    var attributes: [String: Any] = [:]
    var response: PDLoginResponse?

    private func note(_ event: String) {
        MainActor.assertIsolated()
        events.append(event)
    }

    func authenticationDidSucceed() { note("success") }
    func authenticationDidSucceed(
        _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any]
    ) {
        attributes = additionalAttributes
        note("attributes")
    }
    func authenticationDidSucceed(_ loginResponse: PDLoginResponse) {
        response = loginResponse
        note("response")
    }
    func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken) {
        tokens.append(mfaQuestionToken)
        note("question")
    }
    func authenticationDidFail(_ authenticationError: PDPaydiantError) {
        errors.append(authenticationError)
        note("failed \(authenticationError.code)")
    }
    func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError) {
        errors.append(authenticationError)
        note("unreached \(authenticationError.code)")
    }
    func finishedLogout() { note("logout") }
}

/// A delegate as the page's first success has it.
@MainActor
final class SimpleDelegate: PDAuthenticationDelegate {
    var events: [String] = []
    func authenticationDidSucceed() { events.append("success") }
    func authenticationDidFail(_ authenticationError: PDPaydiantError) {
        events.append("failed \(authenticationError.code)")
    }
}

/// A delegate without attributes.
@MainActor
final class ResponseDelegate: PDAuthenticationDelegate {
    var events: [String] = []
    func authenticationDidSucceed() { events.append("success") }
    func authenticationDidSucceed(_ loginResponse: PDLoginResponse) { events.append("response") }
}
