import HTTPTypes
import WalletAuthWire
import Web

/// The loyalty API for integrators' backends.
struct LoyaltyEndpoints: Sendable {
    let flows: LoyaltyFlows
    let isSandbox: Bool

    @Sendable func requestGuestToken(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await answer(to: request) { (body, call) in
            try await flows.guestTokens.issue(GuestTokenRequest(body), call: call).map(\.bytes)
        }
    }

    @Sendable func createAndRegister(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await answer(to: request) { (body, call) in
            try await flows.enrollment.enroll(LoyaltyEnrollmentRequest(body), call: call).map(\.bytes)
        }
    }

    @Sendable func sendOneTimePassword(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await answer(
            to: request,
            parsing: {
                try OneTimePasswordRequest(form: request.form(), query: request.query())
            }
        ) { (content, call) in
            try await flows.oneTimePasswords.send(content, call: call).map { LoyaltySuccess.bytes }
        }
    }

    @Sendable func editExternalAccounts(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await answer(to: request) { (body, call) in
            try await flows.externalAccounts.edit(ExternalAccountsChange(body), call: call).map {
                LoyaltySuccess.bytes
            }
        }
    }

    private func answer(
        to request: EndpointRequest,
        _ body: (JSONObject, LoyaltyCaller) async throws -> Result<[UInt8], LoyaltyFailure>
    ) async throws -> EndpointResponse {
        try await answer(to: request, parsing: { try json(of: request) }, body)
    }

    /// Authenticates the client before it parses the request.
    private func answer<Content>(
        to request: EndpointRequest, parsing content: () throws -> Content,
        _ body: (Content, LoyaltyCaller) async throws -> Result<[UInt8], LoyaltyFailure>
    ) async throws -> EndpointResponse {
        let caller = try await flows.callers.call(authorization: request.authorization(), origin: request.origin)
        switch caller {
        case .failure(let failure): return Self.answer(to: failure)
        case .success(let call):
            do {
                switch try await body(content(), call) {
                case .success(let bytes): return .bytes(type: "application/json", bytes)
                case .failure(let failure): return Self.answer(to: failure)
                }
            } catch let failure as LoyaltyFailure { return Self.answer(to: failure) }
        }
    }

    private func json(of request: EndpointRequest) throws -> JSONObject {
        isSandbox ? try JSONValue.object(parsing: LineComments.removed(from: request.body)) : try request.json()
    }

    private static func answer(to failure: LoyaltyFailure) -> EndpointResponse {
        var response = EndpointResponse.bytes(
            HTTPResponse.Status(code: failure.code.httpStatus), type: "application/json", failure.json.bytes
        ).refused(failure.code.rawValue, failure.loggedReason)
        if failure.code == .invalidClient { response.headers[.wwwAuthenticate] = EndpointResponse.basicChallenge }
        if let seconds = failure.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}

/// The examples in the integrators' documentation contain comments. The sandbox accepts them as they are.
enum LineComments {
    /// Removes `//` comments outside of strings.
    static func removed(from text: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var isString = false
        var isEscaped = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            if isString {
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if byte == UInt8(ascii: "/"), index + 1 < text.count, text[index + 1] == byte {
                while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
                continue
            }
            kept.append(byte)
            index += 1
        }
        return kept
    }
}

extension LoyaltyEndpoints {
    private static var refusals: [EndpointResponse] {
        LoyaltyErrorCode.allCases.filter { $0.httpStatus != 200 }.map { answer(to: LoyaltyFailure($0)) }
    }

    var routes: [Route] {
        [
            Route(.post, Endpoints.guestToken.path, body: .json, .loyalty, requestGuestToken).stating(
                .loyalty, "requestGuestToken", "Opens a session for a guest, or refreshes one"
            ) {
                Contract(
                    "The tokens, or why there are none", takes: GuestTokenRequest.shape, proves: .client,
                    gives: .either([GuestTokenResponse.shape, LoyaltyFailure.shape]), refuses: Self.refusals)
            },
            Route(.post, Endpoints.loyaltyEnrollment.path, body: .json, .loyalty, createAndRegister).stating(
                .loyalty, "createAndRegister", "Creates a guest's loyalty account"
            ) {
                Contract(
                    "The account, or why there is none", takes: LoyaltyEnrollmentRequest.shape, proves: .client,
                    gives: .either([LoyaltyEnrollmentResponse.shape, LoyaltyFailure.shape]), refuses: Self.refusals)
            },
            Route(.post, Endpoints.externalAccounts.path, body: .json, .loyalty, editExternalAccounts).stating(
                .loyalty, "editExternalAccounts", "Links a guest's account to others, or removes links"
            ) {
                Contract(
                    "Done, or why not", takes: ExternalAccountsChange.shape, proves: .client,
                    gives: .either([LoyaltySuccess.shape, LoyaltyFailure.shape]), refuses: Self.refusals)
            },
            Route(.post, Endpoints.oneTimePassword.path, body: .formOrIgnored, .loyalty, sendOneTimePassword).stating(
                .loyalty, "sendOneTimePassword", "Sends a one-time password to a guest's phone"
            ) {
                Contract(
                    "Sent, or why not", takes: OneTimePasswordRequest.shape, proves: .client,
                    gives: .either([LoyaltySuccess.shape, LoyaltyFailure.shape]), refuses: Self.refusals)
            },
        ]
    }
}
