import HTTPTypes
import Kernel
import SignIn
import Web

/// Answers to callers that were refused, with the nonce for their next proof.
struct CallerAnswers: Sendable {
    let faults: FaultAnswers
    let pins: PINAnswers

    func response(to refusal: OAuthRefusal, _ request: EndpointRequest, on route: Route) -> EndpointResponse {
        let isOfApp = !Set(route.callers).isDisjoint(with: [.app, .consentingApp, .administrator])
        if case .unauthorizedClient = refusal, isOfApp {
            return faults.problem(
                .forbidden, code: "client_not_allowed", detail: "Only the operator's own apps may do this.",
                request.context)
        }
        let hasToken = request.headers.contains(.authorization) || route.callers.first == .app
        var response: EndpointResponse =
            hasToken ? .challenge(refusal, to: request.context.scheme) : .tokenMissing()
        if case .scim = route.errorFormat {
            // SCIM's errors have a body always (RFC 7644 §3.12).
            let reason = hasToken ? refusal.reason : "The request has no access token."
            let failure = SCIMFailure(response.status, reason).response
            response.body = failure.body
            response.headers[.contentType] = failure.headers[.contentType]
        }
        return response
    }

    /// Adds the nonce for the next proof: always for apps and devices, for other callers only if they sent a proof.
    func offerNonce(_ response: inout EndpointResponse, _ request: EndpointRequest, on route: Route) {
        guard let caller = route.callers.first else { return }
        let isAlwaysProved = caller == .app || caller == .device || caller == .administrator
        if isAlwaysProved || request.headers.contains(.dpop) { response.offerNonce(pins.proofs) }
    }
}
