import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /oauth2/token` (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
    let grants: TokenGrants
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await grants.token(
            TokenRequest(
                form: request.form(), authorization: request.authorization(), attestation: request.clientAttestation()),
            proof: proof, origin: request.origin)
        return .json(outcome.map(\.bytes), to: proof, by: proofs)
    }
}

/// `POST /oauth2/device_authorization` (RFC 8628 §3.1).
struct DeviceAuthorizationEndpoint: Sendable {
    let authorizations: DeviceAuthorizations
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await authorizations.begin(
            DeviceAuthorizationRequest(
                form: request.form(), authorization: request.authorization(), attestation: request.clientAttestation()),
            proof: proof, origin: request.origin)
        return .json(outcome.map(\.json.bytes), to: proof, by: proofs)
    }
}

/// `POST /oauth2/introspect` (RFC 7662), and as a JWT for who asks for one (RFC 9701 §4).
struct IntrospectionEndpoint: Sendable {
    static let mediaType = "application/token-introspection+jwt"

    let introspection: TokenIntrospection

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let question = try TokenStateRequest(form: request.form(), authorization: request.authorization())
        let answer: Result<EndpointResponse, OAuthRefusal> =
            if Self.asksForJWT(request.headers[.accept]) {
                try await introspection.signedIntrospection(question)
                    .map { .bytes(type: Self.mediaType, Array($0.utf8)) }
            } else {
                try await introspection.introspect(question).map { .bytes(type: "application/json", $0.json.bytes) }
            }
        switch answer {
        case .success(let response): return response
        case .failure(let refusal): return .refusal(refusal)
        }
    }

    /// Whether the client names the type. One that accepts any type cannot be expected to read it.
    static func asksForJWT(_ accept: String?) -> Bool {
        guard let accept, accept != "application/json" else { return false }
        return accept.split(separator: ",").prefix(64).contains { range in
            let parts = range.split(separator: ";").map { $0.trimmed().lowercased() }
            return parts.first == mediaType
                && !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

/// `POST /oauth2/revoke` (RFC 7009).
struct RevocationEndpoint: Sendable {
    let revocation: TokenRevocation
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await revocation.revoke(
            TokenStateRequest(form: request.form(), authorization: request.authorization()), proof: proof,
            origin: request.origin)
        var response: EndpointResponse
        switch outcome {
        case .success: response = EndpointResponse(status: .ok)
        case .failure(let refusal): response = .refusal(refusal)
        }
        response.offerNonce(proofs, answering: proof)
        return response
    }
}

/// `GET|POST /oauth2/userinfo` (OpenID Connect Core §5.3). The token is in the `Authorization` header, or in a form as
/// a bearer token (RFC 6750 §2.2). It is never in the URL, which would be logged.
struct UserInfoEndpoint: Sendable {
    let claims: UserInfoClaims
    let proofs: ProofOfPossession

    @Sendable func answer(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let token: PresentedAccessToken?
        // A token in a form is a bearer token.
        let scheme = request.context.scheme ?? .bearer
        do {
            token = try Self.token(of: request)
        } catch is MalformedValue { return .challenge(.invalidToken, to: scheme) }
        guard let token else { return .tokenMissing() }
        let outcome = try await claims.claims(token, proof: proof)
        var response: EndpointResponse
        switch outcome {
        case .success(let claims): response = .bytes(type: "application/json", claims.claims.bytes)
        case .failure(let refusal): response = .challenge(refusal, to: scheme)
        }
        response.offerNonce(proofs, answering: proof)
        return response
    }

    static var refusals: [EndpointResponse] {
        (OAuthRefusal.ofResources + [.insufficientScope("openid")]).map { .challenge($0, to: nil) } + [.tokenMissing()]
    }

    private static func token(of request: EndpointRequest) throws -> PresentedAccessToken? {
        let posted = try request.form()["access_token"]
        let header = try request.accessToken()
        guard let posted else { return header }
        // One method per request (RFC 6750 §2). With two tokens, the check could use one and the handler the other.
        guard header == nil else { throw RequestFault.malformed("The token appears in both the header and the form.") }
        return .bearer(try AccessToken(posted))
    }
}
