import AuthCredentials
import AuthFlows
import AuthFoundation
import AuthSignIn
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `GET|POST /sign-in/provider/{brandIdentity}/{providerId}`: a brand's identity provider redirects browsers here, back
/// to the hosted sign-in page.
struct ProviderReturnEndpoint: Sendable {
    let server: AuthorizationServer
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The answer in the query, or the answer that ``post(_:)`` sealed.
    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        let answer: ProviderReturn
        do { answer = try Self.answer(request.query(), at: Self.callback(request)) } catch {
            return authorize.malformed(error, request)
        }
        let outcome = try await server.authorization.arrive(
            with: answer, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: outcome, request)
    }

    /// The answer as a form post from the provider's page (OAuth 2.0 Form Post Response Mode). Browsers send no `Lax`
    /// cookies with a form post from another site. The answer is therefore sealed and returns in a GET, which has the
    /// cookies. The code never appears in a URL.
    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let (callback, parameters): (ProviderCallback, FormParameters?)
        do {
            let form = try request.form()
            callback = try Self.callback(request)
            parameters = try server.authorization.hold(
                try Self.response(form), state: try form.required("state"), at: callback)
        } catch let fault as MalformedValue { return authorize.malformed(fault, request) }
        guard let parameters else { return authorize.answer(to: .stalePage, request.context) }
        let page = callback.redirectURI(at: server.context.settings.issuer)
        return Response(status: .seeOther, headers: [.location: page + "?" + parameters.encoded])
    }

    private static func callback(_ request: EndpointRequest) throws(MalformedValue) -> ProviderCallback {
        ProviderCallback(brand: try request.pathValue("brandIdentity"), provider: try request.pathValue("providerId"))
    }

    private static func answer(
        _ query: FormParameters, at callback: ProviderCallback
    ) throws(MalformedValue) -> ProviderReturn {
        let (state, response) = (try query.required("state"), try response(query))
        guard let held = query["response"] else {
            return ProviderReturn(at: callback, state: state, content: .plain(response))
        }
        guard response.code == nil, response.error == nil else {
            throw MalformedValue(field: "response", reason: "cannot be combined with code or error")
        }
        return ProviderReturn(at: callback, state: state, content: .held(held))
    }

    private static func response(_ parameters: FormParameters) throws(MalformedValue) -> ProviderResponse {
        ProviderResponse(
            code: try value("code", of: parameters, longest: 2048),
            error: try value("error", of: parameters, longest: 128),
            issuer: try value("iss", of: parameters, longest: 512))
    }

    /// The sealed answer travels in a URL. Proxies and servers accept up to about 8,000 characters.
    private static func value(
        _ name: String, of parameters: FormParameters, longest: Int
    ) throws(MalformedValue) -> String? {
        guard let value = parameters[name] else { return nil }
        guard value.utf8.count <= longest else {
            throw MalformedValue(field: name, reason: "is longer than \(longest) bytes")
        }
        return value
    }
}
