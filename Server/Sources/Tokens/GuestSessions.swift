internal import Core
package import Kernel
package import SignIn
package import Store
package import WalletAuthWire

/// Sessions that a confidential client's backend opens for guests: it presents what a guest proved and gets the tokens.
///
/// They begin like every session, with an admission by the gate, but without a code. How a guest proves anything is not decided here.
package struct GuestSessions: Sendable {
    let gate: SignInGate
    let passwords: PasswordVerification
    let codes: CodeGrant
    let refreshTokens: RefreshGrant
    let opening: SessionOpening
    let database: any Database

    package enum Outcome: Sendable {
        /// Tokens, and the guest's user name.
        case opened(TokenResponse, username: String?)
        /// The gate refuses; never ``SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision)
    }

    /// Opens a session for a guest whose factors were proved.
    /// - Parameters:
    ///   - account: the guest's account.
    ///   - factors: the proved factors.
    ///   - properties: stored in the audit log with the sign-in.
    ///   - call: the client's request.
    package func open(
        _ account: UniqueID, factors: SignInPolicy.Factors, properties: [String: String], call: TokenCaller
    ) async throws -> Outcome {
        let admitted = try await gate.admit(
            guest: account, factors: factors, to: call.client, scope: call.scope ?? call.client.scope,
            properties: properties, origin: call.origin, now: call.now)
        switch admitted {
        case .refused(let decision): return .refused(decision)
        case .admitted(let admission):
            let opened = try await opening.open(AdmittedGrant(admission), signedInTo: call.client, call: call)
            // The account, or something else that the gate checked, changed before the session began.
            guard case .opened(let tokens) = opened else { return .refused(.changed) }
            return .opened(tokens, username: try await username(of: account))
        }
    }

    package enum PasswordOutcome: Sendable {
        /// The same result as for any other sign-in.
        case judged(Outcome)
        /// Wrong, unknown or slowed: one answer for all.
        case invalid
        /// No hashing slot is free, or passwords cannot be verified at present. Seconds.
        case busy(retryAfter: Int64)
    }

    /// Opens a session with a guest's user name and password.
    ///
    /// Failures count against the name, as those of untrusted devices do, and against the password, so that one password cannot
    /// be tried on all names. They do not count against the network address, which is the backend's.
    /// - Parameter isReached: whether the client may sign in to the account of the name; `nil` if it has none. If not, no password
    ///   is right.
    package func open(
        username: Username, password: Password, call: TokenCaller, ifReached isReached: (UniqueID?) async throws -> Bool
    ) async throws -> PasswordOutcome {
        let outcome = try await passwords.verifyToSignIn(
            password, username: username, brand: try call.client.accountBrand, device: .backend, origin: call.origin,
            now: call.now, ifReached: isReached)
        switch outcome {
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.password], authTime: call.now)
            return .judged(try await open(account.id, factors: factors, properties: [:], call: call))
        case .refused(.busy(let seconds)), .refused(.unavailable(let seconds)): return .busy(retryAfter: seconds)
        // The other details are only for known devices and network addresses.
        case .refused: return .invalid
        }
    }

    /// Refreshes one of the client's sessions.
    package func renew(
        _ token: RefreshToken, call: TokenCaller
    ) async throws -> Result<(tokens: TokenResponse, username: String?), OAuthRefusal> {
        switch try await refreshTokens.renew(token, attempt: nil, call: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let renewed):
            return .success((renewed.tokens, try await username(of: renewed.account)))
        }
    }

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
    ///   - call: its scope narrows the one that was granted on the page.
    ///   - isReached: whether the client may sign in to the account. Asked before the code is spent.
    package func open(
        _ code: AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier, call: TokenCaller,
        ifReached isReached: (UniqueID?) async throws -> Bool
    ) async throws -> CodeOutcome {
        guard let grant = try await codes.codes.open(code, now: call.now)?.grant,
            grant.client == call.client.id, let account = UniqueID(bytes: grant.account.bytes)
        else { return .invalid }
        guard try await isReached(account) else { return .unreachable }
        let redeemed = try await codes.redeem(
            code, redirectURI: redirectURI, verifier: verifier, call: call)
        switch redeemed {
        case .success(let tokens): return .opened(tokens, username: try await username(of: account))
        case .failure(.invalidScope): return .invalidScope
        case .failure: return .invalid
        }
    }

    private func username(of account: UniqueID) async throws -> String? {
        try await database.read { try Accounts.names(of: account, on: $0).first }
    }
}
