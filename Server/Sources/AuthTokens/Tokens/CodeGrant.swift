internal import AuthCallers
internal import AuthCore
internal import AuthCredentials
internal import AuthEvents
internal import AuthFoundation
internal import AuthSignIn
internal import AuthStore
internal import WalletAuthWire

/// Redeems an authorization code. Sessions begin only here.
struct CodeGrant: Sendable {
    let context: ServerContext

    func redeem(
        _ code: AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier, call: TokenCaller
    ) async throws -> TokenOutcome {
        guard let grant = try await AuthorizationCodes(context: context).open(code, now: call.now) else {
            return .refused(.invalidGrant)
        }
        let signedInTo = try await context.clients.find(grant.client, now: call.now)
        let redemption = AuthorizationGrant.Redemption(
            client: call.client.id, redeemer: signedInTo?.redeemer, verifier: verifier,
            redirectURI: redirectURI?.rawValue,
            keyThumbprint: call.proof?.thumbprint.bytes)
        guard grant.isProved(by: redemption) else { return .refused(.invalidGrant) }
        guard !grant.isExpired(at: call.now) else {
            try await revokeOnReplay(of: grant, code, call: call)
            return .refused(.invalidGrant)
        }
        // RFC 6749 §4.1.3 has no scope here. Clients that repeat the requested scope get the part that was granted.
        let scope = call.scope?.intersection(grant.scope) ?? grant.scope
        guard !scope.isEmpty || grant.scope.isEmpty else { return .refused(.invalidScope) }
        // The resources of the authorization request can be narrowed here, never widened (RFC 8707 §2.2).
        let resources = call.resources.isEmpty ? grant.resources : call.resources
        guard grant.resources.isEmpty || resources.allSatisfy(grant.resources.contains),
            let audience = call.client.audience(for: resources, issuer: context.settings.issuer)
        else { return .refused(.invalidTarget) }

        // The maximum audience of the session: the requested resources, or all that the client has now.
        guard let reach = call.client.audience(for: grant.resources, issuer: context.settings.issuer) else {
            return .refused(.invalidTarget)
        }
        let session = try newSession(for: grant, reach: reach, call: call)
        let digest = AuthorizationCodes.digest(of: code)
        let keepUntil = grant.issuedAt + AuthorizationGrant.memory
        let isThirdParty = !(signedInTo?.isFirstParty ?? false)
        let limit = try await SessionLimit(before: session, call: call, context: context)
        let redemptionOutcome = try await context.database.write { connection -> RedemptionOutcome in
            // A PIN may have been compared while the operator turned PINs off; its code was created afterwards.
            guard try Brands.take(grant.amr, from: session.accountID, on: connection) else { return .accountChanged }
            // A consent that was withdrawn after the code was created no longer counts.
            if isThirdParty {
                let consent = try ClientConsentRecords.find(
                    session.accountID, to: grant.client.rawValue, on: connection)
                guard try ClientConsentRule.covers(grant.scope, consent, named: grant.consent) else {
                    return .accountChanged
                }
            }
            let outcome = try RedeemedCodes.redeem(
                grant.id, digest: digest, keepUntil: keepUntil, opening: session, on: connection)
            if case .opened = outcome {
                try limit.makeRoom(now: context.writeTime(since: call.now), on: connection)
            }
            return outcome
        }
        switch redemptionOutcome {
        case .accountChanged, .otherCodeRedeemed: return .refused(.invalidGrant)
        case .replayed(let sessionID):
            try await end(sessionID, of: grant, call: call)
            return .refused(.invalidGrant)
        case .opened:
            let wanted = TokenMint.SessionTokens(
                session: session, generation: 0, audience: audience, scope: scope,
                idToken: grant.scope.contains("openid") ? TokenMint.IDTokenRequest(nonce: grant.nonce) : nil)
            return .issued(try await TokenMint(context: context).tokens(wanted, call: call))
        }
    }

    private func newSession(for grant: AuthorizationGrant, reach: [String], call: TokenCaller) throws -> NewSession {
        let client = call.client
        let absoluteEnd = call.now + client.absoluteLifetime
        guard let account = UniqueID(bytes: grant.account.bytes) else { throw InvariantViolation() }
        return NewSession(
            id: try context.timeOrderedID(call.now), accountID: account, clientID: client.id.rawValue,
            grantedTo: grant.client == client.id ? nil : grant.client.rawValue,
            // A confidential client's refresh token is bound to its authentication (RFC 9449 §5): its keys may change.
            dpopThumbprint: client.kind == .public ? call.proof?.thumbprint.bytes : nil,
            requiresProof: client.kind == .confidential && call.proof != nil,
            secret: context.random.bytes(16), macKeyID: Int64(try context.keyRing.active(.refresh).id.value),
            scope: grant.scope.rawValue, audience: reach.joined(separator: " "), acr: grant.acr,
            amr: grant.amr.joined(separator: " "),
            authTime: grant.authTime,
            countsUntil: context.settings.sca.policy.counting(from: grant.authTime, at: call.now),
            securityVersion: grant.securityVersion, merchantID: grant.merchant?.rawValue,
            deviceID: grant.device.flatMap { UniqueID(uuid: $0.rawValue) },
            createdAt: call.now,
            expiresAt: RefreshRules.slidingEnd(now: call.now, idle: client.idleLifetime, absoluteEnd: absoluteEnd),
            absoluteExpiresAt: absoluteEnd)
    }

    /// Ends the session of an expired code that comes a second time, which still reveals a thief.
    private func revokeOnReplay(
        of grant: AuthorizationGrant, _ code: AuthorizationCode, call: TokenCaller
    ) async throws {
        let digest = AuthorizationCodes.digest(of: code)
        let found = try await context.database.read { try RedeemedCodes.find(grant.id, digest: digest, on: $0) }
        guard case .replayed(let session) = found else { return }
        try await end(session, of: grant, call: call)
    }

    /// Ends the session of a replayed code. The client, verifier and key were correct, so someone has a copy of all of them
    /// (RFC 6749 §4.1.2).
    private func end(_ session: UniqueID, of grant: AuthorizationGrant, call: TokenCaller) async throws {
        guard let account = UniqueID(bytes: grant.account.bytes) else { return }
        let entry = try AuditLog(context: context).entry(
            SessionEvent.codeReuse, account: account, client: grant.client.rawValue, origin: call.origin, now: call.now,
            message: SessionMessage.codeReuse)
        let revocationScope = try await context.clients.revocationScope(ofCodeFor: grant.client, now: call.now)
        try await context.database.write { connection in
            guard
                try Sessions.end(
                    session, because: .codeReuse, distrusting: revocationScope,
                    now: context.writeTime(since: call.now), on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}
