internal import AuthCore
internal import AuthFoundation
internal import AuthSignIn
package import AuthStore
package import WalletAuthWire

extension GuestSessions {
    package enum CodeOutcome: Sendable {
        /// Tokens, and the guest's user name.
        case opened(TokenResponse, username: String?)
        /// The code is wrong, expired, spent, or another client's; or verifier or redirect URI are not those of its request.
        case invalid
        /// The client may not speak for the person.
        case unreachable
        case invalidScope
    }

    /// Opens a session for a guest who signed in on the hosted page, by the code that the page gave to this client.
    ///
    /// The redemption is that of the token endpoint. Codes of another client are refused here, even if this one is its redeemer: the
    /// session would not be the backend's own.
    /// - Parameters:
    ///   - scope: narrows the scope that was granted on the page; `nil` for all of it.
    ///   - isReached: whether the client may sign in to the account. Asked before the code is spent.
    package func open(
        _ code: AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier, scope: Scope?, call: Call,
        ifReached isReached: (UniqueID?) async throws -> Bool
    ) async throws -> CodeOutcome {
        guard let grant = try await AuthorizationCodes(context: context).open(code, now: call.now),
            grant.client == call.client.id, let account = UniqueID(bytes: grant.account.bytes)
        else { return .invalid }
        guard try await isReached(account) else { return .unreachable }
        let redeemed = try await CodeGrant(context: context)
            .redeem(code, redirectURI: redirectURI, verifier: verifier, call: call.tokenCall(scope: scope))
        switch redeemed {
        case .issued(let tokens): return .opened(tokens, username: try await username(of: account))
        case .refused(.invalidScope): return .invalidScope
        case .refused: return .invalid
        }
    }
}
