import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/passkeys` and `/v1/account/passkeys`: passkeys in an app's own screens.
struct PasskeyEndpoints: Sendable {
    let signIn: NativeSignIn
    let passkeys: PasskeyManagement
    let proofs: ProofOfPossession
    let answers: PasskeyAnswers

    @Sendable func signInOptions(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.passkeyOptions(
            PasskeyOptionsRequest(request.json()), proof: proof, origin: request.origin)
        return .json(outcome.map(\.json.bytes), to: proof, by: proofs)
    }

    @Sendable func creationOptions(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await passkeys.creation(call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func add(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await passkeys.add(PasskeyAddition(request.json()), call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func remove(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: PasskeyID = try request.pathValue()
        let outcome = try await passkeys.remove(id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

/// Maps the refusals of an app's changes of passkeys to responses.
struct PasskeyAnswers: FlowAnswers {
    let factors: AccountFactorAnswers

    func answer(to refusal: PasskeyRefusal, _ context: RequestFacts) -> EndpointResponse {
        switch refusal {
        case .factor(let refusal): factors.answer(to: refusal, context)
        case .noHostName:
            factors.faults.problem(
                .badRequest, code: "passkeys_unavailable", detail: PasskeyOverview.noHostName, context)
        case .notTaken:
            factors.faults.problem(
                .badRequest, code: "invalid_passkey",
                detail:
                    "The passkey is for another app, session or site, or its options are too old. Request new ones.",
                context)
        case .tooMany:
            factors.faults.problem(
                .conflict, code: "too_many_passkeys",
                detail: "The account has \(PasskeyOverview.limit) passkeys, which is the limit. Remove one first.",
                context)
        case .unknown: factors.answer(to: .notFound, context)
        case .unusableName:
            factors.faults.problem(
                .badRequest, code: ErrorCode.badRequest.rawValue,
                detail: "The name has characters that change the direction of text.", context)
        }
    }
}

extension PasskeyEndpoints {
    var routes: [Route] {
        let refusals: @Sendable ([PasskeyRefusal]) -> [EndpointResponse] = { own in
            (FactorRefusal.all.map { .factor($0) } + own).map { answers.answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.post, Endpoints.passkeyOptions.path, body: .json, .oauth, signInOptions).stating(
                .signIn, "getPasskeyOptions", "Returns what a passkey has to sign at a sign-in without a browser"
            ) {
                Contract(
                    "The request to the authenticator, the same for every person", takes: PasskeyOptionsRequest.shape,
                    proves: .key, gives: PasskeyRequestOptions.shape,
                    refuses: OAuthRefusal.ofApps.map { .refusal($0) })
            },
            Route(.post, Endpoints.accountPasskeyOptions.path, .problem, by: .app, creationOptions).stating(
                .account, "getNewPasskeyOptions", "Returns what the person's device has to create as a new passkey"
            ) {
                Contract(
                    "The request to the authenticator", gives: PasskeyCreationOptions.shape,
                    refuses: refusals([.noHostName, .tooMany]))
            },
            Route(.post, Endpoints.accountPasskeys.path, body: .json, .problem, by: .app, add).stating(
                .account, "addPasskey", "Adds a passkey that the person's device created"
            ) {
                Contract(
                    "The account has the passkey", takes: PasskeyAddition.shape, .created,
                    gives: AccountFactorList.Passkey.shape,
                    refuses: refusals([.noHostName, .notTaken, .tooMany, .unusableName]))
            },
            Route(.delete, Endpoints.accountPasskey.path, .problem, by: .app, remove).stating(
                .account, "removePasskey", "Removes a passkey"
            ) {
                Contract("The account has no such passkey", .noContent, refuses: refusals([.unknown]))
            },
        ]
    }
}
