package import AuthCore
package import AuthStore
package import WalletAuthWire

/// Sessions that a confidential client's backend opens for guests: it brings what a guest proved, and gets the tokens.
///
/// They begin as every session does: before the gate, by a code, at its redemption. The code and its verifier never leave the
/// server. It does not own how a guest proves anything, nor the API that the backend speaks.
package struct GuestSessions: Sendable {
    let context: ServerContext

    /// Each parameter is the property of its name.
    package init(context: ServerContext) { self.context = context }

    /// One request by a client that proved itself.
    package struct Call: Sendable {
        package let client: RegisteredClient
        /// What is asked for.
        package var scope: Scope
        package let origin: RequestOrigin
        package let now: Timestamp

        /// Each parameter is the property of its name.
        package init(client: RegisteredClient, scope: Scope, origin: RequestOrigin, now: Timestamp) {
            self.client = client
            self.scope = scope
            self.origin = origin
            self.now = now
        }

        func tokenCall(scope: Scope?) -> TokenCaller {
            TokenCaller(client: client, proof: nil, scope: scope, resources: [], origin: origin, now: now)
        }
    }

    /// What came of it.
    package enum Outcome: Sendable {
        /// Tokens, and the guest's user name.
        case opened(TokenResponse, username: String?)
        /// The gate refuses; never ``AuthCore/SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision)
    }

    /// The client, once it has proved itself. A public one proves nothing by its id.
    package func client(_ presented: ClientAuthentication, now: Timestamp) async throws -> RegisteredClient? {
        let client = try? await ClientAuthenticator(context: context).authenticate(presented, now: now).get()
        return client?.kind == .confidential ? client : nil
    }

    /// Opens a session for a guest whose factors were proved.
    /// - Parameters:
    ///   - account: whose.
    ///   - factors: what was proved.
    ///   - properties: what the audit log keeps with the sign-in.
    ///   - call: the client's request.
    package func open(
        _ account: UniqueID, factors: SignInPolicy.Factors, properties: [String: String], call: Call
    ) async throws -> Outcome {
        let verifier = try CodeVerifier(random: context.random.bytes(32))
        let intent = SignInGate.Intent(
            client: call.client, redirectURI: nil, challenge: CodeChallenge(verifier: verifier), scope: call.scope,
            nonce: nil, keyThumbprint: nil, merchant: nil, resources: [], entrance: .backend, properties: properties,
            origin: call.origin)
        switch try await SignInGate(context: context).admit(account, factors: factors, intent: intent, now: call.now) {
        case .refused(let decision, _): return .refused(decision)
        case .merchantRequired: return .refused(.merchantMissing)
        // Clients that may request guest tokens are the operator's own, which are asked for no consent.
        case .consentRequired: return .refused(.unknown)
        case .admitted(let code, _):
            let redeemed = try await CodeGrant(context: context)
                .redeem(code, redirectURI: nil, verifier: verifier, call: call.tokenCall(scope: nil))
            // Whatever the gate saw was changed before the session began.
            guard case .issued(let tokens) = redeemed else { return .refused(.changed) }
            return .opened(tokens, username: try await username(of: account))
        }
    }

    /// Opens a session for a guest whose provider vouched just now.
    package func open(_ account: AccountRecord, as guest: ProvenGuest, call: Call) async throws -> Outcome {
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: [Self.federatedMethod], authTime: call.now)
        return try await open(
            account.id, factors: factors, properties: ["provider": guest.identity.provider.id.rawValue], call: call)
    }

    /// The method of a sign-in by a provider's word.
    package static let federatedMethod = NativeSignIn.federatedMethod

    /// What came of a guest's own password.
    package enum PasswordOutcome: Sendable {
        /// As for any other sign-in.
        case judged(Outcome)
        /// Wrong, unknown or slowed: one answer for all.
        case invalid
        /// No room to hash; nothing was counted. Seconds.
        case busy(retryAfter: Int64)
    }

    /// Opens a session by a guest's user name and password.
    ///
    /// Failures count at the name, as those of devices that the account does not know, and at the password, so that one is not
    /// tried at all names. They do not count at the network address, which is the backend's.
    package func open(
        username: Username, password: Password, call: Call
    ) async throws -> PasswordOutcome {
        let outcome = try await PasswordVerification(context: context).verifyToSignIn(
            password, username: username, brand: try call.client.accountBrand, device: .backend, origin: call.origin,
            now: call.now)
        switch outcome {
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.password], authTime: call.now)
            return .judged(try await open(account.id, factors: factors, properties: [:], call: call))
        case .busy(let seconds): return .busy(retryAfter: seconds)
        // More is for known devices and network addresses.
        case .invalid, .deactivated, .deviceSuspended, .deviceDeactivated, .tooManyAttempts: return .invalid
        }
    }

    /// Renews a session of the client's.
    package func renew(
        _ token: RefreshToken, scope: Scope?, call: Call
    ) async throws -> Result<(tokens: TokenResponse, username: String?), OAuthRefusal> {
        switch try await RefreshGrant(context: context).renew(token, attempt: nil, call: call.tokenCall(scope: scope)) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let renewed):
            return .success((renewed.tokens, try await username(of: renewed.account)))
        }
    }

    private func username(of account: UniqueID) async throws -> String? {
        try await context.database.lookUp { try Accounts.names(of: account, on: $0).first }
    }
}
