import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/wallet-operations`: a backend requests consent before it moves money, and consumes the consent when it does.
struct WalletOperationEndpoints: Sendable {
    let operations: RequestedOperations
    let faults: FaultAnswers

    @Sendable func create(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await operations.create(
            WalletOperationRequest(request.json()), key: request.idempotencyKey(), call: call)
        return answer(to: outcome.map(\.json), request, .created)
    }

    @Sendable func show(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await operations.find(request.pathValue(), call: call)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func cancel(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await operations.cancel(request.pathValue(), call: call)
        switch outcome {
        case .success: return EndpointResponse(status: .noContent)
        case .failure(let refusal): return answer(to: .failure(refusal), request)
        }
    }

    @Sendable func consume(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await operations.consume(
            OperationConsumption(request.json()), of: request.pathValue(),
            key: request.idempotencyKey(), call: call)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func evidence(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        switch try await operations.evidence(of: request.pathValue(), call: call) {
        case .success(let document): .bytes(type: OperationEvidence.mediaType, Array(document.rawValue.utf8))
        case .failure(let refusal): answer(to: .failure(refusal), request)
        }
    }

    private func answer(
        to outcome: Result<JSONObject, WalletOperationRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        switch outcome {
        case .success(let json): return .bytes(status, type: "application/json", json.bytes)
        case .failure(let refusal):
            let (status, code, detail) = refusal.answer
            var response = faults.problem(status, code: code, detail: detail, request.context)
            if case .tooManyOpen(let seconds) = refusal { response.headers[.retryAfter] = String(seconds) }
            return response
        }
    }
}

extension WalletOperationRefusal {
    fileprivate var answer: (status: HTTPResponse.Status, code: String, detail: String) {
        switch self {
        case .accountNotFound: (.notFound, "account_not_found", "Your brand has no such open account.")
        case .sessionNotFound:
            (
                .notFound, "session_not_found",
                "The account has no such session, or it has ended: sessionId is the sid of the person's access token."
            )
        case .appNotFirstParty:
            (
                .conflict, "app_not_first_party",
                """
                The operation needs the person's consent, and the app of the session may not ask for it: it is not \
                first-party.
                """
            )
        case .operationExists:
            (
                .conflict, "operation_exists",
                """
                You used this walletOperationId with another sessionId or other fields. Before you request a payment again \
                with another walletOperationId, get this operation: it may have been carried out.
                """
            )
        case .keyReused:
            (.unprocessableContent, "idempotency_mismatch", "The Idempotency-Key was used for another operation.")
        case .operationNotFound:
            (.notFound, "operation_not_found", "You have no operation with this walletOperationId.")
        case .alreadyUsed:
            (
                .conflict, "sca_already_used",
                """
                The operation was already used; its evidence says when. To repeat a call whose answer was lost, send the \
                Idempotency-Key of that call. If it had none, look in your own records whether the money moved.
                """
            )
        case .notVerified: (.conflict, "sca_not_verified", "The person has not agreed to the operation.")
        case .operationChanged:
            (
                .conflict, "operation_changed",
                """
                This is not the operation that you requested: type, amount, payee, details or accountId differ, or eventId \
                differs or is missing.
                """
            )
        case .tooManyOpen:
            (
                .tooManyRequests, "too_many_operations",
                """
                Too many operations for this account or session were requested but not carried out. Carry out or \
                cancel the open ones, or wait.
                """
            )
        case .trustedPayeesFull:
            (
                .conflict, "trusted_payees_full",
                "The person has reached the limit of trusted payees. Remove one with DISTRUST_PAYEE first."
            )
        case .trustedPayeeNotFound:
            (
                .notFound, "trusted_payee_not_found",
                """
                The person's list of trusted payees at your backend does not contain payee.account. Nothing was \
                removed.
                """
            )
        case .seriesNotFound:
            (
                .notFound, "series_not_found",
                """
                details.series must be one of your BEGIN_SERIES operations that the account agreed to and you carried \
                out.
                """
            )
        case .seriesEnded: (.conflict, "series_ended", "The person has ended the series. Request the payment again.")
        case .exemptionOver:
            (
                .conflict, "exemption_over",
                """
                The exemption that let the payment pass no longer applies. Request it again with another \
                walletOperationId.
                """
            )
        case .over(let end): (.conflict, "operation_\(end.word)", end.detail)
        }
    }
}

extension SCAEvent.End {
    var word: String {
        switch self {
        case .locked: "locked"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .used: "used"
        }
    }

    /// For developers.
    var detail: String {
        switch self {
        case .locked: "There were too many wrong attempts. Request the operation again with another walletOperationId."
        case .expired: "The operation has expired. Request it again with another walletOperationId."
        case .cancelled:
            "The operation was cancelled, or the person refused it. Request it again with another walletOperationId."
        case .used: "The operation was already carried out."
        }
    }
}

extension WalletOperationEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            WalletOperationRefusal.all.map { answer(to: .failure($0), .unknown) }
        }
        return [
            Route(
                .post, Endpoints.walletOperations.path, body: .json, .problem, by: .backend(RequestedOperations.scope),
                create
            ).stating(
                .walletOperations, "createWalletOperation",
                "Opens an operation, and says whether it needs the person's consent"
            ) {
                Contract(
                    "The operation, with the event to consent to unless it is exempt",
                    takes: WalletOperationRequest.shape, repeats: .optional, .created,
                    gives: WalletOperationResponse.shape, refuses: refusals())
            },
            Route(.get, Endpoints.walletOperation.path, .problem, by: .backend(RequestedOperations.scope), show)
                .stating(.walletOperations, "getWalletOperation", "Shows an operation") {
                    Contract(
                        "The operation with its present status", gives: WalletOperationResponse.shape,
                        refuses: refusals())
                },
            Route(.delete, Endpoints.walletOperation.path, .problem, by: .backend(RequestedOperations.scope), cancel)
                .stating(.walletOperations, "cancelWalletOperation", "Cancels an operation that was not carried out") {
                    Contract("It is cancelled, or was before", .noContent, refuses: refusals())
                },
            Route(
                .post, Endpoints.walletOperationConsumption.path, body: .json, .problem,
                by: .backend(RequestedOperations.scope), consume
            ).stating(
                .walletOperations, "consumeWalletOperation",
                "Uses up the consent to an operation that is about to be carried out"
            ) {
                Contract(
                    "The operation may be carried out, once", takes: OperationConsumption.shape, repeats: .optional,
                    gives: OperationAuthorization.shape,
                    refuses: refusals())
            },
            Route(
                .get, Endpoints.walletOperationEvidence.path, .problem, by: .backend(RequestedOperations.scope),
                evidence
            ).stating(.walletOperations, "getWalletOperationEvidence", "Returns the signed evidence of an operation") {
                Contract("A JWS, to be kept byte for byte", as: OperationEvidence.mediaType, refuses: refusals())
            },
        ]
    }
}
