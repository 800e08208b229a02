import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// `/v1/transactions` for devices: claim, confirm, reject, sign, and start one in the app.
struct DeviceTransactionEndpoints: Sendable {
    let transactions: TransactionFlows
    let answers: TransactionAnswers

    @Sendable func claim(
        _ request: EndpointRequest, _ signed: DeviceRequest<TransactionClaim>
    ) async throws -> EndpointResponse {
        let outcome = try await transactions.onDevices.claim(signed.content, call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func confirm(
        _ request: EndpointRequest, _ signed: DeviceRequest<TransactionConfirmation>
    ) async throws -> EndpointResponse {
        let outcome = try await transactions.onDevices.confirm(
            signed.content, of: request.transactionID, call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func reject(
        _ request: EndpointRequest, _ signed: DeviceRequest<TransactionRejection>
    ) async throws -> EndpointResponse {
        let outcome = try await transactions.onDevices.reject(
            signed.content, of: request.transactionID, call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func sign(_ request: EndpointRequest) async throws -> EndpointResponse {
        let outcome = try await transactions.onDevices.sign(
            TransactionSignature(request.json()), of: request.transactionID, origin: request.origin)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func begin(
        _ request: EndpointRequest, _ signed: DeviceRequest<TransactionDraftRequest>
    ) async throws -> EndpointResponse {
        let outcome = try await transactions.drafts.begin(signed.content, call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    /// `POST /v1/transactions` with a draft.
    func store(_ body: JSONObject, _ request: EndpointRequest) async throws -> EndpointResponse {
        let outcome = try await transactions.drafts.store(SignedDraft(body), origin: request.origin)
        return answers.response(to: outcome.map(\.json), request, .created)
    }
}

extension EndpointRequest {
    fileprivate var transactionID: TransactionID {
        get throws { try pathValue() }
    }
}

extension TransactionClaim: DeviceContent {}

extension TransactionConfirmation: DeviceContent {}

extension TransactionRejection: DeviceContent {}

extension TransactionDraftRequest: DeviceContent {}

extension DeviceTransactionEndpoints {
    var routes: [Route] {
        [
            answers.route(
                Endpoints.transactionClaim, "claimTransaction", "Claims the transaction of a QR code for this device",
                gives: "The transaction", DeviceTransaction.shape, claim),
            answers.route(
                Endpoints.transactionDrafts, "draftTransaction", "Begins a transaction in the app",
                gives: "The draft to sign", TransactionDraftResponse.shape, begin),
            answers.route(
                Endpoints.transactionConfirmation, "confirmTransaction",
                "Confirms what the transaction says, before it is signed", gives: "The transaction",
                DeviceTransaction.shape, confirm),
            answers.route(
                Endpoints.transactionRejection, "rejectTransaction", "Rejects a transaction", gives: "The transaction",
                DeviceTransaction.shape, reject),
            answers.signature(
                Endpoints.transactionSignature, "signTransaction", "Signs a transaction", gives: "The transaction", sign
            ),
        ]
    }
}

extension TransactionAnswers {
    /// A call that an enrolled device signs.
    /// - Parameter answer: the body of a success; `nil` for none.
    func route<Content: DeviceContent & WireShaped>(
        _ endpoint: Endpoint, _ id: String, _ summary: String, gives meaning: String, _ answer: WireShape?,
        _ handler: @escaping @Sendable (EndpointRequest, DeviceRequest<Content>) async throws -> EndpointResponse
    ) -> Route {
        Route(.post, endpoint.path, body: .json, .problem, by: .device(Content.self, at: endpoint), handler).stating(
            .transactions, id, summary
        ) {
            Contract(
                meaning, takes: Content.shape, answer == nil ? .noContent : .ok, gives: answer, refuses: ofDeviceCalls)
        }
    }

    /// A call that proves by the assertion in it who signs.
    func signature(
        _ endpoint: Endpoint, _ id: String, _ summary: String, gives meaning: String,
        _ handler: @escaping @Sendable (EndpointRequest) async throws -> EndpointResponse
    ) -> Route {
        Route(.post, endpoint.path, body: .json, .problem, handler).stating(.transactions, id, summary) {
            Contract(
                meaning, takes: TransactionSignature.shape, gives: DeviceTransaction.shape, refuses: ofDeviceCalls)
        }
    }
}

/// Maps the refusals of the transaction flows to responses.
struct TransactionAnswers: Sendable {
    let pins: PINAnswers

    /// One of each kind that a device's call may get.
    var ofDeviceCalls: [EndpointResponse] {
        TransactionRefusal.all.map { .refusal($0, .unknown) } + PINRefusal.all.map { pins.answer(to: $0, .unknown) }
    }

    func response<Value>(
        to outcome: Result<Value, TransactionRefusal>, _ request: EndpointRequest,
        _ success: (Value) -> EndpointResponse
    ) -> EndpointResponse {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): .refusal(refusal, request)
        }
    }

    func response(
        to outcome: Result<JSONObject, TransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        response(to: outcome, request) { .bytes(status, type: "application/json", $0.bytes) }
    }

    func response(
        to outcome: Result<JSONObject, DeviceTransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        switch outcome {
        case .success(let json):
            var response = EndpointResponse.bytes(status, type: "application/json", json.bytes)
            response.offerNonce(pins.proofs)
            return response
        case .failure(.assertion(let refusal)): return pins.answer(to: refusal, request)
        case .failure(.refused(let refusal)):
            var response = EndpointResponse.refusal(refusal, request)
            response.offerNonce(pins.proofs)
            return response
        }
    }
}
