package import Kernel
package import WalletAuthWire
package import Web

/// The answer of the authorization endpoint and the hosted pages.
package struct AuthorizationAnswer: Sendable {
    package enum Outcome: Sendable {
        /// A page of the sign-in.
        case page(SignInPage)
        /// The account's own page.
        case account(AccountPage)
        /// The page on which a person decides on a device.
        case device(DevicePage)
        /// A redirect to an identity provider.
        case departure(ProviderRedirect)
        /// A redirect back to the app.
        case redirect(AuthorizationRedirect)
        /// The page that leads to the app, at its own address. `byItself` is false when it is loaded later: the app then opens by the link.
        case returning(AuthorizationRedirect, byItself: Bool)
        /// A redirect to the beginning of the same request, at this server: the form no longer belongs to the browser.
        case restart(String)
        /// A page from before the browser's latest sign-in or "Cancel", come back from its history.
        case signedIn(SignInOnward)
        /// An error page: the request contains no URI that is safe to redirect to.
        case refused(AuthorizationFault)
    }

    package var outcome: Outcome
    /// Cookies to set or remove.
    package var cookies: [CookieChange]
    /// The look of an error page in place of a page of this server's; `nil` if the request may be forged.
    package var appearance: BrandAppearance?
}

/// The way on for a person whose sign-in is over.
package struct SignInOnward: Sendable {
    /// The beginning of the same request.
    package var location: String
    /// The name of the app.
    package var app: String
    package var appearance: BrandAppearance
    /// The languages of the request, best first.
    package var locales: [LocaleTag]
    /// Whether the person cancelled instead of signing in.
    package var isCancelled = false
}

/// A response to the app's redirect URI.
package struct AuthorizationRedirect: Sendable {
    /// How the parameters are sent.
    package enum Mode: String, Sendable, Codable {
        /// In the query.
        case query
        /// In a form that posts itself (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// The redirect URI of the request, registered exactly.
    package var redirectURI: String
    /// The name of the app.
    package var app: String
    package var mode: Mode
    /// In order: `code`, or `error` with its description; `state`; `iss` (RFC 9207).
    package var parameters: [(name: String, value: String)]
    /// Whether the app gets them signed only.
    var isSigned: Bool
    /// The JWT with them; `nil` until they are signed.
    var response: String?
    /// The look of the page that leads to the app; `nil` without a page.
    package var appearance: BrandAppearance?
    /// The languages of that page, best first.
    package var locales: [LocaleTag] = []
    /// The sealed state in the address of that page; `nil` for a page without one.
    package var page: String?

    /// The error that the response reports, with its description; `nil` for a code.
    var error: (code: String, description: String?)? {
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        return value("error").map { ($0, value("error_description")) }
    }

    /// What the app gets: the parameters, or one with all of them signed, and never them unsigned.
    package var sent: [(name: String, value: String)] {
        isSigned ? response.map { [(name: "response", value: $0)] } ?? [] : parameters
    }

    /// The URL for ``Mode/query``: the redirect URI with what the app gets appended to its query.
    package var location: String {
        var form = FormParameters()
        for (name, value) in sent { form.append(name, value) }
        guard let uri = try? RedirectURI(redirectURI) else { return redirectURI }
        return uri.appending(form)
    }
}

/// The reason for an error page instead of a redirect.
package enum AuthorizationFault: Error, Sendable, Hashable {
    /// No client has this id.
    case unknownClient
    /// The redirect URI is missing, malformed or not registered exactly.
    case unregisteredRedirectURI(RedirectMismatch)
    /// The reference to a pushed request is unknown, expired, used or another client's: the person has to start again in the app.
    case unusableRequestURI
    /// The client did not sign the request object, or not for now and this server.
    case unusableRequestObject(OAuthError)
    /// The page is too old, or the browser sends no cookies: the person has to start again in the app.
    case stalePage
}

package enum AuthenticationDetailsOutcome: Sendable {
    /// 200.
    case details(AuthenticationDetailsResponse)
    /// 404 `brand_not_found`.
    case unknownBrand
    /// The brand has no such client: 400 `invalid_client`.
    case unknownClient
    /// The client has to push or sign its requests itself: 400 `unauthorized_client`.
    case unauthorizedClient
    /// A URL is not registered for the client: 400 `unregistered_url`, with the name of the field.
    case unregisteredURL(field: String)
    /// The brand does not offer this strategy: 400 `login_strategy_unavailable`.
    case strategyUnavailable
    /// The client may not request these scopes: 400 `invalid_scope`.
    case invalidScope([String])
}
