import HTTPTypes
import SignIn
import WalletAuthWire
package import Web

/// `/v1/approvals/{eventId}`: a person's approval on a device of what another session requested. The list is in `Transactions`, since it
/// has both kinds.
struct ApprovalEndpoints: Sendable {
    let approvals: PhoneApprovals
    let answers: ApprovalAnswers

    @Sendable func approve(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let event: SCAEventID = try request.pathValue()
        switch try await approvals.approve(ApprovalAttempt(request.json()), of: event, by: call) {
        case .success(let response): return .bytes(type: "application/json", response.json.bytes)
        case .failure(let refusal): return answers.answer(to: refusal, request)
        }
    }

    @Sendable func refuse(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let event: SCAEventID = try request.pathValue()
        switch try await approvals.refuse(SCARefusalRequest(request.json()), of: event, by: call) {
        case .success: return EndpointResponse(status: .noContent)
        case .failure(let refusal): return answers.answer(to: refusal, request)
        }
    }

    var routes: [Route] {
        [
            Route(.post, Endpoints.approvalAttempts.path, body: .json, .problem, by: .app, approve).stating(
                .consent, "approveOperation", "Approves on this device what another session requested"
            ) {
                Contract(
                    "How it ended", takes: ApprovalAttempt.shape, gives: SCAAttemptResponse.shape,
                    refuses: ApprovalRefusal.all.map { answers.answer(to: $0, .unknown) })
            },
            Route(.post, Endpoints.approvalRefusal.path, body: .json, .problem, by: .app, refuse).stating(
                .consent, "refuseOperation", "Refuses for good what another session requested"
            ) {
                Contract(
                    "The operation is refused", takes: SCARefusalRequest.shape, .noContent,
                    refuses: (ApprovalRefusal.ofDevice + [.consent(.eventNotFound), .consent(.over(.locked))]).map {
                        answers.answer(to: $0, .unknown)
                    })
            },
        ]
    }
}

/// Maps the refusals of approvals to responses.
package struct ApprovalAnswers: Sendable {
    private let consents: ConsentAnswers

    package init(_ faults: FaultAnswers) { consents = ConsentAnswers(faults: faults) }

    package func answer(to refusal: ApprovalRefusal, _ request: EndpointRequest) -> EndpointResponse {
        switch refusal {
        case .noDevice:
            consents.faults.problem(
                .notFound, code: "device_not_found", detail: "This session was not opened on an enrolled device.",
                request.context)
        case .instanceUnverified: .refusal(.instanceUnverified, request)
        case .cooling(let until): .refusal(.deviceCooling(until: until), request)
        case .consent(let refusal): consents.answer(to: .failure(refusal), request)
        }
    }
}
