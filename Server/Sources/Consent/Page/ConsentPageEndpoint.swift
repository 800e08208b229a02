import HTTPTypes
import Kernel
import SignIn
import WalletAuthWire
import Web

/// `GET|POST /consent`: the page where a person approves an operation in the browser.
struct ConsentPageEndpoint: Sendable {
    let consentPages: ConsentPages
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The page behind a consent link, or the one that answers its form.
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let query = try request.query()
        let cookies = authorize.cookies.cookies(of: request.headers)
        if let address = query[PageAddress.parameter] {
            return respond(
                with: try await consentPages.show(address: address, cookies: cookies, origin: request.origin), request)
        }
        guard let ticket = query["ticket"] else { return stale(request) }
        return respond(
            with: try await consentPages.open(ticket: ticket, cookies: cookies, origin: request.origin), request)
    }

    /// A button of the page.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<ConsentPage.Action>
        do { submission = try ConsentPageForm.parse(request.form()) } catch {
            return authorize.malformed(error, request)
        }
        return respond(
            with: try await consentPages.submit(
                submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin),
            request)
    }

    private func respond(with answer: ConsentPageAnswer, _ request: EndpointRequest) -> EndpointResponse {
        var response: EndpointResponse
        switch answer.outcome {
        case .page(let page):
            response =
                authorize.pages.redirect(from: request, to: Endpoints.consentPage.path, showing: page.state)
                ?? authorize.pages.consent(page, acceptLanguage: request.context.acceptLanguage)
        case .leave(let departure, let page, let byItself):
            // A page at its own address answers no form any more.
            let isPage = request.head.method != .post || request.mayFollowForm
            response = authorize.pages.back(
                to: page.returnLocation, by: isPage ? .page(byItself: byItself) : .redirect, from: request,
                at: Endpoints.consentPage.path, appearance: page.appearance, state: page.state
            ) { departure.ending(in: $0, of: page) }
        case .restart(let location): response = EndpointResponse(status: .seeOther, headers: [.location: location])
        case .stale(let appearance): response = stale(request, appearance)
        }
        authorize.cookies.apply(answer.cookies, to: &response)
        return response
    }

    private func stale(_ request: EndpointRequest, _ appearance: BrandAppearance? = nil) -> EndpointResponse {
        authorize.pages.fault(
            .expiredPage, status: .badRequest, code: "expired_page", appearance: appearance, request.context)
    }
}

extension ConsentPageEndpoint {
    var routes: [Route] {
        [
            Route(.get, Endpoints.consentPage.path, .page, get).stating(
                .pages, "openConsentPage", "The page on which a person consents to an operation"),
            Route(.post, Endpoints.consentPage.path, body: .form, .page, post).stating(
                .pages, "submitConsentPage", "What the buttons of the consent page send"),
        ]
    }
}
