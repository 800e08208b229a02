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
            Route(
                .post, Endpoints.scannedSignInClaim.path, body: .json, .problem,
                by: .device(ScannedSignInClaim.self, at: Endpoints.scannedSignInClaim), claim
            ).stating(.transactions, "claimSignIn", "Claims the sign-in of a page's code for this device") {
                Contract(
                    "The sign-in, with three numbers", takes: ScannedSignInClaim.shape, gives: ScannedSignIn.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(
                .post, Endpoints.scannedSignInChoice.path, body: .json, .problem,
                by: .device(ScannedSignInChoice.self, at: Endpoints.scannedSignInChoice), choose
            ).stating(.transactions, "chooseSignInNumber", "Chooses the number that the sign-in page shows") {
                Contract(
                    "The bytes to sign", takes: ScannedSignInChoice.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
            Route(
                .post, Endpoints.scannedSignInRefusal.path, body: .json, .problem,
                by: .device(ScannedSignInRefusal.self, at: Endpoints.scannedSignInRefusal), refuse
            ).stating(.transactions, "rejectSignIn", "Refuses a sign-in, or ends one that was approved") {
                Contract(
                    "It is refused", takes: ScannedSignInRefusal.shape, .noContent, refuses: answers.ofDeviceCalls)
            },
            Route(.post, Endpoints.scannedSignInSignature.path, body: .json, .problem, sign).stating(
                .transactions, "signSignIn", "Approves a sign-in"
            ) {
                Contract(
                    "The sign-in", takes: TransactionSignature.shape, gives: DeviceTransaction.shape,
                    refuses: answers.ofDeviceCalls)
            },
        ]
    }
}
