import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

/// A television without a browser, whose holder decides in one.
struct TestTelevision: Sendable {
    let client: TestClient

    static let home = TestServer.origin
    static let elsewhere = RequestOrigin(address: "198.51.100.7", traceID: "00000000000000000000000000000002")

    var server: TestServer { client.server }

    /// A television of the operator's own, at a server with the account `ada`.
    static func set(_ adjust: (inout ClientRegistration) -> Void = { _ in }) async throws -> TestTelevision {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        return try await TestTelevision(client: server.television(adjust: adjust))
    }

    /// The same television at another process.
    func at(_ server: TestServer) -> TestTelevision { TestTelevision(client: client.at(server)) }

    /// Asks for codes.
    func ask(
        scope: String? = nil, from origin: RequestOrigin = home, key: TestKey? = nil
    ) async throws -> Result<DeviceAuthorizationResponse, OAuthRefusal> {
        let proof = try key.map { try $0.present(to: server, at: Endpoints.deviceAuthorization.path) }
        return try await server.flows.tokens.deviceAuthorizations.begin(
            DeviceAuthorizationRequest(client: client.authentication, scope: scope.map { try Scope($0) }),
            proof: proof ?? .none, origin: origin)
    }

    /// Asks for tokens.
    func poll(_ codes: DeviceAuthorizationResponse, key: TestKey? = nil) async throws -> TokenOutcome {
        try await client.token(.deviceCode(codes.deviceCode), proof: key)
    }

    /// Lets the interval pass, and asks for tokens.
    func wait(_ codes: DeviceAuthorizationResponse) async throws -> TokenOutcome {
        server.clock.advance(by: .seconds(5))
        return try await poll(codes)
    }

    /// The page that shows the television to ada, who signs in on the way.
    func shown(
        _ codes: DeviceAuthorizationResponse, in browser: TestBrowser
    ) async throws -> DevicePage {
        try await browser.enterPassword(on: browser.type(codes.userCode).page()).devicePage()
    }
}

extension TestServer {
    /// Registers a client whose devices have no browser.
    func television(
        _ id: String = "tv", adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        try await bearerClient(id) {
            $0.name = "Television"
            $0.redirectURIs = []
            $0.deviceGrant = true
            adjust(&$0)
        }
    }

    /// The kinds of the events about devices in the audit log, the oldest first.
    func deviceEvents() async throws -> [String] {
        try await context.database.read { connection in
            try connection.query(
                "SELECT kind FROM security_events WHERE kind LIKE 'device_grant.%' ORDER BY id", []
            ).map { try $0.text("kind") }
        }
    }
}

extension TestBrowser {
    private var devices: DevicePages { server.flows.signIn.devicePages }

    /// Opens the page with the field for a code.
    func openDevice(_ code: String? = nil) throws -> DevicePage {
        try take(devices.open(code, [], cookies: cookies)).devicePage()
    }

    /// Presses a button of the page.
    func press(
        _ action: DevicePage.Action, on page: DevicePage, from origin: RequestOrigin = TestServer.origin
    ) async throws -> AuthorizationAnswer.Outcome {
        let form = try #require(page.form)
        let submission = PageSubmission(request: form.request, csrf: form.csrf, action: action)
        return take(try await devices.submit(submission, cookies: cookies, origin: origin))
    }

    /// Types a code into the page's field.
    func type(
        _ code: String, from origin: RequestOrigin = TestServer.origin
    ) async throws -> AuthorizationAnswer.Outcome {
        try await press(.enter(code: code), on: openDevice(), from: origin)
    }

    /// Loads a page once more, from the address that its form led to.
    func load(_ page: DevicePage) async throws -> AuthorizationAnswer.Outcome {
        let address = try #require(page.form).request
        return take(try await devices.show(address: address, cookies: cookies, origin: TestServer.origin))
    }

    /// Signs in by password on a page of the sign-in.
    func enterPassword(on page: SignInPage, as username: String = "ada") async throws -> AuthorizationAnswer.Outcome {
        try await submit(page, .signIn(username: username, password: Password("correct horse battery")))
    }
}

extension AuthorizationAnswer.Outcome {
    /// The page of a device, of an outcome that has to be one.
    func devicePage() throws -> DevicePage {
        guard case .device(let page) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return page
    }
}

extension DevicePage {
    /// What the person decides about; `nil` on another page.
    var confirmation: Confirmation? { if case .confirmation(let device) = step { device } else { nil } }

    /// How it ended; `nil` on another page.
    var ending: Ending? { if case .ending(let ending) = step { ending } else { nil } }
}
