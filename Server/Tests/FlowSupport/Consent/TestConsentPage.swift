import Core
package import Kernel
package import WalletAuthWire

@testable package import Consent
@testable import Operations
@testable package import SignIn

/// A shop whose Ada can agree on a hosted page: her sign-in proved possession, and her password is the rest.
package struct TestConsentPage: Sendable {
    package static let returnURL = "https://app.example.com/agreed"
    package static let password = "correct horse battery"

    package let shop: TestShop

    package static func open(methods: [String] = ["otp"], tokensLast: Duration = .minutes(5)) async throws
        -> TestConsentPage
    {
        TestConsentPage(
            shop: try await TestShop.open(methods: methods, tokensLast: tokensLast, consentReturnURLs: [returnURL]))
    }

    /// Asks for an operation, and challenges the password: the event, and the link's ticket.
    package func link(
        _ id: String = "op-1", _ operation: WalletOperation? = nil
    ) async throws -> (event: SCAEventID, ticket: String) {
        let event = try await shop.required(operation ?? TestShop.transfer(), id: id)
        return (event, try await ticket(of: event, id: id))
    }

    /// Challenges the password.
    package func ticket(of event: SCAEventID, id: String = "op-1") async throws -> String {
        let challenge = try await shop.challenge(.password, of: event, id: id, returnURL: Self.returnURL).get()
        guard let url = challenge.redirectURL?.rawValue,
            url.hasPrefix("https://auth.example.com/consent?ticket="),
            let ticket = try FormParameters(parsing: String(url.drop { $0 != "?" }.dropFirst()))["ticket"]
        else {
            throw NativeSignInOutcome.Unexpected(what: "no consent page: \(String(describing: challenge.redirectURL))")
        }
        return ticket
    }

    /// The app's answer when it asks for the outcome.
    package func outcome(
        of event: SCAEventID, id: String = "op-1"
    ) async throws -> Result<SCAAttemptResponse, ConsentRefusal> {
        try await shop.attempt(nil, .password, at: event, id: id)
    }

    /// Opens a link in a browser that was never here.
    package func browser(_ ticket: String) async throws -> TestConsentBrowser {
        var browser = TestConsentBrowser(server: shop.server)
        try await browser.open(ticket)
        return browser
    }
}

/// A browser with the page open.
package struct TestConsentBrowser: Sendable {
    package let server: TestServer
    package var cookies = BrowserCookies()
    /// The page, or nothing where the last answer was none.
    package private(set) var page: ConsentPage?
    /// Where the last answer led back to.
    package private(set) var location: String?
    /// Where the page begins again, if the form no longer counts.
    package private(set) var restart: String?
    /// The look of the error page; nil where there is none, or where it borrows no brand's.
    package private(set) var errorLook: BrandAppearance?
    /// The form that was served last; it stays when the browser goes on.
    package private(set) var form: ConsentPage.Form?

    package init(server: TestServer) {
        self.server = server
    }

    package mutating func open(_ ticket: String) async throws {
        keep(try await server.flows.consent.pages.open(ticket: ticket, cookies: cookies, origin: TestServer.origin))
    }

    /// Presses a button of the form that was served last.
    package mutating func press(_ action: ConsentPage.Action) async throws {
        let submission = PageSubmission(
            request: form?.request ?? "", csrf: form?.csrf ?? "", action: action)
        try await send(submission)
    }

    package mutating func send(_ submission: PageSubmission<ConsentPage.Action>) async throws {
        keep(try await server.flows.consent.pages.submit(submission, cookies: cookies, origin: TestServer.origin))
    }

    package mutating func agree(_ password: String = TestConsentPage.password) async throws {
        try await press(.agree(try Password(password)))
    }

    /// The end that the page tells of; nil where there is none.
    package var end: ConsentPage.End? {
        if case .over(let end)? = page?.step { end } else { nil }
    }

    /// Whether the page asks.
    package var isAsking: Bool {
        if case .asking? = page?.step { true } else { false }
    }

    /// Whether the link or the form was none of the server's.
    package var isStale: Bool { page == nil && location == nil && restart == nil }

    private mutating func keep(_ answer: ConsentPageAnswer) {
        (page, location, restart, errorLook) = (nil, nil, nil, nil)
        switch answer.outcome {
        case .page(let page):
            self.page = page
            form = page.form ?? form
        case .leave(_, let page, byItself: _): location = page.returnLocation
        case .restart(let location): restart = location
        case .stale(let look): errorLook = look
        }
        for change in answer.cookies where change.cookie == .binding { cookies.binding = change.value }
    }
}
