import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `GET|POST /oauth2/authorize` and the hosted page behind it.
struct AuthorizeEndpoint: Sendable {
    let server: AuthorizationServer
    let pages: Pages
    let cookies: CookieJar

    /// The request by its query (RFC 6749 §3.1).
    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        try await begin(request.query(), request)
    }

    /// The request by a form (OpenID Connect Core §3.1.2.1). An additional query would make two requests out of one.
    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        guard try request.query().isEmpty else {
            throw RequestFault.malformed("Parameters appear in both the URL and the body.")
        }
        return try await begin(request.form(), request)
    }

    /// `POST /sign-in`: a step of the hosted page.
    @Sendable func signIn(_ request: EndpointRequest) async throws -> Response {
        if let fault = faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<SignInPage.Action>
        do { submission = try SignInForm.parse(request.form()) } catch { return malformed(error, request) }
        let answer = try await server.authorization.submit(
            submission, cookies: cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// The CSRF token decides; that a modern browser names the page's origin as another one settles it sooner.
    func faultOfAnotherSite(_ request: EndpointRequest) -> Response? {
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none" else { return nil }
        return answer(to: .stalePage, request.context)
    }

    /// The answer to a form that no page of ours sends.
    func malformed(_ fault: MalformedValue, _ request: EndpointRequest) -> Response {
        pages.fault(.malformedRequest(fault.description), status: .badRequest, code: "invalid_request", request.context)
    }

    private func begin(_ parameters: FormParameters, _ request: EndpointRequest) async throws -> Response {
        let answer = try await server.authorization.begin(
            parameters, cookies: cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// The page, the redirect or the fault that a flow answered, with its cookies.
    func respond(with answer: AuthorizationAnswer, _ request: EndpointRequest) -> Response {
        var response: Response
        switch answer.outcome {
        case .page(let page):
            response = pages.signIn(page, acceptLanguage: request.context.acceptLanguage)
        case .account(let page):
            response = pages.account(page, acceptLanguage: request.context.acceptLanguage)
        case .departure(let departure):
            response = pages.departure(departure, acceptLanguage: request.context.acceptLanguage)
        case .redirect(let redirect):
            switch redirect.mode {
            case .query:
                // 303 and no other: what follows is a GET, so a password in this request's body goes no further.
                response = Response(status: .seeOther, headers: [.location: redirect.location])
            case .formPost:
                response = pages.formPost(redirect, acceptLanguage: request.context.acceptLanguage)
            }
        case .refused(let fault):
            response = self.answer(to: fault, request.context)
        }
        cookies.apply(answer.cookies, to: &response)
        return response
    }

    func answer(to fault: AuthorizationFault, _ context: ServerRequestContext) -> Response {
        switch fault {
        case .unknownClient:
            pages.fault(.unknownClient, status: .badRequest, code: "invalid_client", context)
        case .unregisteredRedirectURI:
            pages.fault(.redirectMismatch, status: .badRequest, code: "invalid_redirect_uri", context)
        case .invalidRequestURI:
            pages.fault(.malformedRequest(nil), status: .badRequest, code: "invalid_request_uri", context)
        case .stalePage:
            pages.fault(.expiredPage, status: .badRequest, code: "expired_page", context)
        }
    }
}
