import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// `/v1/sign-ins` for devices: claim the code of a sign-in page, choose the number, approve or refuse.
struct ScannedSignInEndpoints: Sendable {
    let signIns: ScannedSignIns
    let answers: TransactionAnswers

    @Sendable func claim(
        _ request: EndpointRequest, _ signed: DeviceRequest<ScannedSignInClaim>
    ) async throws -> EndpointResponse {
        let outcome = try await signIns.claim(signed.content, call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func choose(
        _ request: EndpointRequest, _ signed: DeviceRequest<ScannedSignInChoice>
    ) async throws -> EndpointResponse {
        let outcome = try await signIns.choose(signed.content, of: request.pathValue(), call: signed.call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func refuse(
        _ request: EndpointRequest, _ signed: DeviceRequest<ScannedSignInRefusal>
    ) async throws -> EndpointResponse {
        let outcome = try await signIns.refuse(signed.content, of: request.pathValue(), call: signed.call)
        var response = answers.response(to: outcome.map { JSONObject() }, request)
        if response.status == .ok {
            (response.status, response.body) = (.noContent, [])
            response.headers[.contentType] = nil
        }
        return response
    }

    @Sendable func sign(_ request: EndpointRequest) async throws -> EndpointResponse {
        let outcome = try await signIns.sign(
            TransactionSignature(request.json()), of: request.pathValue(), origin: request.origin)
        return answers.response(to: outcome.map(\.json), request)
    }
}

extension ScannedSignInClaim: DeviceContent {}

extension ScannedSignInChoice: DeviceContent {}

extension ScannedSignInRefusal: DeviceContent {}

extension ScannedSignInEndpoints {
    var routes: [Route] {
        [
            answers.route(
                Endpoints.scannedSignInClaim, "claimSignIn", "Claims the sign-in of a page's code for this device",
                gives: "The sign-in, with three numbers", ScannedSignIn.shape, claim),
            answers.route(
                Endpoints.scannedSignInChoice, "chooseSignInNumber", "Chooses the number that the sign-in page shows",
                gives: "The bytes to sign", DeviceTransaction.shape, choose),
            answers.route(
                Endpoints.scannedSignInRefusal, "rejectSignIn", "Refuses a sign-in, or ends one that was approved",
                gives: "It is refused", nil, refuse),
            answers.signature(
                Endpoints.scannedSignInSignature, "signSignIn", "Approves a sign-in", gives: "The sign-in", sign),
        ]
    }
}
