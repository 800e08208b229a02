import AuthCore
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// Answers 401 ahead of 400: what a stranger sent is not judged.
///
/// A flow checks who calls itself. This check is for requests that no flow sees, since they cannot be understood.
struct CallerCheck: Sendable {
    let server: AuthorizationServer
    let pins: PINAnswers

    /// The answer to a caller that the route does not let in.
    /// - Returns: `nil` where it does, where the route has no callers of its own, and where the header that should say who calls is
    ///   what is malformed.
    /// - Throws: infrastructure trouble.
    func refusal(of request: EndpointRequest, on route: Route) async throws -> Response? {
        var refusal: Response?
        for caller in route.callers {
            guard let refused = try await self.refusal(of: request, as: caller) else { return nil }
            refusal = refusal ?? refused
        }
        return refusal
    }

    private func refusal(of request: EndpointRequest, as caller: Route.Caller) async throws -> Response? {
        switch caller {
        case .token(let kind):
            guard let call = try? request.call(), let refusal = try await server.callers.refusal(of: call, as: kind)
            else { return nil }
            return answer(to: refusal, of: call, as: kind, request)
        case .device:
            // Which device it is only the content says; a request without a signature is nobody's.
            guard !request.headers.contains(.deviceSignature) else { return nil }
            return pins.response(to: .failure(.staleNonce(server.proofs.currentNonce())), request)
        }
    }

    private func answer(
        to refusal: OAuthRefusal, of call: PresentedCall, as kind: CallerKind, _ request: EndpointRequest
    ) -> Response {
        if kind == .app {
            return pins.devices.response(
                to: Result<Void, DeviceRefusal>.failure(.unauthorized(refusal)), request
            ) { Response(status: .ok) }
        }
        var response =
            call.authorization == nil ? Response.tokenMissing() : .challenge(refusal, to: request.context.scheme)
        response.offerNonce(server, answering: call.proof)
        return response
    }
}
