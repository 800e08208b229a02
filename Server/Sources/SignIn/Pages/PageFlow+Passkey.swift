internal import Core
internal import WalletAuthWire

/// Sign-in with a passkey on the hosted page. The person types no name, and the proof passes the gate like any other.
extension PageFlow {
    /// The request to the browser, shown together with the password form; `nil` if there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        guard let party = context.passkeyParty else { return nil }
        let challenge = try PasskeyChallenges(context: context)
            .issue(.signIn(browser: PageSeal.digest(of: binding)), now: now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Signs in with the browser's response; `nil` for one that cannot be valid.
    func usePasskey(_ response: PasskeyAssertionResponse?) async throws -> AuthorizationAnswer {
        let again = SignInPage.Step.credentials(username: request.loginHint)
        guard let response, let binding = cookies.binding else { return try await ask(again, .passkeyRefused) }
        let method = PasskeyMethod(response: response, use: .signIn(browser: PageSeal.digest(of: binding)))
        return try await signIn(by: method, again: again, wrong: .passkeyRefused)
    }
}
