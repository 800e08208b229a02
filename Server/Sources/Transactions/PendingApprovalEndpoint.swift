import Consent
import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// `GET /v1/approvals`.
struct PendingApprovalEndpoint: Sendable {
    let approvals: PendingApprovals
    let answers: ApprovalAnswers

    private static let parameters: [WireObject.Member] = [.optional("cursor", .text(nil))]

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let parameters = try request.query()
        try parameters.requireNoOthers(than: Self.parameters)
        let cursor = try parameters["cursor"].map { try TransactionCursor($0) }
        switch try await approvals.page(after: cursor, call: call) {
        case .success(let page): return .bytes(type: "application/json", page.json.bytes)
        case .failure(let refusal): return answers.answer(to: refusal, request)
        }
    }

    var route: Route {
        Route(.get, Endpoints.approvals.path, .problem, by: .app, list).stating(
            .transactions, "listApprovals", "Lists what waits for the person's approval on this device"
        ) {
            Contract(
                "A page of the list", query: Self.parameters, gives: ApprovalPage.shape,
                refuses: ApprovalRefusal.ofDevice.map { answers.answer(to: $0, .unknown) })
        }
    }
}
