package import WalletAuthWire

/// What the authorization endpoint and the hosted page answer, with the cookies to set beside it.
package struct AuthorizationAnswer: Sendable {
    /// The answer.
    package enum Outcome: Sendable {
        /// Ask the person.
        case page(SignInPage)
        /// The account's own page.
        case account(AccountPage)
        /// Off to an identity provider.
        case departure(ProviderRedirect)
        /// Back to the app.
        case redirect(AuthorizationRedirect)
        /// An error page without a redirect: the request names nobody whom one could safely redirect to.
        case refused(AuthorizationFault)
    }

    /// The answer.
    package var outcome: Outcome
    /// The cookies to set or remove.
    package var cookies: [CookieChange]
}

/// A response on its way to the app's redirect URI.
package struct AuthorizationRedirect: Sendable {
    /// How the parameters travel.
    package enum Mode: String, Sendable, Codable {
        /// In the query, by a 303.
        case query
        /// In a form that posts itself (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// The redirect URI of the request, registered to the letter.
    package var redirectURI: String
    /// How the parameters travel.
    package var mode: Mode
    /// The parameters in order: `code` or `error` with its description, `state`, `iss` (RFC 9207).
    package var parameters: [(name: String, value: String)]
    /// How the page that carries a ``Mode/formPost`` looks; `nil` where no page does.
    package var appearance: BrandAppearance?

    /// The `Location` for ``Mode/query``: the redirect URI with the parameters appended to its query.
    package var location: String {
        var form = FormParameters()
        for (name, value) in parameters { form.append(name, value) }
        guard let uri = try? RedirectURI(redirectURI) else { return redirectURI }
        return uri.appending(form)
    }
}

/// Why there is an error page and no redirect.
package enum AuthorizationFault: Error, Sendable, Hashable {
    /// No client has this id.
    case unknownClient
    /// The redirect URI is missing, malformed or not registered to the letter.
    case unregisteredRedirectURI
    /// The request URI is malformed, expired or another client's.
    case invalidRequestURI
    /// The page is too old, or was served to another browser: the person has to begin again in the app.
    case stalePage
}

/// What `authentication-details` answers.
package enum AuthenticationDetailsOutcome: Sendable {
    /// 200.
    case details(AuthenticationDetailsResponse)
    /// There is no such brand: 404 `brand_not_found`.
    case unknownBrand
    /// There is no such client in the brand: 400 `invalid_client`.
    case unknownClient
    /// A URL is not registered for the client: 400 `unregistered_url`. The field is named.
    case unregisteredURL(field: String)
    /// The brand does not offer this strategy: 400 `login_strategy_unavailable`.
    case strategyUnavailable
    /// The scope is more than the client may ask for: 400 `invalid_scope`.
    case invalidScope
}
