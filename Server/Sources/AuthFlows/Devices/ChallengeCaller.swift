internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// Who asks for something fresh to sign, checked, and what it will be bound to.
package struct ChallengeCaller: Sendable {
    let binding: DeviceChallenges.Binding
    let now: Timestamp
}

extension Callers {
    /// Lets in who asks for a challenge: an app, or ahead of a sign-in a key that nobody is signed in with yet.
    /// - Parameters:
    ///   - request: what the challenge is for.
    ///   - presented: as the edge read it; ahead of a sign-in it brings a DPoP proof and no access token.
    /// - Throws: `OAuthRefusal` for a call that is not let in; infrastructure errors.
    package func challenge(
        _ request: ChallengeRequest, _ presented: PresentedCredentials
    ) async throws -> ChallengeCaller {
        func caller(_ thumbprint: JWKThumbprint, _ account: String?, _ now: Timestamp) -> ChallengeCaller {
            let binding = DeviceChallenges.Binding(
                purpose: request.purpose, thumbprint: thumbprint, account: account, device: request.deviceID?.rawValue)
            return ChallengeCaller(binding: binding, now: now)
        }
        switch request.purpose {
        // No request can ask for the last two, which the wire refuses.
        case .enroll, .biometric, .deviceToken, .sca, .transaction:
            let call = try await app(presented)
            return caller(call.thumbprint, call.account.id.uuid, call.now)
        case .login, .federatedIdentity:
            let now = context.clock.now()
            guard let proof = try ProofOfPossession(context: context).check(presented.proof, now: now).get() else {
                throw OAuthRefusal.invalidDPoPProof("A challenge needs a DPoP proof.")
            }
            return caller(proof.thumbprint, nil, now)
        }
    }
}
