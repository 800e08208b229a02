internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Signing in with a passkey on the hosted page: nobody is named before, and what it proved goes through the gate like any
/// other sign-in.
extension PageFlow {
    /// What the browser is asked to sign beside the question for the password; `nil` where there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        guard let party = context.passkeyParty else { return nil }
        let challenge = try PasskeyChallenges(context: context)
            .issue(.signIn(browser: PageSeal.digest(of: binding)), now: now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Signs in with what the browser brought; `nil` for what can be nothing of the kind.
    func usePasskey(_ response: PasskeyAssertionResponse?) async throws -> AuthorizationAnswer {
        guard let response, let binding = cookies.binding,
            let proof = try await PasskeyAuthentication(context: context).verify(
                response, for: .signIn(browser: PageSeal.digest(of: binding)), origin: origin, now: now),
            proof.account.brandID == (try brand).rawValue,
            try await context.database.write({ try proof.spend(on: $0) })
        else { return try await ask(.credentials(username: request.loginHint), .passkeyRefused) }
        let factors = SignInPolicy.Factors(
            securityVersion: proof.account.securityVersion, amr: proof.methods, authTime: now)
        return try await finish(proof.account.id, factors: factors)
    }
}
