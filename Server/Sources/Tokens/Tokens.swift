package import Kernel
package import SignIn

/// The flows of tokens and of the sessions behind them, built once.
///
/// This target does not own sign-in, which ends with a code, nor the check of a call with a token (`Kernel/Callers`).
package struct Tokens: Sendable {
    package let grants: TokenGrants
    package let deviceAuthorizations: DeviceAuthorizations
    package let revocation: TokenRevocation
    package let introspection: TokenIntrospection
    package let userInfo: UserInfoClaims
    /// Sessions of guests of a confidential client.
    package let guests: GuestSessions

    package init(context: ServerContext, signIn: SignInFlows) {
        let (settings, database, clock) = (context.settings, context.database, context.clock)
        let attestations = AttestationClaim(database: database, environment: settings.environment)
        let mint = TokenMint(
            keyRing: context.keyRing, issuer: settings.issuer, random: context.random, attestations: attestations,
            vault: SessionVault(context.sealing))
        let limit = SessionLimit(
            limit: settings.sessions.limit, keyRing: context.keyRing, database: database, auditLog: context.auditLog)
        let opening = SessionOpening(
            database: database, clock: clock, random: context.random, policy: settings.sca.policy, limit: limit,
            mint: mint, auditLog: context.auditLog, vault: SessionVault(context.sealing))
        let stolen = StolenSessions(database: database, clock: clock, auditLog: context.auditLog)
        let codes = CodeGrant(
            codes: signIn.codes, clients: context.clients, database: database,
            opening: opening, stolen: stolen)
        let refreshTokens = RefreshGrant(
            keyRing: context.keyRing, database: database, clients: context.clients,
            idleLimit: settings.sca.policy.idleLimit, mint: mint, stolen: stolen,
            vault: SessionVault(context.sealing), logger: context.logger)
        grants = TokenGrants(
            clock: clock, proofs: context.proofs, clients: context.clientAuthenticator, codes: codes,
            refreshTokens: refreshTokens,
            clientCredentials: ClientCredentialsGrant(proofs: context.proofs, mint: mint),
            foreignTokens: ForeignTokenGrant(
                database: database, systems: context.formerSystems, access: context.providerAccess,
                addresses: signIn.passwords.addresses, gate: signIn.gate, opening: opening, mint: mint,
                auditLog: context.auditLog, vault: AccountVault(context.sealing)),
            accessTokens: AccessTokenExchange(proofs: context.proofs, accessTokens: context.accessTokens, mint: mint),
            deviceCodes: DeviceCodeGrant(
                database: database, gate: signIn.gate, opening: opening, vault: DeviceGrantVault(context.sealing),
                auditLog: context.auditLog))
        deviceAuthorizations = DeviceAuthorizations(
            clock: clock, random: context.random, issuer: settings.issuer, keyRing: context.keyRing,
            proofs: context.proofs, clients: context.clientAuthenticator, database: database,
            vault: DeviceGrantVault(context.sealing))
        let lookup = RefreshTokenLookup(keyRing: context.keyRing, database: database)
        revocation = TokenRevocation(
            clock: clock, clients: context.clientAuthenticator, proofs: context.proofs,
            accessTokens: context.accessTokens, refreshTokens: lookup, database: database, auditLog: context.auditLog)
        introspection = TokenIntrospection(
            clock: clock, clients: context.clientAuthenticator, accessTokens: context.accessTokens,
            refreshTokens: lookup, database: database, issuer: settings.issuer, attestations: attestations,
            keyRing: context.keyRing, vault: SessionVault(context.sealing))
        userInfo = UserInfoClaims(
            clock: clock, accessTokens: context.accessTokens, database: database, sealing: context.sealing,
            issuer: settings.issuer)
        guests = GuestSessions(
            gate: signIn.gate, passwords: signIn.passwords, codes: codes,
            refreshTokens: refreshTokens, opening: opening, database: database)
    }
}
