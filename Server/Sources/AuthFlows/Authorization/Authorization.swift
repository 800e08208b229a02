public import WalletAuthWire

/// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
public struct Authorization: Sendable {
    let context: ServerContext

    /// The authorization endpoint, `GET` or `POST` (OpenID Connect Core §3.1.2.1).
    ///
    /// It takes the parameters and not a checked request, because a fault has to be told to the app by a redirect as
    /// soon as client and redirect URI are known to belong together, and on an error page before that.
    /// - Parameters:
    ///   - parameters: the query or the form; doubled names were refused at the edge.
    ///   - cookies: what the browser brought.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure trouble.
    public func begin(
        _ parameters: FormParameters, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        throw NotServed()
    }

    /// What a person sent from the hosted page.
    /// - Parameters:
    ///   - submission: the form.
    ///   - cookies: what the browser brought.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure trouble.
    public func submit(
        _ submission: PageSubmission, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        throw NotServed()
    }

    /// A brand's authentication details: a URL that begins the code flow with the brand's look and the hints applied.
    /// - Parameters:
    ///   - request: what the app asked for.
    ///   - brand: the brand of the path.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure trouble.
    public func authenticationDetails(
        _ request: AuthenticationDetailsRequest, brand: BrandID, origin: RequestOrigin
    ) async throws -> AuthenticationDetailsOutcome {
        throw NotServed()
    }
}
