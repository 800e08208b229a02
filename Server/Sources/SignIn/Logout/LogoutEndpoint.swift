import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `GET|POST /oauth2/logout`: sign-out by a client, and the page that asks first.
struct LogoutEndpoint: Sendable {
    let logout: Logout
    /// Provides the cookies and pages, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    private var pages: Pages { authorize.pages }

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let answer = try await logout.begin(
            request.query(), cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// The page's form, or a client's request in a form. With that, the browser sends no cookies, since the form is another site's: it
    /// begins again with a GET, with which it does.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let form = try request.form()
        guard let sealed = form["request"], let csrf = form["csrf"] else {
            // With a query as well, there would be two requests in one.
            guard try request.query().isEmpty else {
                throw RequestFault.malformed("Parameters appear in both the URL and the body.")
            }
            let location = pages.issuer.url(path: Endpoints.endSession.path) + "?" + form.encoded
            return EndpointResponse(status: .seeOther, headers: [.location: location])
        }
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let answer = try await logout.submit(
            request: sealed, csrf: csrf, cookies: authorize.cookies.cookies(of: request.headers))
        return respond(with: answer, request)
    }

    private func respond(with answer: LogoutAnswer, _ request: EndpointRequest) -> EndpointResponse {
        var response: EndpointResponse
        switch answer.outcome {
        case .asking(let page): response = question(page, request.context)
        case .signedOut(let appearance, let locales):
            let language = Language.choose(
                locales: locales.map(\.rawValue), acceptLanguage: request.context.acceptLanguage)
            let text = BrandLanguage(language, appearance.texts).text
            response = pages.onward(
                to: pages.issuer.url(path: Endpoints.accountPage.path),
                saying: Pages.Ending(
                    heading: text[.signedOutHeading], lead: text[.signedOut], backLabel: text[.submitLabel]),
                appearance: appearance, language)
        case .plain(let location):
            response = EndpointResponse(status: .seeOther, headers: [.location: location])
        case .leave(let way):
            response = pages.back(
                to: way.location, by: request.mayFollowForm ? .page(byItself: true) : .redirect, from: request,
                at: Endpoints.endSession.path, appearance: way.appearance, locales: way.locales
            ) { words in
                Pages.Ending(
                    heading: words.text[.signedOutHeading], lead: words.text[.appReturn],
                    backLabel: words.text[.appReturnLabel, ["client": way.app]])
            }
        case .refused(let fault): response = page(of: fault, request.context)
        }
        authorize.cookies.apply(answer.cookies, to: &response)
        return response
    }

    private func question(_ page: LogoutPage, _ context: RequestFacts) -> EndpointResponse {
        let language = Language.choose(locales: page.locales.map(\.rawValue), acceptLanguage: context.acceptLanguage)
        let words = BrandLanguage(language, page.appearance.texts)
        let look = BrandStyle(page.appearance)
        let frame = pages.frame(
            language, heading: words.text[.signOutHeading, ["brand": page.appearance.name]],
            lead: words.text[.signOutLead, ["user": page.username]], brandName: page.appearance.name, look: look)
        let values = LogoutValues(
            form: PageFormValues(
                action: pages.formAddress(Endpoints.endSession.path, page.locales), request: page.request,
                csrf: page.csrf),
            signOut: ButtonsValues([ButtonValues(value: "sign_out", label: words.accountText[.signOutLabel])]),
            account: LinkValues(
                address: pages.issuer.url(path: Endpoints.accountPage.path), label: words.text[.accountLinkLabel]))
        return pages.response(
            .ok, values, in: frame, language,
            ContentPolicy(formTargets: [page.location].compactMap(\.self), images: look.images))
    }

    private func page(of fault: LogoutFault, _ context: RequestFacts) -> EndpointResponse {
        func malformed(_ reason: String) -> EndpointResponse {
            pages.fault(.malformedRequest(reason), status: .badRequest, code: "invalid_request", context)
        }
        switch fault {
        case .unknownClient: return authorize.answer(to: .unknownClient, context)
        case .stalePage: return authorize.answer(to: .stalePage, context)
        case .otherClient: return malformed("client_id is not the client that the id_token_hint was issued to")
        case .unregisteredURI(let mismatch):
            let reason = "post_logout_redirect_uri is not registered for the client"
            return malformed(reason).refused("invalid_request", reason, redirect: mismatch)
        }
    }
}

extension LogoutEndpoint {
    var routes: [Route] {
        [
            Route(.get, Endpoints.endSession.path, .page, get).stating(
                .pages, "endSession", "Sign-out by a client: the return to it, or the page that asks first"),
            Route(.post, Endpoints.endSession.path, body: .form, .page, post).stating(
                .pages, "endSessionByForm", "Sign-out with its parameters in a form, and the button of its page"),
        ]
    }
}
