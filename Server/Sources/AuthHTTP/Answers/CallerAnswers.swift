import AuthCore
import AuthFlows
import Hummingbird

/// Tells callers that they are not let in, and which nonce their next proof has to hold.
struct CallerAnswers: Sendable {
    let server: AuthorizationServer
    let pins: PINAnswers

    /// The answer to an access token or a proof that is refused.
    func response(to refusal: OAuthRefusal, _ request: EndpointRequest, on route: Route) -> Response {
        if case .unauthorizedClient = refusal, route.callers.contains(.app) {
            return pins.faults.problem(
                .forbidden, code: "client_not_allowed", detail: "Only the operator's own apps may do this.",
                request.context)
        }
        guard request.headers.contains(.authorization) || route.callers == [.app] else { return .tokenMissing() }
        return .challenge(refusal, to: request.context.scheme)
    }

    /// The answer to a device whose signature is refused.
    func response(to refusal: DeviceCallRefusal, _ request: EndpointRequest) -> Response {
        pins.response(to: .failure(DevicePINRefusal(refusal)), request)
    }

    /// Adds the nonce for the next proof: for apps and devices always, for others where they sent a proof.
    func offerNonce(_ response: inout Response, _ request: EndpointRequest, on route: Route) {
        guard let caller = route.callers.first else { return }
        let isAlwaysProved = caller == .app || caller == .device
        if isAlwaysProved || request.headers.contains(.dpop) { response.offerNonce(server) }
    }
}
