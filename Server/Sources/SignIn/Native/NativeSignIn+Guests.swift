internal import Core
package import Kernel
package import WalletAuthWire

extension NativeSignIn {
    private var guests: SealedState<NativeGuest> { NativeGuest.sessions(in: context) }

    func guestSession(for identity: ProvenIdentity, name: [UInt8]?, call: Call) throws -> AuthSession {
        let guest = NativeGuest(
            identity: try VouchedGuest(identity, nameDigest: name), authTime: call.now,
            providerAuthTime: identity.authTime, client: call.intent.client.id, thumbprint: call.thumbprint,
            challenge: call.intent.challenge, scope: call.intent.scope, merchant: call.intent.merchant,
            requiredACR: call.intent.requiredACR, grantID: context.random.bytes(16))
        return try AuthSession(guests.seal(guest, now: call.now))
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
        let now = context.clock.now()
        guard let guest = guests.open(request.session.reveal(), now: now), guest.client == request.clientID,
            guest.challenge == request.codeChallenge
        else { return .refused(.invalidSession) }
        let opening = Opening(
            clientID: guest.client, scope: guest.scope, codeChallenge: guest.challenge, merchantID: guest.merchant,
            acrValues: guest.requiredACR)
        let call: Call
        switch try await check(opening, proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .invalid(refusal)
        }
        guard call.thumbprint == guest.thumbprint, try call.intent.client.accountBrand == guest.identity.brand else {
            return .refused(.invalidSession)
        }
        let creation = try GuestAccount(context: context, guest: guest, request: request, origin: origin, now: now)
        switch try await creation.make() {
        case .made(let account), .linked(let account):
            var proof = try await engine(call).attempt.proof(
                of: account, vouchedFor: guest.authTime, providerAuthTime: guest.providerAuthTime)
            proof.grantID = guest.grantID
            return try await admit(proof, call: call)
        case .nameTaken: return .refused(.usernameTaken(request.session))
        case .tooManyAttempts(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .providerGone, .outdated: return .refused(.invalidSession)
        }
    }
}
