internal import Core
package import Kernel
package import WalletAuthWire

/// A native sign-in of a person without an account, sealed in the `auth_session` so that an account can be created for them.
package struct GuestSession: Codable, Sendable {
    package var identity: ProvenIdentity
    // The request that the sign-in is bound to.
    package var client: ClientID
    package var thumbprint: JWKThumbprint
    var challenge: CodeChallenge
    var scope: Scope
    var merchant: MerchantID?
    var requiredACR: [String]
    /// The id shared by all codes that requests for the account lead to; one of them opens a session.
    var grantID: [UInt8]

    package static func sealed(by sealing: SealingKeys) -> SealedState<GuestSession> {
        SealedState(
            sealing, purpose: .signIn, label: "guest-session", lifetime: ProvenIdentity.guestLifetime)
    }
}

extension NativeSignIn {
    func guestSession(for identity: ProvenIdentity, call: NativeCall) throws -> AuthSession {
        let guest = GuestSession(
            identity: identity, client: call.intent.client.id, thumbprint: call.thumbprint,
            challenge: call.challenge, scope: call.intent.scope, merchant: call.intent.merchant,
            requiredACR: call.intent.requiredACR, grantID: random.bytes(16))
        return try AuthSession(GuestSession.sealed(by: sealing).seal(guest, now: call.now))
    }

    /// `POST /v1/accounts`: creates an account for a guest, links the identity and signs in.
    ///
    /// Idempotent: a repeated request whose response was lost signs in to the account that it created.
    /// - Parameters:
    ///   - request: the new account, and the session from the sign-in's response.
    ///   - proof: a DPoP proof with the key that the session is bound to.
    /// - Throws: `MalformedValue` for an invalid address or phone number.
    package func createAccount(
        _ request: AccountCreationRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> NativeSignInOutcome {
        let now = clock.now()
        guard let guest = GuestSession.sealed(by: sealing).open(request.session.reveal(), now: now),
            guest.client == request.clientID, guest.challenge == request.codeChallenge
        else { return .refused(.invalidSession) }
        let opening = NativeSignInRequest(
            clientID: guest.client, scope: guest.scope, codeChallenge: guest.challenge, merchantID: guest.merchant,
            acrValues: guest.requiredACR)
        let call: NativeCall
        switch try await callers.check(opening, proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .invalid(refusal)
        }
        guard call.thumbprint == guest.thumbprint, try call.intent.client.accountBrand == guest.identity.brand else {
            return .refused(.invalidSession)
        }
        var details = GuestAccounts.Details(
            username: request.username, email: request.email?.rawValue ?? guest.identity.email, locale: request.locale,
            client: call.intent.client.idBeforeConsent, origin: origin)
        if let terms = request.acceptedTerms { details.properties["accepted_terms"] = terms }
        switch try await guests.make(for: guest.identity, details, now: now) {
        case .made(let account), .linked(let account):
            var proof = try await attempt(call).proof(
                of: account, vouchedFor: guest.identity.provenAt, providerAuthTime: guest.identity.authTime)
            proof.grantID = guest.grantID
            return try await admit(proof, call: call)
        case .nameTaken: return .refused(.usernameTaken(request.session))
        case .nameUnusable: return .invalid(.invalidRequest(Self.unusableName))
        case .tooManyAttempts(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .providerGone, .outdated: return .refused(.invalidSession)
        }
    }
}
