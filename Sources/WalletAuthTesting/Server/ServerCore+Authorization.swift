import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in on the server's page: the callback after the person's decision, and the page's URL for an app that asks for it.
extension ServerCore {
    /// Answers at the authorization endpoint, after the person's decision.
    ///
    /// - Parameter decide: issues a code, or throws the refusal for the callback.
    /// - Returns: the callback.
    /// - Throws: `UserAgentFailure` if the server would show a page because it cannot trust the redirect URI.
    mutating func callback(
        to url: URL, now: NumericDate,
        _ decide: (inout ServerCore, AuthorizationRequest) throws(OAuthError) -> AuthorizationCode?
    ) throws -> URL {
        let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery ?? ""
        guard url.absoluteString.hasPrefix(issuer), url.path == Endpoints.authorize.path else {
            throw UserAgentFailure(.failed, reason: "this is not the page of the scripted server")
        }
        let request: Result<AuthorizationRequest, AuthorizationRequest.Refusal>
        let form = try FormParameters(parsing: query)
        do {
            request = .success(try AuthorizationRequest(form: form))
        } catch {
            request = .failure(error)
        }
        let (redirectURI, response): (RedirectURI, AuthorizationResponse)
        switch request {
        case .success(let request):
            guard request.clientID.rawValue == clientID else {
                throw UserAgentFailure(.failed, reason: "the server shows a page: unknown client")
            }
            guard request.expiresAt.map({ now < $0 }) ?? true else {
                throw UserAgentFailure(.failed, reason: "the server shows a page: the address has expired")
            }
            let outcome = outcome(of: request, decide)
            redirectURI = request.redirectURI
            response = AuthorizationResponse(outcome, state: request.state, issuer: try callbackIssuer)
        case .failure(.redirect(let target, let error)):
            redirectURI = target.redirectURI
            response = AuthorizationResponse(.error(error), state: target.state, issuer: try callbackIssuer)
        case .failure(.showPage(let error)):
            throw UserAgentFailure(.failed, reason: "the server shows a page: \(error.code)")
        }
        guard let callback = URL(string: redirectURI.appending(response.form)) else {
            throw UserAgentFailure(.failed, reason: "the redirect URI is not a URL")
        }
        return callback
    }

    private mutating func outcome(
        of request: AuthorizationRequest,
        _ decide: (inout ServerCore, AuthorizationRequest) throws(OAuthError) -> AuthorizationCode?
    ) -> AuthorizationResponse.Outcome {
        do {
            guard let code = try decide(&self, request) else { return .error(OAuthError(.serverError)) }
            return .code(code)
        } catch {
            return .error(error)
        }
    }

    private var callbackIssuer: Issuer? {
        get throws {
            switch settings.callbackIssuer {
            case .own: try Issuer(issuer)
            case .none: nil
            case .other(let issuer): try Issuer(issuer)
            }
        }
    }

    /// `authentication-details`: the URL of the authorization endpoint with the requested parameters.
    func authenticationDetails(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let details = try AuthenticationDetailsRequest(request.json)
        guard details.clientID.rawValue == clientID else {
            return problem(400, "bad_request")
        }
        var authorization = AuthorizationRequest(
            clientID: details.clientID, redirectURI: details.redirectURI, codeChallenge: details.codeChallenge,
            scope: try details.scope ?? Scope("openid"), state: details.state)
        authorization.nonce = details.nonce
        authorization.loginHint = details.loginHint
        authorization.loginStrategy = details.loginStrategy
        authorization.expiresAt = now.advanced(by: .seconds(Self.detailsLifetime))
        let url = try Issuer(issuer).url(path: Endpoints.authorize.path) + "?" + authorization.form.encoded
        return .json(
            AuthenticationDetailsResponse(authenticationURL: try WebURL(url), expiresIn: Self.detailsLifetime).json)
    }

    /// The lifetime of the URL, in seconds.
    private static let detailsLifetime: Int64 = 600
}
