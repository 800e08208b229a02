internal import Core
internal import Kernel
internal import SignIn
package import Store
internal import WalletAuthWire

/// Exchanges a refresh token of the system that an app's people come from, once, for a session here (RFC 8693, decision 172).
struct ForeignTokenGrant: Sendable {
    let database: any Database
    let systems: FormerSystems
    let access: ProviderAccess
    let addresses: AddressAttempts
    let gate: SignInGate
    let opening: SessionOpening
    let mint: TokenMint
    let auditLog: AuditLog
    let vault: AccountVault

    /// After an outage of the former system. In seconds.
    private static let retryAfter: Int64 = 5

    func exchange(_ token: RefreshToken, call: TokenCaller) async throws -> TokenOutcome {
        let system = try await systems.introspection(
            for: call.client.id.rawValue, in: call.client.accountBrand, now: call.now)
        guard let (provider, settings, secret) = system else { return .failure(.unauthorizedClient) }
        let scope = call.scope ?? call.client.scope
        guard scope.isSubset(of: call.client.scope) else { return .failure(.invalidScope(scope.tokens)) }
        guard let spelling = ForeignTokenSpelling(token) else { return .failure(.invalidGrant) }
        let digest = Digests.of("foreign-token", Array("\(provider.brand.rawValue)\0".utf8) + spelling.canonical)
        if let exchanged = try await database.read({ try ForeignTokens.find(digest, on: $0) }) {
            return try await repeated(exchanged, call: call)
        }
        let counters = try addresses.counters(of: call.origin, now: call.now)
        if case .refuse(let until) = try await database.write({ try counters.reserve(now: call.now, on: $0) }) {
            return .failure(.temporarilyUnavailable(retryAfter: RetryAfter.seconds(until: until, now: call.now)))
        }
        let outcome: TokenOutcome
        do {
            outcome = try await open(token, digest: digest, at: provider, settings, secret, call: call)
        } catch let failure as ProviderFailure {
            access.report(failure, of: provider)
            try await database.write { try counters.refund(on: $0) }
            return .failure(.temporarilyUnavailable(retryAfter: Self.retryAfter))
        }
        try await database.write { connection in
            guard case .failure(.invalidGrant) = outcome else { return try counters.refund(on: connection) }
            try counters.fail(on: connection)
        }
        return outcome
    }

    private func open(
        _ token: RefreshToken, digest: [UInt8], at provider: IdentityProvider, _ settings: IntrospectionSettings,
        _ secret: ClientSecret?, call: TokenCaller
    ) async throws -> TokenOutcome {
        let holder = try await ForeignTokenIntrospection(http: access.http).holder(
            of: token, at: settings, secret, reach: provider.reach(in: access.environment), now: call.now)
        access.activity.count(holder == nil ? .refused : .ok, of: provider)
        guard let holder, let account = try await account(of: holder, in: provider.brand) else {
            return .failure(.invalidGrant)
        }
        // As old as can be, whatever the former system says of the time: a stolen token must be a fresh sign-in for nothing.
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: [AuthenticationStrength.formerSystem], authTime: call.now,
            providerAuthTime: Timestamp(seconds: 0))
        let admitted = try await gate.admit(
            former: account.id, factors: factors, to: call.client, scope: call.scope ?? call.client.scope,
            keyThumbprint: call.proof?.thumbprint.bytes, origin: call.origin, now: call.now)
        guard case .admitted(let admission) = admitted else { return .failure(.invalidGrant) }
        var details = JSONObject()
        details.set("provider", provider.id)
        let entry = try auditLog.entry(
            SessionEvent.foreignTokenExchanged, account: account.id, client: call.client.id.rawValue,
            origin: call.origin, now: call.now, details: details, message: SessionMessage.foreignTokenExchanged,
            email: vault.email(of: account))
        let opened = try await opening.open(AdmittedGrant(admission), signedInTo: call.client, call: call) {
            session, connection in
            guard
                try ForeignTokens.take(
                    digest, of: account.id, for: session.id, now: call.now, on: connection)
            else {
                guard let other = try ForeignTokens.find(digest, on: connection) else { throw InvariantViolation() }
                return .replayed(sessionID: other.session)
            }
            guard try Sessions.open(session, on: connection) else {
                // The account changed meanwhile: nothing was opened, and the token may be exchanged when it is settled.
                try ForeignTokens.giveBack(digest, on: connection)
                return .accountChanged
            }
            try entry.write(on: connection)
            return .opened
        }
        switch opened {
        case .opened(let tokens): return .success(tokens.ofExchange)
        case .refused(let refusal): return .failure(refusal)
        case .replayed:
            // Another request with the same token was faster.
            guard let exchanged = try await database.read({ try ForeignTokens.find(digest, on: $0) }) else {
                return .failure(.invalidGrant)
            }
            return try await repeated(exchanged, call: call)
        }
    }

    /// The account that the person was imported to, by the former id alone: the name may be another person's there.
    private func account(
        of holder: ForeignTokenIntrospection.Holder, in brand: BrandID
    ) async throws -> AccountRecord? {
        let id = try ImportedAccountKey.id(holder.subject).accountID(in: brand)
        let found = try await database.read { try Accounts.find(id, on: $0) }
        return found?.brandID == brand.rawValue ? found : nil
    }

    /// Answers a request whose answer was lost with the same session, as long as no one has renewed it, to the same client with the same
    /// key. A client without a key has as long as for a refresh that it marks with no attempt.
    private func repeated(_ exchanged: ForeignTokens.Exchanged, call: TokenCaller) async throws -> TokenOutcome {
        let record = try await database.read { try Sessions.living(exchanged.session, now: call.now, on: $0) }
        guard let record, record.generation == 0, record.facts.clientID == call.client.id.rawValue else {
            return .failure(.invalidGrant)
        }
        let session = record.facts
        guard !session.requiresProof || call.proof != nil else { return .failure(.invalidGrant) }
        if call.client.kind == .public {
            guard session.dpopThumbprint == call.proof?.thumbprint.bytes else { return .failure(.invalidGrant) }
            let age = call.now - exchanged.at
            guard
                session.dpopThumbprint != nil || (Duration.zero - RefreshRules.grace...RefreshRules.grace).contains(age)
            else { return .failure(.invalidGrant) }
        }
        let granted = try Scope(session.scope)
        let scope = call.scope?.intersection(granted) ?? granted
        guard let audience = call.client.audience(for: call.resources, issuer: mint.issuer) else {
            return .failure(.invalidTarget)
        }
        let wanted = TokenMint.SessionTokens(
            session: session, generation: 0, audience: audience, scope: scope,
            idToken: granted.contains("openid") ? TokenMint.IDTokenRequest(nonce: nil) : nil)
        return .success(try await mint.tokens(wanted, call: call).ofExchange)
    }
}

extension TokenResponse {
    /// RFC 8693 §2.2.1.
    fileprivate var ofExchange: TokenResponse {
        var response = self
        response.issuedTokenType = Self.accessTokenType
        return response
    }
}

/// The refresh tokens of a former system that were exchanged. It owns the `foreign_tokens` table.
package enum ForeignTokens {
    struct Exchanged: Sendable, Hashable {
        let session: UniqueID
        let at: Timestamp
    }

    static func find(_ digest: [UInt8], on connection: any SQLConnection) throws -> Exchanged? {
        try connection.row(
            "SELECT session_id, exchanged_at FROM foreign_tokens WHERE digest = $1", [.blob(digest)]
        ).map { Exchanged(session: try $0.id("session_id"), at: try $0.time("exchanged_at")) }
    }

    /// The single-use gate: of all callers with the same token, one gets `true`.
    static func take(
        _ digest: [UInt8], of account: UniqueID, for session: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO foreign_tokens (digest, account_id, session_id, exchanged_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (digest) DO NOTHING
            """, [.blob(digest), .id(account), .id(session), .time(now)]) == 1
    }

    static func giveBack(_ digest: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM foreign_tokens WHERE digest = $1", [.blob(digest)])
    }

    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM foreign_tokens WHERE account_id = $1", [.id(account)])
    }
}
