import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `GET|POST /sign-in/provider`: where identity providers send browsers back to the hosted sign-in page.
struct ProviderReturnEndpoint: Sendable {
    let server: AuthorizationServer
    /// Its cookies, its pages and its answers are the sign-in's.
    let authorize: AuthorizeEndpoint

    /// The answer in the query, or the one that ``post(_:)`` sealed.
    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        let answer: ProviderReturn
        do { answer = try Self.answer(request.query()) } catch { return authorize.malformed(error, request) }
        let outcome = try await server.authorization.arrive(
            with: answer, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: outcome, request)
    }

    /// The answer by a form that the provider's page posts (OAuth 2.0 Form Post Response Mode). Browsers send no `Lax` cookie with
    /// what another site posts, so it is sealed and comes again as a GET, which has them; no code is in its URL.
    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let parameters: FormParameters?
        do {
            let form = try request.form()
            parameters = try server.authorization.hold(Self.response(form), state: try form.required("state"))
        } catch let fault as MalformedValue { return authorize.malformed(fault, request) }
        guard let parameters else { return authorize.answer(to: .stalePage, request.context) }
        let page = server.context.settings.issuer.url(path: Endpoints.providerSignIn.path)
        return Response(status: .seeOther, headers: [.location: page + "?" + parameters.encoded])
    }

    private static func answer(_ query: FormParameters) throws(MalformedValue) -> ProviderReturn {
        let (state, response) = (try query.required("state"), response(query))
        guard let held = query["response"] else { return ProviderReturn(state: state, content: .plain(response)) }
        guard response.code == nil, response.error == nil else {
            throw MalformedValue(field: "response", reason: "is not alone")
        }
        return ProviderReturn(state: state, content: .held(held))
    }

    private static func response(_ parameters: FormParameters) -> ProviderResponse {
        ProviderResponse(code: parameters["code"], error: parameters["error"], issuer: parameters["iss"])
    }
}
