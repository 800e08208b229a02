internal import HTTPTypes
package import Kernel
package import WalletAuthWire

extension EndpointResponse {
    /// The accepted signature algorithms of proofs, in the format of `algs`.
    package static let proofAlgorithms = DPoPProof.algorithmNames.joined(separator: " ")

    package static let basicChallenge = "Basic realm=\"oauth2\", charset=\"UTF-8\""

    /// An OAuth error (RFC 6749 §5.2) from the token endpoint or a related one.
    package static func refusal(_ refusal: OAuthRefusal) -> EndpointResponse {
        let status =
            switch refusal {
            case .invalidClient, .invalidToken, .unusableToken: 401
            case .insufficientScope: 403
            case .temporarilyUnavailable: 503
            case .invalidRequest, .invalidGrant, .unauthorizedClient, .noOwnScope, .unsupportedGrantType, .invalidScope,
                .invalidTarget, .unsupportedTokenType, .invalidDPoPProof, .useDPoPNonce, .clientAttestation,
                .unknownUserID, .invalidAuthorizationDetails, .authorizationPending, .slowDown, .accessDenied,
                .expiredToken:
                400
            }
        var response = EndpointResponse.json(HTTPResponse.Status(code: status)) {
            $0.member("error", refusal.code)
            $0.member("error_description", refusal.reason)
        }
        // A device that waits gets it every few seconds, which is nothing for the log.
        if refusal != .authorizationPending { response = response.refused(refusal.code, refusal.loggedReason) }
        switch refusal {
        case .invalidClient, .invalidToken, .unusableToken:
            response.headers[.wwwAuthenticate] = basicChallenge
        case .useDPoPNonce(let nonce):
            response.headers[.dpopNonce] = nonce
        case .temporarilyUnavailable(let seconds):
            response.headers[.retryAfter] = String(seconds)
        case .invalidRequest, .invalidGrant, .unauthorizedClient, .noOwnScope, .unsupportedGrantType, .invalidScope,
            .invalidTarget, .unsupportedTokenType, .invalidDPoPProof, .insufficientScope, .clientAttestation,
            .unknownUserID, .invalidAuthorizationDetails,
            .authorizationPending, .slowDown, .accessDenied, .expiredToken:
            break
        }
        return response
    }

    /// JSON or a refusal, with a nonce for a client that sent a proof.
    package static func json(
        _ outcome: Result<[UInt8], OAuthRefusal>, to proof: PresentedProof, by proofs: ProofOfPossession
    ) -> EndpointResponse {
        var response: EndpointResponse =
            switch outcome {
            case .success(let json): .bytes(type: "application/json", json)
            case .failure(let refusal): .refusal(refusal)
            }
        response.offerNonce(proofs, answering: proof)
        return response
    }

    /// An error from the parsers of the wire module, before any flow has run.
    package static func error(_ error: OAuthError) -> EndpointResponse {
        var response = EndpointResponse.bytes(
            HTTPResponse.Status(code: error.httpStatus), type: "application/json", error.json.bytes
        ).refused(error.code.rawValue, error.detail)
        if response.status == .unauthorized { response.headers[.wwwAuthenticate] = basicChallenge }
        return response
    }

    /// The same errors from a protected resource, which puts them into the challenge (RFC 6750 §3, RFC 9449 §7.1).
    /// - Parameter scheme: the scheme the request presented, if any.
    package static func challenge(_ refusal: OAuthRefusal, to scheme: AccessTokenScheme?) -> EndpointResponse {
        let status: HTTPResponse.Status =
            switch refusal {
            case .insufficientScope: .forbidden
            case .temporarilyUnavailable: .serviceUnavailable
            case .invalidRequest: .badRequest
            case .invalidClient, .invalidGrant, .unauthorizedClient, .noOwnScope, .unsupportedGrantType,
                .invalidScope, .invalidTarget, .unsupportedTokenType, .invalidDPoPProof, .useDPoPNonce, .invalidToken,
                .unusableToken, .clientAttestation, .unknownUserID, .invalidAuthorizationDetails, .authorizationPending,
                .slowDown, .accessDenied,
                .expiredToken:
                .unauthorized
            }
        var response = EndpointResponse.json(status) {
            $0.member("error", refusal.code)
            $0.member("error_description", refusal.reason)
        }.refused(refusal.code, refusal.loggedReason)
        switch refusal {
        case .temporarilyUnavailable(let seconds): response.headers[.retryAfter] = String(seconds)
        case .useDPoPNonce(let nonce):
            response.headers[.dpopNonce] = nonce
            response.addChallenges(refusal, scope: nil, to: scheme)
        case .insufficientScope(let scope):
            response.addChallenges(refusal, scope: scope, to: scheme)
        default:
            response.addChallenges(refusal, scope: nil, to: scheme)
        }
        return response
    }

    /// 401 without an error code, for a request without a token (RFC 6750 §3.1).
    package static func tokenMissing() -> EndpointResponse {
        // The answer has no code, the log has.
        var response = EndpointResponse(status: .unauthorized)
            .refused("token_missing", "The request has no access token.")
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: "DPoP algs=\"\(proofAlgorithms)\""))
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer"))
        return response
    }

    /// Adds the step-up challenge (RFC 9470 §3) to the problem document of a 401.
    package mutating func demand(_ needed: AuthenticationRequirements, _ description: String) {
        let parameters =
            [("error", AuthenticationRequirements.error), ("error_description", description)]
            + needed.challengeParameters.map { ($0.name, $0.value) }
        let text = parameters.map { ", \($0.0)=\"\(Self.quotable($0.1))\"" }.joined()
        headers[.wwwAuthenticate] = "DPoP algs=\"\(Self.proofAlgorithms)\"" + text
    }

    /// Many clients read only the first challenge, so the scheme they presented comes first. A client that presented
    /// DPoP must not fall back to a bearer token, so it gets no other challenge.
    private mutating func addChallenges(_ refusal: OAuthRefusal, scope: String?, to scheme: AccessTokenScheme?) {
        let error =
            "error=\"\(refusal.code)\", error_description=\"\(Self.quotable(refusal.reason))\""
            + (scope.map { ", scope=\"\($0)\"" } ?? "")
        let dpop = "DPoP algs=\"\(Self.proofAlgorithms)\", \(error)"
        let challenges =
            switch scheme {
            case .dpop: [dpop]
            case .bearer: ["Bearer \(error)", dpop]
            case nil: [dpop, "Bearer \(error)"]
            }
        for challenge in challenges { headers.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
    }

    /// Drops characters that a quoted string cannot contain without escapes (RFC 6750 §3).
    private static func quotable(_ text: String) -> String {
        String(
            decoding: text.utf8.filter {
                (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            },
            as: UTF8.self)
    }
}
