import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /oauth2/authorize-challenge`: native sign-in (OAuth 2.0 for First-Party Applications).
struct AuthorizeChallengeEndpoint: Sendable {
    let signIn: NativeSignIn
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        var response = try await answer(to: request, proof: proof)
        response.offerNonce(proofs, answering: proof)
        return response
    }

    private func answer(to request: EndpointRequest, proof: PresentedProof) async throws -> EndpointResponse {
        let form = try request.form()
        let credential = SignInCredential(form)
        let challenge: AuthorizeChallengeRequest
        do { challenge = try AuthorizeChallengeRequest(form: form) } catch {
            // A name that no account can have gets the same answer as a wrong one.
            guard error.errorCode == .invalidCredentials else { throw error }
            return Self.answer(to: .invalidCredentials, of: credential)
        }
        let outcome = try await signIn.challenge(challenge, proof: proof, origin: request.origin)
        var response = Self.answer(to: outcome, of: credential)
        if case .refused(let refusal) = outcome, Self.isForbidden(refusal, for: form) { response.status = .forbidden }
        guard case .refused(.invalidSession) = outcome, challenge.step.isRegistrationCheck else { return response }
        return response.refused("registration_check", "A wallet checks its registration, which is in order.")
    }

    /// Whether the answer has the status of the draft (§5.2.2.1) in place of ours: its clients have to name the response type, and ours do
    /// not.
    private static func isForbidden(_ refusal: NativeSignInRefusal, for form: FormParameters) -> Bool {
        form["response_type"] == "code" && ["insufficient_authorization", "redirect_to_web"].contains(refusal.error)
    }

    /// The answer to a step of a native sign-in. Other endpoints that continue one use it as well.
    static func answer(to outcome: NativeSignInOutcome, of credential: SignInCredential = .password) -> EndpointResponse
    {
        switch outcome {
        case .authorized(let answer): .bytes(type: "application/json", answer.json.bytes)
        case .refused(let refusal): answer(to: refusal, of: credential)
        case .invalid(let refusal): .refusal(refusal)
        }
    }

    private static func answer(to refusal: NativeSignInRefusal, of credential: SignInCredential) -> EndpointResponse {
        var response = EndpointResponse.json(HTTPResponse.Status(code: refusal.status)) {
            $0.member("error", refusal.error)
            $0.member("error_description", refusal.explanation(of: credential))
            $0.member("error_code", refusal.errorCode)
            $0.member("status_code", Int64(refusal.statusCode))
            $0.member("auth_session", refusal.session?.reveal())
            if let factor = refusal.secondFactor {
                $0.name("mfa")
                $0.value(.object(factor.json))
            }
            if let recovery = refusal.recovery {
                $0.name("recovery")
                $0.value(.object(recovery.json))
            }
            if !refusal.merchants.isEmpty {
                $0.name("merchants")
                $0.value(.array(refusal.merchants.map { .object($0.json) }))
            }
            if let sending = refusal.sentCode {
                $0.name("sent_code")
                $0.value(.object(sending.json))
            }
            $0.member("erase_at", refusal.eraseAt?.seconds)
            if case .device(.wrongPIN(let remaining)) = refusal { $0.member("remaining_attempts", Int64(remaining)) }
            if case .passwordUnacceptable(_, let fault) = refusal { $0.member("password_fault", fault.rawValue) }
        }.refused(refusal.error, refusal.explanation(of: credential))
        if refusal.status == 401 {
            // Every 401 names an authentication scheme (RFC 9110 §15.5.2). Here the form authenticates, together with a
            // proof.
            response.headers[.wwwAuthenticate] = "DPoP algs=\"\(EndpointResponse.proofAlgorithms)\""
        }
        if let seconds = refusal.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}

extension AuthorizeChallengeRequest.Step {
    /// Whether a wallet asks nothing but whether its client is registered: it continues a sign-in that never began, by 128 random bits.
    /// A session of this server is longer.
    fileprivate var isRegistrationCheck: Bool {
        guard case .proceed(let session, .resendEmail) = self else { return false }
        return session.reveal().utf8.count == 22
    }
}

extension AuthorizeChallengeEndpoint {
    /// A step of a native sign-in is refused by the standards' errors, or with a code of ours.
    static var refusals: [EndpointResponse] {
        (OAuthRefusal.ofApps + [.temporarilyUnavailable(retryAfter: 1)]).map { .refusal($0) }
            + ErrorCode.allCases.filter { $0.httpStatus != nil }.map {
                .error(OAuthError(.accessDenied, errorCode: $0))
            }
            + [.tooManyRequests, .serviceUnavailable].map {
                .json($0) { $0.member("error", "access_denied") }.refused("access_denied")
            }
    }

    var routes: [Route] {
        [
            Route(.post, Endpoints.authorizeChallenge.path, body: .form, .oauth, post).stating(
                .signIn, "authorizeChallenge", "Signs in without a browser, step by step"
            ) {
                Contract(
                    "The code to exchange for tokens", takes: AuthorizeChallengeRequest.shape, proves: .key,
                    gives: AuthorizeChallengeResponse.shape,
                    refuses: Self.refusals)
            }
        ]
    }
}
