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
            Route(
                .post, Endpoints.transactionClaim.path, body: .json, .problem,
                by: .device(TransactionClaim.self, at: Endpoints.transactionClaim), claim
            ).stating(.transactions, "claimTransaction", "Claims the transaction of a QR code for this device") {
                Contract(
                    "The transaction", takes: TransactionClaim.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(
                .post, Endpoints.transactionDrafts.path, body: .json, .problem,
                by: .device(TransactionDraftRequest.self, at: Endpoints.transactionDrafts), begin
            ).stating(.transactions, "draftTransaction", "Begins a transaction in the app") {
                Contract(
                    "The draft to sign", takes: TransactionDraftRequest.shape, gives: TransactionDraftResponse.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(
                .post, Endpoints.transactionConfirmation.path, body: .json, .problem,
                by: .device(TransactionConfirmation.self, at: Endpoints.transactionConfirmation), confirm
            ).stating(.transactions, "confirmTransaction", "Confirms what the transaction says, before it is signed") {
                Contract(
                    "The transaction", takes: TransactionConfirmation.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(
                .post, Endpoints.transactionRejection.path, body: .json, .problem,
                by: .device(TransactionRejection.self, at: Endpoints.transactionRejection), reject
            ).stating(.transactions, "rejectTransaction", "Rejects a transaction") {
                Contract(
                    "The transaction", takes: TransactionRejection.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(.post, Endpoints.transactionSignature.path, body: .json, .problem, sign).stating(
                .transactions, "signTransaction", "Signs a transaction"
            ) {
                Contract(
                    "The transaction", takes: TransactionSignature.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
        ]
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
