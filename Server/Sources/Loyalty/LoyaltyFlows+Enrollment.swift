internal import Kernel
internal import SignIn
internal import Store
internal import Tokens
internal import WalletAuthWire
package import Web

extension LoyaltyFlows {
    /// `POST /enrollment/createAndRegister.json`: creates an account for a guest that a provider vouches for, and issues its tokens.
    ///
    /// A repeated request whose response was lost gets the same account.
    /// - Parameter request: the new account, and the proof of the guest's identity.
    package func enroll(
        _ request: LoyaltyEnrollmentRequest, call: LoyaltyCaller
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        let found = try await integrations.find(
            request.externalAccount.integration, of: request.merchantID, for: call)
        let integration: LoyaltyIntegration
        switch found {
        case .failure(let failure): return .failure(failure)
        case .success(let known): integration = known
        }
        if let refusal = integration.refusal(of: request) { return .failure(refusal) }
        let memory = try EnrollmentMemory(
            of: request, by: call.client.id, database: context.database, sealing: context.sealing)
        let enrollment = LoyaltyEnrollment(
            flows: self, request: request, integration: integration, memory: memory, call: call)
        switch try await alone(with: memory.digest, { try await enrollment.run() }) {
        case nil: return .failure(LoyaltyFailure(.busy, retryAfter: 2))
        case .failure(let failure)?: return .failure(failure)
        case .success(let enrolled)?: return try await answer(enrolled, integration: integration, call: call)
        }
    }

    /// Opens a session for the account that this request created, now or earlier.
    private func answer(
        _ enrolled: EnrollmentMemory.Enrollment, integration: LoyaltyIntegration, call: LoyaltyCaller
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        guard let account = UniqueID(bytes: enrolled.account) else { throw InvariantViolation() }
        let factors = SignInPolicy.Factors(
            securityVersion: enrolled.securityVersion, amr: [AuthenticationStrength.provider],
            authTime: enrolled.authTime, providerAuthTime: enrolled.providerAuthTime)
        let outcome = try await sessions.open(
            account, factors: factors, properties: ["provider": integration.provider.id.rawValue],
            call: call.tokens(scope: nil))
        switch outcome {
        case .opened(let tokens, let username):
            return .success(
                LoyaltyEnrollmentResponse(
                    accountID: enrolled.number, tokens: try GuestTokens(tokens, username: username)))
        case .refused(let decision): return .failure(LoyaltyFailure(gate: decision))
        }
    }
}
