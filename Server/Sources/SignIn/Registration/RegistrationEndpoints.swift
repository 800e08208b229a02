import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/registrations`: a newcomer makes an account in an app. The last answer has the same format as a sign-in step.
struct RegistrationEndpoints: Sendable {
    let signIn: NativeSignIn
    let proofs: ProofOfPossession
    let faults: FaultAnswers

    @Sendable func begin(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.beginRegistration(
            RegistrationRequest(request.json()), proof: proof, origin: request.origin)
        return response(to: outcome, request, proof) { $0.json }
    }

    @Sendable func confirm(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.confirmRegistration(
            RegistrationConfirmation(request.json()), proof: proof, origin: request.origin)
        return response(to: outcome, request, proof) { $0.json }
    }

    @Sendable func passkey(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.registrationPasskey(
            RegistrationPasskeyRequest(request.json()), proof: proof, origin: request.origin)
        return response(to: outcome, request, proof) { $0.json }
    }

    @Sendable func finish(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.finishRegistration(
            RegistrationFinish(request.json()), proof: proof, origin: request.origin)
        var response = AuthorizeChallengeEndpoint.answer(to: outcome)
        response.offerNonce(proofs, answering: proof)
        return response
    }

    private func response<Value>(
        to outcome: Result<Value, RegistrationRefusal>, _ request: EndpointRequest, _ proof: PresentedProof,
        _ json: (Value) -> JSONObject
    ) -> EndpointResponse {
        var response =
            switch outcome {
            case .success(let value): EndpointResponse.bytes(type: "application/json", json(value).bytes)
            case .failure(let refusal): answer(to: refusal, request.context)
            }
        response.offerNonce(proofs, answering: proof)
        return response
    }

    private func answer(to refusal: RegistrationRefusal, _ context: RequestFacts) -> EndpointResponse {
        switch refusal {
        case .invalid(let refusal): .refusal(refusal)
        case .off:
            faults.problem(
                .forbidden, code: ErrorCode.registrationOff.rawValue, detail: NativeSignInRefusal.registrationOffAdvice,
                context)
        case .phonesNotTaken:
            faults.problem(
                .badRequest, code: "phone_not_taken",
                detail: "This server sends no text messages. Ask for an e-mail address.", context)
        case .passkeysNotTaken(let missing):
            faults.problem(.badRequest, code: "passkey_not_taken", detail: missing, context)
        case .nameTaken:
            faults.problem(
                .conflict, code: ErrorCode.usernameTaken.rawValue, detail: NativeSignInRefusal.usernameTakenAdvice,
                context)
        case .nameUnusable:
            faults.problem(
                .badRequest, code: ErrorCode.badRequest.rawValue, detail: NativeSignIn.unusableName, context)
        case .wrongCode:
            faults.problem(
                .badRequest, code: "invalid_code",
                detail: "The code is incorrect or has expired. Enter it again, or have another one sent.", context)
        case .over:
            faults.problem(
                .badRequest, code: "invalid_session",
                detail: "The registration has expired or was started elsewhere. Start again with the address.", context)
        case .tooManyAttempts(let seconds):
            faults.tooManyAttempts(
                "Too many people register from this network or in this brand. Try again later.", retryAfter: seconds,
                context)
        }
    }
}

extension RegistrationEndpoints {
    var routes: [Route] {
        let refusals: @Sendable ([RegistrationRefusal]) -> [EndpointResponse] = { own in
            OAuthRefusal.ofApps.map { .refusal($0) } + own.map { answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.post, Endpoints.registrations.path, body: .json, .problem, begin).stating(
                .signIn, "beginRegistration", "Sends a newcomer a code that proves an address"
            ) {
                Contract(
                    "A message was sent", takes: RegistrationRequest.shape, proves: .key,
                    gives: RegistrationPrompt.shape,
                    refuses: refusals([
                        .off, .phonesNotTaken, .passkeysNotTaken("…"), .tooManyAttempts(retryAfter: 1),
                    ]))
            },
            Route(.post, Endpoints.registrationConfirmation.path, body: .json, .problem, confirm).stating(
                .signIn, "confirmRegistration", "Proves a newcomer's address with the code that was sent there"
            ) {
                Contract(
                    "The address is proved", takes: RegistrationConfirmation.shape, proves: .key,
                    gives: ConfirmedRegistration.shape, refuses: refusals([.off, .wrongCode, .over]))
            },
            Route(.post, Endpoints.registrationPasskey.path, body: .json, .problem, passkey).stating(
                .signIn, "getRegistrationPasskeyOptions",
                "Returns what a newcomer's device needs to create a passkey"
            ) {
                Contract(
                    "The request to the authenticator", takes: RegistrationPasskeyRequest.shape, proves: .key,
                    gives: PasskeyCreationOptions.shape,
                    refuses: refusals([
                        .off, .passkeysNotTaken("…"), .nameTaken, .nameUnusable, .over, .tooManyAttempts(retryAfter: 1),
                    ]))
            },
            Route(.post, Endpoints.registrationFinish.path, body: .json, .oauth, finish).stating(
                .signIn, "finishRegistration", "Makes a newcomer's account and signs in to it"
            ) {
                Contract(
                    "The code to exchange for tokens", takes: RegistrationFinish.shape, proves: .key,
                    gives: AuthorizeChallengeResponse.shape, refuses: AuthorizeChallengeEndpoint.refusals)
            },
        ]
    }
}
