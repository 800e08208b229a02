import AuthFlows
import AuthTransactions
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `/v1/transactions` for devices: claimed, confirmed, rejected, signed, begun by the app itself.
struct DeviceTransactionEndpoints: Sendable {
    let transactions: TransactionFlows
    let answers: TransactionAnswers

    @Sendable func claim(_ request: EndpointRequest) async throws -> Response {
        let claim = try TransactionClaim(request.json())
        let call = try request.deviceCall(claim.deviceID, Endpoints.transactionClaim.path)
        return answers.response(to: try await transactions.onDevices.claim(claim, call: call).map(\.json), request)
    }

    @Sendable func confirm(_ request: EndpointRequest) async throws -> Response {
        let (id, confirmation) = (try request.transactionID, try TransactionConfirmation(request.json()))
        let call = try request.deviceCall(confirmation.deviceID, Endpoints.transactionConfirmation.path(id))
        let outcome = try await transactions.onDevices.confirm(confirmation, of: id, call: call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func reject(_ request: EndpointRequest) async throws -> Response {
        let (id, rejection) = (try request.transactionID, try TransactionRejection(request.json()))
        let call = try request.deviceCall(rejection.deviceID, Endpoints.transactionRejection.path(id))
        let outcome = try await transactions.onDevices.reject(rejection, of: id, call: call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func sign(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await transactions.onDevices.sign(
            TransactionSignature(request.json()), of: request.transactionID, origin: request.origin)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func begin(_ request: EndpointRequest) async throws -> Response {
        let draft = try TransactionDraftRequest(request.json())
        let call = try request.deviceCall(draft.deviceID, Endpoints.transactionDrafts.path)
        return answers.response(to: try await transactions.drafts.begin(draft, call: call).map(\.json), request)
    }

    /// `POST /v1/transactions` with a draft.
    func store(_ body: JSONObject, _ request: EndpointRequest) async throws -> Response {
        let outcome = try await transactions.drafts.store(SignedDraft(body), origin: request.origin)
        return answers.response(to: outcome.map(\.json), request, .created)
    }
}

extension EndpointRequest {
    /// The transaction of the path.
    fileprivate var transactionID: TransactionID {
        get throws { try pathValue("transactionId") }
    }

    /// The request with the device's signature over it.
    /// - Parameters:
    ///   - device: the device that the body names.
    ///   - path: the path below the issuer.
    fileprivate func deviceCall(_ device: DeviceID, _ path: String) throws -> PresentedDeviceCall {
        guard let key = try headers.single(.idempotencyKey) else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        return PresentedDeviceCall(
            deviceID: device, path: path, body: body, signature: try headers.single(.deviceSignature),
            idempotencyKey: try IdempotencyKey(key), origin: origin)
    }
}
