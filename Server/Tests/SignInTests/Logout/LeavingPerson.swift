import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A person who signed in to an app in a browser, and is about to sign out.
struct LeavingPerson {
    static let away = "https://app.example.com/signed-out"

    let server: TestServer
    let account: AccountID
    let app: TestClient
    let browser: TestBrowser
    let tokens: TokenResponse

    init(_ adjust: (inout ClientRegistration) -> Void = { _ in }) async throws {
        server = try await TestServer.start()
        account = try await server.account()
        app = try await server.bearerClient {
            $0.postLogoutRedirectURIs = [Self.away]
            adjust(&$0)
        }
        browser = TestBrowser(server)
        tokens = try await app.redeem(browser.signIn(app.request()).code()).tokens()
    }

    var hint: String { get throws { try #require(tokens.idToken).reveal() } }

    /// The client's request, with the right hint and the registered URI unless a test says otherwise.
    func request(_ changes: [String: String?] = [:]) throws -> FormParameters {
        var values: [String: String?] = [
            "id_token_hint": try hint, "post_logout_redirect_uri": Self.away, "state": "s-1",
        ]
        for (name, value) in changes { values[name] = value }
        var form = FormParameters()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    func signOut(_ changes: [String: String?] = [:]) async throws -> LogoutAnswer.Outcome {
        try await browser.signOut(request(changes))
    }

    /// Whether the browser is still signed in.
    func isInBrowser() async throws -> Bool {
        try await browser.open(app.request { $0["prompt"] = "none" }).redirect()["code"] != nil
    }

    /// Expects that nothing has ended.
    func expectUnchanged(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isInBrowser = try await isInBrowser()
        #expect(isInBrowser, comment, sourceLocation: sourceLocation)
        let session = try await session()
        #expect(session.ended == nil, comment, sourceLocation: sourceLocation)
    }

    /// The app's session, as its ID token names it.
    func session() async throws -> SessionRecord {
        let jws = try CompactJWS(hint)
        let claims = try IDTokenClaims(JSONValue.object(parsing: jws.unverifiedPayload))
        let id = try #require(claims.sessionID.flatMap { try? SessionID($0) }.flatMap { UniqueID(bytes: $0.bytes) })
        return try #require(try await server.context.database.read { try Sessions.find(id, on: $0) })
    }
}

extension TestBrowser {
    /// Opens the sign-out endpoint.
    func signOut(_ form: FormParameters) async throws -> LogoutAnswer.Outcome {
        take(try await server.flows.signIn.logout.begin(form, cookies: cookies, origin: TestServer.origin))
    }

    /// Presses the button of its page.
    func confirm(_ page: LogoutPage, csrf: String? = nil) async throws -> LogoutAnswer.Outcome {
        take(
            try await server.flows.signIn.logout.submit(
                request: page.request, csrf: csrf ?? page.csrf, cookies: cookies))
    }

    private func take(_ answer: LogoutAnswer) -> LogoutAnswer.Outcome {
        take(answer.cookies)
        return answer.outcome
    }
}

extension LogoutAnswer.Outcome {
    /// The page of an outcome that has to ask.
    func page() throws -> LogoutPage {
        guard case .asking(let page) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return page
    }

    /// Where the browser leaves for; `nil` where it stays.
    var destination: String? {
        if case .leave(let way) = self { way.location } else { nil }
    }

    /// The address of the page that says that the browser is signed out; `nil` where it goes elsewhere.
    var plain: String? {
        if case .plain(let location) = self { location } else { nil }
    }

    var isSignedOut: Bool {
        if case .signedOut = self { true } else { false }
    }

    var isAsking: Bool {
        if case .asking = self { true } else { false }
    }

    var fault: LogoutFault? {
        if case .refused(let fault) = self { fault } else { nil }
    }
}
