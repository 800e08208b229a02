import AuthFlows
import AuthSignIn
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `POST /v1/brands/{brandIdentity}/authentication-details`.
struct AuthenticationDetailsEndpoint: Sendable {
    let server: AuthorizationServer
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let brand: BrandID = try request.pathValue("brandIdentity")
        let details = try AuthenticationDetailsRequest(request.json())
        let outcome = try await server.authorization.authenticationDetails(
            details, brand: brand, origin: request.origin)
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> Response {
            faults.problem(status, code: code, detail: detail, request.context)
        }
        switch outcome {
        case .details(let answer):
            return .bytes(type: "application/json", answer.json.bytes)
        case .unknownBrand:
            return problem(.notFound, "brand_not_found", "There is no such brand.")
        case .unknownClient:
            return problem(.badRequest, "invalid_client", "The brand has no such client.")
        case .unregisteredURL(let field):
            return problem(.badRequest, "unregistered_url", "\(field) is not registered for the client.")
        case .strategyUnavailable:
            return problem(.badRequest, "login_strategy_unavailable", "The brand does not offer this strategy.")
        case .invalidScope:
            return problem(.badRequest, "invalid_scope", "The client may not request this scope.")
        }
    }
}
