import Core
import HTTPTypes
internal import Kernel
package import WalletAuthWire
package import Web

/// `GET|POST /oauth2/authorize` and its hosted sign-in page.
package struct AuthorizeEndpoint: Sendable {
    let authorization: Authorization
    package let pages: Pages
    package let cookies: CookieJar
    /// Whether error pages may show registrations: in the sandbox, to the developer.
    private let showsRegistrations: Bool

    package init(_ edge: Edge, _ authorization: Authorization) {
        self.authorization = authorization
        showsRegistrations = edge.environment == .sandbox
        pages = edge.pages
        cookies = CookieJar(issuer: pages.issuer)
    }

    /// An authorization request in the query (RFC 6749 §3.1).
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await begin(request.query(), request)
    }

    /// An authorization request in a form (OpenID Connect Core §3.1.2.1). With a query as well, there would be two
    /// requests in one.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard try request.query().isEmpty else {
            throw RequestFault.malformed("Parameters appear in both the URL and the body.")
        }
        let form = try request.form()
        // Error pages find the languages there.
        var languages = FormParameters()
        languages.append("ui_locales", form["ui_locales"])
        var request = request
        request.context.query = languages.encoded
        return try await begin(form, request)
    }

    /// `POST /sign-in`: a step of the hosted page.
    @Sendable func signIn(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<SignInPage.Action>
        do { submission = try SignInForm.parse(request.form()) } catch { return malformed(error, request) }
        let answer = try await authorization.submit(
            submission, cookies: cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// `GET /sign-in`: the page that answers a step's form. Without its state, as from the address bar, it is an error page.
    @Sendable func show(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard let address = try request.query()[PageAddress.parameter] else {
            return answer(to: .stalePage, request.context)
        }
        let answer = try await authorization.show(
            address: address, cookies: cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// Refuses forms from other sites early, by what a modern browser reports. The CSRF token is the check that
    /// decides.
    package func faultOfAnotherSite(_ request: EndpointRequest) -> EndpointResponse? {
        request.isFromAnotherSite ? answer(to: .stalePage, request.context) : nil
    }

    /// The answer to a form that our pages never send.
    package func malformed(_ fault: MalformedValue, _ request: EndpointRequest) -> EndpointResponse {
        pages.fault(.malformedRequest(fault.description), status: .badRequest, code: "invalid_request", request.context)
    }

    private func begin(_ parameters: FormParameters, _ request: EndpointRequest) async throws -> EndpointResponse {
        let answer = try await authorization.begin(
            parameters, cookies: cookies.cookies(of: request.headers), origin: request.origin)
        return respond(with: answer, request)
    }

    /// Turns a flow's answer into a page, redirect or error page, with its cookies.
    /// - Parameters:
    ///   - way: how the browser gets back to the app; `nil` leaves it to what the browser reports.
    ///   - isElsewhere: whether the request came to another origin, so that a page is only shown at its own address.
    package func respond(
        with answer: AuthorizationAnswer, _ request: EndpointRequest, back way: Pages.WayBack? = nil,
        from isElsewhere: Bool = false
    ) -> EndpointResponse {
        var response: EndpointResponse
        switch answer.outcome {
        case .page(let page):
            response =
                pages.redirect(
                    from: request, to: page.endpoint.path, page.locales, showing: page.request, always: isElsewhere)
                ?? pages.signIn(page, acceptLanguage: request.context.acceptLanguage)
        case .account(let page):
            response =
                pages.redirect(
                    from: request, to: Endpoints.accountPage.path, page.locales, showing: page.state,
                    always: isElsewhere)
                ?? pages.account(page, acceptLanguage: request.context.acceptLanguage)
        case .device(let page):
            response =
                pages.redirect(
                    from: request, to: Endpoints.devicePage.path, page.locales, showing: page.form?.request,
                    always: isElsewhere)
                ?? pages.device(page, acceptLanguage: request.context.acceptLanguage)
        case .signedIn(let onward):
            response = pages.signedIn(onward, acceptLanguage: request.context.acceptLanguage)
        case .departure(let departure):
            response = pages.departure(departure, acceptLanguage: request.context.acceptLanguage)
        case .redirect(let redirect):
            switch redirect.mode {
            case .query:
                let way = way ?? (request.mayFollowForm ? .page(byItself: true) : .redirect)
                response = pages.back(
                    to: redirect.location, by: way, from: request, at: Endpoints.signInPage.path,
                    appearance: redirect.appearance, locales: redirect.locales, state: redirect.page,
                    ending: redirect.ending)
            case .formPost:
                response = pages.formPost(redirect, acceptLanguage: request.context.acceptLanguage)
            }
        case .returning(let redirect, let byItself):
            response = pages.back(
                to: redirect.location, by: .page(byItself: byItself), from: request, at: Endpoints.signInPage.path,
                appearance: redirect.appearance, locales: redirect.locales, ending: redirect.ending)
        case .restart(let location):
            // Always 303: what the form carried is not forwarded.
            response = EndpointResponse(status: .seeOther, headers: [.location: location])
        case .refused(let fault):
            response = self.answer(to: fault, appearance: answer.appearance, request.context)
        }
        cookies.apply(answer.cookies, to: &response)
        guard case .redirect(let redirect) = answer.outcome, let error = redirect.error else { return response }
        return response.refused(error.code, error.description)
    }

    func answer(
        to fault: AuthorizationFault, appearance: BrandAppearance? = nil, _ context: RequestFacts
    ) -> EndpointResponse {
        switch fault {
        case .unknownClient:
            pages.fault(.unknownClient, status: .badRequest, code: "invalid_client", context)
        case .unregisteredRedirectURI(let mismatch):
            answer(to: mismatch, context)
        case .unusableRequestObject(let error):
            pages.fault(
                .malformedRequest(error.detail), status: .badRequest, code: error.code.rawValue, context
            ).refused(error.code.rawValue, error.detail)
        case .unusableRequestURI:
            pages.fault(
                .expiredPage, status: .badRequest, code: OAuthError.Code.invalidRequestURI.rawValue,
                appearance: appearance, context)
        case .stalePage:
            pages.fault(
                .expiredPage, status: .badRequest, code: "expired_page", appearance: appearance, context)
        }
    }

    private func answer(to mismatch: RedirectMismatch, _ context: RequestFacts) -> EndpointResponse {
        let fault: PageFault =
            mismatch.received == nil
            ? .redirectMissing : .redirectMismatch(showsRegistrations ? mismatch.text : nil)
        let code = "invalid_redirect_uri"
        return pages.fault(fault, status: .badRequest, code: code, context)
            .refused(code, mismatch.reason, redirect: mismatch)
    }
}

extension AuthorizationRedirect {
    /// How the visit ended, in the browser that stays behind an app.
    fileprivate func ending(in words: BrandLanguage) -> Pages.Ending {
        let heading: PageText =
            switch error?.code {
            case nil: .appSignedInHeading
            // Mostly a press of "Cancel".
            case OAuthError.Code.accessDenied.rawValue: .appNotCompletedHeading
            // A fault of the request says nothing about the person.
            default: .appReturnHeading
            }
        return Pages.Ending(
            heading: words.text[heading], lead: words.text[.appReturn],
            backLabel: words.text[.appReturnLabel, ["client": app]])
    }
}

/// `POST /v1/brands/{brandIdentity}/authentication-details`.
struct AuthenticationDetailsEndpoint: Sendable {
    let details: AuthenticationDetails
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let brand: BrandID = try request.pathValue()
        let asked = try AuthenticationDetailsRequest(request.json())
        let outcome = try await details.of(asked, brand: brand)
        return answer(to: outcome, request.context)
    }

    private func answer(to outcome: AuthenticationDetailsOutcome, _ context: RequestFacts) -> EndpointResponse {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> EndpointResponse {
            faults.problem(status, code: code, detail: detail, context)
        }
        switch outcome {
        case .details(let answer):
            return .bytes(type: "application/json", answer.json.bytes)
        case .unknownBrand:
            return problem(.notFound, "brand_not_found", "There is no such brand.")
        case .unknownClient:
            return problem(.badRequest, "invalid_client", "The brand has no such client.")
        case .unauthorizedClient:
            return problem(
                .badRequest, "unauthorized_client",
                "The client is registered to push or sign its authorization requests itself.")
        case .unregisteredURL(let field):
            return problem(.badRequest, "unregistered_url", "\(field) is not registered for the client.")
        case .strategyUnavailable:
            return problem(.badRequest, "login_strategy_unavailable", "The brand does not offer this strategy.")
        case .invalidScope(let scopes):
            return problem(.badRequest, "invalid_scope", OAuthRefusal.invalidScope(scopes).reason)
        }
    }
}

extension AuthorizeEndpoint {
    package var routes: [Route] {
        [
            Route(.get, Endpoints.authorize.path, .page, get).stating(
                .pages, "authorize", "The authorization endpoint: the sign-in page, or the return to the client"),
            Route(.post, Endpoints.authorize.path, body: .form, .page, post).stating(
                .pages, "authorizeByForm", "The authorization endpoint, with its parameters in a form"),
            Route(.get, Endpoints.signInPage.path, .page, show).stating(
                .pages, "openSignInPage", "The page that answers a step of the sign-in page"),
            Route(.post, Endpoints.signInPage.path, body: .form, .page, signIn).stating(
                .pages, "submitSignInPage", "What the buttons of the sign-in page send"),
        ]
    }
}

extension AuthenticationDetailsEndpoint {
    var routes: [Route] {
        [
            Route(.post, Endpoints.authenticationDetails.path, body: .json, .problem, post).stating(
                .signIn, "getAuthenticationDetails", "Returns the URL at which a brand's people sign in"
            ) {
                Contract(
                    "The URL, with the parameters of the request", takes: AuthenticationDetailsRequest.shape,
                    gives: AuthenticationDetailsResponse.shape,
                    refuses: [
                        .unknownBrand, .unknownClient, .unauthorizedClient, .unregisteredURL(field: "redirectUri"),
                        .strategyUnavailable, .invalidScope([]),
                    ].map { answer(to: $0, RequestFacts()) })
            }
        ]
    }
}
