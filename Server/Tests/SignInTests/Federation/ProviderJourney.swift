import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A browser on its way to a provider.
struct Departed {
    let departure: ProviderRedirect
    let endpoint: String
    let query: FormParameters

    init(_ outcome: AuthorizationAnswer.Outcome) throws {
        guard case .departure(let departure) = outcome else {
            throw NativeSignInOutcome.Unexpected(what: "\(outcome)")
        }
        self.departure = departure
        let halves = departure.url.split(separator: "?", maxSplits: 1)
        endpoint = String(try #require(halves.first))
        query = try FormParameters(parsing: String(try #require(halves.last)))
    }

    var state: String { get throws { try #require(query["state"]) } }
    var nonce: String { get throws { try #require(query["nonce"]) } }
    /// Where the provider answers.
    var callback: ProviderCallback { get throws { try ProviderCallback(redirectURI: query["redirect_uri"]) } }
}

extension TestBrowser {
    /// Presses the button of a provider.
    func leave(_ page: SignInPage, for provider: String = "example") async throws -> Departed {
        try Departed(try await submit(page, .useProvider(ProviderID(provider))))
    }

    /// Opens what a provider answered.
    func arrive(
        _ state: String, _ response: ProviderResponse = .code("their-code"), at callback: ProviderCallback? = nil
    ) async throws -> AuthorizationAnswer.Outcome {
        try await arrive(
            ProviderReturn(at: try callback ?? .to("example"), state: state, content: .plain(response)))
    }

    /// Opens what a provider answered, as it reached the server.
    func arrive(_ answer: ProviderReturn) async throws -> AuthorizationAnswer.Outcome {
        take(
            try await server.flows.signIn.authorization.arrive(
                with: answer, cookies: cookies, origin: TestServer.origin))
    }

    /// The whole way to a provider and back, as one of its people.
    func signIn(
        _ form: FormParameters, at provider: TestProvider, as subject: String = "sub-1",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> AuthorizationAnswer.Outcome {
        let departed = try await leave(open(form).page())
        try provider.vouch(for: subject, on: departed, now: server.clock.now(), change)
        return try await arrive(departed.state)
    }
}

extension JSONObject {
    /// Has an ID token say when the person signed in at the provider.
    mutating func signIn(at time: Timestamp) { set("auth_time", time.seconds) }
}

extension ProviderCallback {
    /// A provider's way back.
    static func to(_ provider: String, brand: String = "default") throws -> ProviderCallback {
        ProviderCallback(brand: try BrandID(brand), provider: try ProviderID(provider))
    }

    /// The one that a request named.
    fileprivate init(redirectURI: String?) throws {
        let segments = try #require(redirectURI).split(separator: "/").suffix(2).map(String.init)
        try #require(segments.count == 2)
        self = try .to(segments[1], brand: segments[0])
    }
}

extension ProviderResponse {
    /// A code.
    static func code(_ code: String, issuer: String? = nil) -> ProviderResponse {
        ProviderResponse(code: code, error: nil, issuer: issuer)
    }

    /// An error.
    static func error(_ error: String, issuer: String? = nil) -> ProviderResponse {
        ProviderResponse(code: nil, error: error, issuer: issuer)
    }
}

extension TestProvider {
    /// A provider with a page.
    static func withPage(issuer: String = "https://id.example.com") -> TestProvider {
        let provider = TestProvider(issuer: issuer)
        provider.publish("authorization_endpoint", .string(issuer + "/authorize"))
        return provider
    }

    /// Answers the next code with an ID token for the browser that left.
    func vouch(
        for subject: String = "sub-1", on departed: Departed, now: Timestamp,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws {
        var claims = claims(subject, nonce: try departed.nonce, now: now)
        change(&claims)
        answerCode(200, #"{"access_token":"at","token_type":"Bearer","id_token":"\#(try token(claims))"}"#)
    }

    /// The form of the last request for tokens.
    func redeemed() throws -> FormParameters {
        try FormParameters(parsing: try #require(requests.last { $0.url == issuer + "/token" }).body)
    }
}

/// A brand with a provider on its pages, an app, and a browser.
struct ProviderPages {
    let provider: TestProvider
    let server: TestServer
    let client: TestClient
    let browser: TestBrowser

    static func setUp(
        trustsEmail: Bool = false, redirectsToOtherHosts: Bool = false,
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> ProviderPages {
        let provider = TestProvider.withPage()
        let server = try await TestServer.start(providers: provider.http, adjust)
        try await server.add(
            provider, trustsEmail: trustsEmail, label: "Example", redirectsToOtherHosts: redirectsToOtherHosts)
        return ProviderPages(
            provider: provider, server: server, client: try await server.bearerClient(),
            browser: TestBrowser(server))
    }

    /// Another browser.
    var another: ProviderPages {
        ProviderPages(provider: provider, server: server, client: client, browser: TestBrowser(server))
    }

    /// Comes for the first time, and makes an account.
    func makeAccount(_ username: String = "ada", as subject: String = "sub-1") async throws {
        let page = try await browser.signIn(client.request(), at: provider, as: subject).page()
        _ = try await browser.submit(page, .createAccount(username: username)).code()
    }

    /// Leaves for the provider.
    func leave(_ adjust: (inout [String: String?]) -> Void = { _ in }) async throws -> Departed {
        try await browser.leave(browser.open(client.request(adjust)).page())
    }

    /// Comes back with a code of one of the provider's people.
    func arrive(
        _ departed: Departed, as subject: String = "sub-1", _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> AuthorizationAnswer.Outcome {
        try provider.vouch(for: subject, on: departed, now: server.clock.now(), change)
        return try await browser.arrive(departed.state)
    }
}

extension SignInPage {
    /// The account that is offered.
    func offer() throws -> NewAccount {
        guard case .newAccount(let offer) = step else { throw NativeSignInOutcome.Unexpected(what: "\(step)") }
        return offer
    }
}

/// A brand with a provider, and an app.
struct ProviderApp {
    let provider: TestProvider
    let server: TestServer
    let app: TestApp

    static func setUp(
        trustsEmail: Bool = false, _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> ProviderApp {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http, adjust)
        try await server.add(provider, trustsEmail: trustsEmail)
        return ProviderApp(
            provider: provider, server: server, app: TestApp(client: try await server.publicClient()))
    }
}
