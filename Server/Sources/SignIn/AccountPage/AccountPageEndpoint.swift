import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `GET|POST /account`: the account page, where people manage their own account in the browser, and the sign-in before it.
struct AccountPageEndpoint: Sendable {
    let accountPages: AccountPages
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The page. People type this address, so an unknown brand, language or sign-in method is ignored. With a state in its query, it is the
    /// page that answers a form.
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let query = try request.query()
        if let address = query[PageAddress.parameter] {
            let answer = try await accountPages.show(
                address: address, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
            return authorize.respond(with: answer, request)
        }
        return try await open(request, .overview)
    }

    /// The form that takes the closing of an account back, for people who cannot sign in any more.
    @Sendable func keep(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request, .keeping)
    }

    /// The page of an operator's one-time link.
    @Sendable func welcome(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request, .welcome(request.query()["token"].flatMap(OperatorLinkSecret.init)))
    }

    /// The former address of the page.
    @Sendable func move(_ request: EndpointRequest) async throws -> EndpointResponse {
        let (query, page) = (try request.query(), authorize.pages.issuer.url(path: Endpoints.accountPage.path))
        let location = query.isEmpty ? page : page + "?" + query.encoded
        return EndpointResponse(status: .seeOther, headers: [.location: location])
    }

    private func open(
        _ request: EndpointRequest, _ entry: AccountPageRequest.Entry
    ) async throws -> EndpointResponse {
        let query = try request.query()
        let asked = AccountPageRequest(
            brand: query["brand"].flatMap { try? BrandID($0) },
            locales: query.uiLocales,
            loginStrategy: query["login_strategy"].flatMap(AuthorizationRequest.LoginStrategy.init), entry: entry)
        let answer = try await accountPages.open(
            asked, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }

    /// A button of the page.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<AccountPage.Action>
        do { submission = try AccountPageForm.parse(request.form()) } catch {
            return authorize.malformed(error, request)
        }
        let answer = try await accountPages.submit(
            submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }
}

extension AccountPageEndpoint {
    var routes: [Route] {
        [
            Route(.get, Endpoints.accountPage.path, .page, get).stating(
                .pages, "openAccountPage", "The page on which a person manages their account"),
            Route(.post, Endpoints.accountPage.path, body: .form, .page, post).stating(
                .pages, "submitAccountPage", "What the buttons of the account page send"),
            Route(.get, Endpoints.accountKeepingPage.path, .page, keep).stating(
                .pages, "openKeepingPage", "The page that takes the closing of an account back"),
            Route(.get, Endpoints.operatorWelcomePage.path, .page, welcome).stating(
                .pages, "openWelcomePage", "The page of an operator's one-time link"),
            Route(.get, Endpoints.accountSecurity.path, .page, move).stating(
                .pages, "openFormerAccountPage", "The account page's former address, which leads to it"),
        ]
    }
}
