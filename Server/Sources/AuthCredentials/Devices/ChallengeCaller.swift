package import AuthCallers
package import AuthCore
internal import AuthFoundation
internal import AuthStore
package import WalletAuthWire

/// A checked request for a challenge, and the binding of that challenge.
package struct ChallengeCaller: Sendable {
    package let binding: DeviceChallenges.Binding
    package let now: Timestamp
}

extension Callers {
    /// Accepts a request for a challenge: from an app or, before a sign-in, from a key without a session.
    /// - Parameters:
    ///   - request: the purpose of the challenge.
    ///   - presented: as read by the edge. Before a sign-in it has a DPoP proof and no access token.
    /// - Throws: `OAuthRefusal` for a call that is not accepted.
    package func challenge(
        _ request: ChallengeRequest, _ presented: PresentedCredentials
    ) async throws -> ChallengeCaller {
        func caller(_ thumbprint: JWKThumbprint, _ account: String?, _ now: Timestamp) -> ChallengeCaller {
            let binding = DeviceChallenges.Binding(
                purpose: request.purpose, thumbprint: thumbprint, account: account, device: request.deviceID?.rawValue)
            return ChallengeCaller(binding: binding, now: now)
        }
        switch request.purpose {
        // The last two cannot arrive: the wire format refuses them.
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
