internal import HTTPTypes
internal import Kernel
internal import WalletAuthWire
internal import Web

/// `POST /v1/federation/apple/notifications`: changes to people's accounts at Apple. Only Apple's signature
/// authenticates the sender.
struct AppleNotificationEndpoint: Sendable {
    let notifications: AppleNotificationFlow
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let body = try request.json()
        switch try await notifications.receive(body.required("payload", body.string("payload"))) {
        case .taken: return .bytes(type: "application/json", JSONObject().bytes)
        case .refused:
            return faults.problem(
                .badRequest, code: "bad_request",
                detail: "The payload is not a notification for a client of this server.",
                request.context)
        case .unavailable(let seconds):
            return faults.problem(
                .serviceUnavailable, code: "temporarily_unavailable", detail: "Apple's keys cannot be fetched.",
                retryAfter: seconds, request.context)
        }
    }
}

extension AppleNotificationEndpoint {
    var routes: [Route] {
        [Route(.post, Endpoints.appleNotifications.path, body: .json, .problem, post)]
    }
}
