import WalletAuthTransport
import WalletAuthWire

extension NativeLogin {
    /// Has the server report what it would refuse before it looks at any credential: the client, the scopes, the
    /// provider.
    func checkRegistration(provider: String?) async throws {
        let operation = WalletError.Operation.checkRegistration
        let attempt = try await attempt(operation)
        let step: AuthorizeChallengeRequest.Step
        if let provider {
            guard let id = try? ProviderID(provider) else {
                throw WalletError(
                    .unknownProvider, .misconfigured, during: operation, reason: "no provider can have this name")
            }
            // A name that no provider can have: the server refuses it before asking the provider, and it counts against
            // no one.
            step = .begin(
                .federatedIdentity(
                    FederatedLogin(
                        provider: id, credential: .password(username: " ", try Password("-")))))
        } else {
            // Continues a sign-in that never began.
            step = .proceed(try AuthSession(Randomness.token()), .resendEmail)
        }
        let answer = try await answer(to: { _ in step }, attempt, policy: .idempotent)
        guard !answer.isSuccess else { return }
        let error = answer.failure(during: operation)
        switch error.outcome {
        case .misconfigured where provider != nil && error.code == "invalid_request":
            throw WalletError(
                .unknownProvider, .misconfigured, during: operation, reachedServer: true, traceID: error.traceID,
                reason: error.reason)
        case .misconfigured where error.code != "invalid_request", .temporarilyUnavailable: throw error
        default: return
        }
    }
}
