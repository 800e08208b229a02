import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/sca/events/{eventId}`: a person's consent to an operation, from the app.
struct SCAEventEndpoints: Sendable {
    let events: ConsentEvents
    let answers: ConsentAnswers

    @Sendable func challenge(
        _ request: EndpointRequest, _ asked: EventRequest<SCAChallengeRequest>
    ) async throws -> EndpointResponse {
        let outcome = try await events.challenge(asked.content, by: asked.call)
        return answers.answer(to: outcome.map(\.json), request)
    }

    @Sendable func attempt(
        _ request: EndpointRequest, _ answered: EventRequest<SCAAttemptRequest>
    ) async throws -> EndpointResponse {
        let outcome = try await events.attempt(answered.content, by: answered.call)
        return answers.answer(to: outcome.map(\.json), request)
    }

    @Sendable func refuse(
        _ request: EndpointRequest, _ refused: EventRequest<SCARefusalRequest>
    ) async throws -> EndpointResponse {
        switch try await events.refuse(by: refused.call, isWithdrawal: refused.content.isWithdrawal) {
        case .success: EndpointResponse(status: .noContent)
        case .failure(let refusal): answers.answer(to: .failure(refusal), request)
        }
    }
}

/// Maps the refusals of consents to responses.
struct ConsentAnswers: Sendable {
    let faults: FaultAnswers

    func answer(to outcome: Result<JSONObject, ConsentRefusal>, _ request: EndpointRequest) -> EndpointResponse {
        switch outcome {
        case .success(let json): return .bytes(type: "application/json", json.bytes)
        case .failure(.unauthorized(let refusal)): return .challenge(refusal, to: request.context.scheme)
        case .failure(.strongerSignIn):
            let (status, code, detail) = ConsentRefusal.strongerSignIn.answer
            var response = faults.problem(status, code: code, detail: detail, request.context)
            response.demand(
                AuthenticationRequirements(acrValues: [AuthenticationStrength.twoFactors], maximumAge: 0),
                "A sign-in on this device is needed.")
            return response
        case .failure(.tooManyAttempts(let seconds)):
            return faults.tooManyAttempts(retryAfter: seconds, request.context)
        case .failure(.verificationUnavailable(let offered)):
            return unavailable(
                "verification_unavailable",
                "The person cannot agree this way, or it would have no effect. Use one of availableVerifications.",
                offered,
                request)
        case .failure(.pushUnavailable(let offered)):
            return unavailable(
                "push_unavailable",
                "No push message reaches a device that could approve. Use one of availableVerifications.", offered,
                request)
        case .failure(.over(.locked)): return over(.locked, request) { $0.remainingAttempts = 0 }
        case .failure(.refused): return over(.cancelled, request) { $0.refused = true }
        case .failure(let refusal):
            let (status, code, detail) = refusal.answer
            return faults.problem(status, code: code, detail: detail, request.context)
        }
    }

    /// An end that means that nothing was carried out, which its own member says: any other end leaves that open.
    private func over(
        _ end: SCAEvent.End, _ request: EndpointRequest, naming: (inout Problem) -> Void
    ) -> EndpointResponse {
        let (status, code, detail) = ConsentRefusal.over(end).answer
        var problem = Problem(
            status: status.code, code: code, title: status.reasonPhrase, detail: detail, statusCode: status.code,
            traceID: request.context.trace.traceID)
        naming(&problem)
        return .problem(status, code: code, problem.json)
    }

    /// Lists the methods that work now, since they may have changed since the operation was requested.
    private func unavailable(
        _ code: String, _ detail: String, _ offered: [AvailableVerification], _ request: EndpointRequest
    ) -> EndpointResponse {
        var object = Problem(
            status: HTTPResponse.Status.conflict.code, code: code,
            title: HTTPResponse.Status.conflict.reasonPhrase,
            detail: detail,
            traceID: request.context.trace.traceID
        ).json
        object["availableVerifications"] = .array(offered.map { .object($0.json) })
        return .problem(.conflict, code: code, object)
    }
}

extension SCAChallengeRequest: EventContent {}

extension SCAAttemptRequest: EventContent {}

extension SCARefusalRequest: EventContent {}

extension ConsentRefusal {
    /// Status, code and detail of refusals without further members.
    fileprivate var answer: (status: HTTPResponse.Status, code: String, detail: String) {
        switch self {
        case .unauthorized: (.unauthorized, "invalid_token", "The token is invalid.")
        case .strongerSignIn:
            (
                .unauthorized, AuthenticationRequirements.error,
                "This sign-in was approved from another device and cannot approve anything. Sign in on this device."
            )
        case .tooManyAttempts: (.tooManyRequests, "too_many_attempts", "Wait before you try again.")
        case .verificationUnavailable: (.conflict, "verification_unavailable", "Use another verification.")
        case .pushUnavailable: (.conflict, "push_unavailable", "Use another verification.")
        case .eventNotFound:
            (.notFound, "event_not_found", "This session has no such event, or walletOperationId is not its operation.")
        case .returnURLNotRegistered:
            (
                .badRequest, "return_url_not_registered",
                "returnUrl is not registered for the client."
            )
        case .noCodeLeft:
            (.conflict, "no_code_left", "No more codes will be sent for this event. Use another verification.")
        case .noChallengeLeft:
            (
                .conflict, "no_code_left",
                """
                No more challenges will be issued for this event. Answer the last challenge, or request the operation \
                again.
                """
            )
        case .alreadyVerified: (.conflict, "already_verified", "The person has already agreed. Repeat the operation.")
        case .refused: (.conflict, "data_error", SCAEvent.End.cancelled.detail)
        case .over(let end): (.conflict, "data_error", end.detail)
        }
    }
}

extension SCAEventEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            ConsentRefusal.all.map { answers.answer(to: .failure($0), .unknown) }
        }
        return [
            Route(
                .post, Endpoints.scaChallenges.path, body: .json, .problem,
                by: .consentingApp(SCAChallengeRequest.self), challenge
            ).stating(.consent, "createSCAChallenge", "Begins a verification: sends a code, or returns what to sign") {
                Contract(
                    "The challenge to answer", takes: SCAChallengeRequest.shape, gives: SCAChallengeResponse.shape,
                    refuses: refusals())
            },
            Route(
                .post, Endpoints.scaAttempts.path, body: .json, .problem, by: .consentingApp(SCAAttemptRequest.self),
                attempt
            ).stating(.consent, "attemptSCA", "Answers the challenge of a verification") {
                Contract(
                    "How it ended, and what remains to be verified", takes: SCAAttemptRequest.shape,
                    gives: SCAAttemptResponse.shape, refuses: refusals())
            },
            Route(
                .post, Endpoints.scaRefusal.path, body: .json, .problem, by: .consentingApp(SCARefusalRequest.self),
                refuse
            ).stating(.consent, "refuseSCA", "Refuses an operation for good") {
                Contract(
                    "The operation is refused", takes: SCARefusalRequest.shape, .noContent,
                    refuses: [ConsentRefusal.eventNotFound, .over(.locked)].map {
                        answers.answer(to: .failure($0), .unknown)
                    })
            },
        ]
    }
}
