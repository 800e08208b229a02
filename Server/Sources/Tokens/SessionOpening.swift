internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Opens the session of a sign-in that passed the gate. Sessions begin only here.
struct SessionOpening: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let policy: SCAPolicy
    let limit: SessionLimit
    let mint: TokenMint

    enum Outcome: Sendable {
        case opened(TokenResponse)
        case refused(OAuthRefusal)
        /// The code was redeemed before, for this session.
        case replayed(UniqueID)
    }

    /// - Parameters:
    ///   - admitted: the grant of the sign-in.
    ///   - signedInTo: the client of the sign-in; `nil` if it was removed.
    ///   - call: of the client that gets the tokens.
    ///   - write: writes the session.
    func open(
        _ admitted: AdmittedGrant, signedInTo: RegisteredClient?, call: TokenCaller,
        by write: @escaping @Sendable (NewSession, any SQLConnection) throws -> RedemptionOutcome = {
            try Sessions.open($0, on: $1) ? .opened : .accountChanged
        }
    ) async throws -> Outcome {
        let grant = admitted.grant
        // RFC 6749 §4.1.3 has no scope here. Clients that repeat the requested scope get the part that was granted.
        let scope = call.scope?.intersection(grant.scope) ?? grant.scope
        guard !scope.isEmpty || grant.scope.isEmpty else { return .refused(.invalidScope(call.scope?.tokens ?? [])) }
        // The resources of the authorization request can be narrowed here, never widened (RFC 8707 §2.2).
        let resources = call.resources.isEmpty ? grant.resources : call.resources
        guard grant.resources.isEmpty || resources.allSatisfy(grant.resources.contains),
            let audience = call.client.audience(for: resources, issuer: mint.issuer)
        else { return .refused(.invalidTarget) }

        // The maximum audience of the session: the requested resources, or all that the client has now.
        guard let reach = call.client.audience(for: grant.resources, issuer: mint.issuer) else {
            return .refused(.invalidTarget)
        }
        let session = try newSession(for: admitted, reach: reach, call: call)
        let isThirdParty = !(signedInTo?.isFirstParty ?? false)
        let room = try await limit.room(for: session, call: call)
        let outcome = try await database.write { [clock] connection -> RedemptionOutcome in
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
            let outcome = try write(session, connection)
            if case .opened = outcome {
                try room.make(now: clock.writeTime(since: call.now), on: connection)
            }
            return outcome
        }
        switch outcome {
        case .accountChanged, .otherCodeRedeemed: return .refused(.invalidGrant)
        case .replayed(let session): return .replayed(session)
        case .opened:
            let wanted = TokenMint.SessionTokens(
                session: session, generation: 0, audience: audience, scope: scope,
                idToken: grant.scope.contains("openid") ? TokenMint.IDTokenRequest(nonce: grant.nonce) : nil)
            return .opened(try await mint.tokens(wanted, call: call))
        }
    }

    private func newSession(for admitted: AdmittedGrant, reach: [String], call: TokenCaller) throws -> NewSession {
        let (grant, client) = (admitted.grant, call.client)
        let absoluteEnd = call.now + client.absoluteLifetime
        guard let account = UniqueID(bytes: grant.account.bytes) else { throw InvariantViolation() }
        let (secret, key) = try mint.refreshSecret()
        return NewSession(
            id: try random.timeOrderedID(call.now), accountID: account, clientID: client.id.rawValue,
            grantedTo: grant.client == client.id ? nil : grant.client.rawValue,
            // A confidential client's refresh token is bound to its authentication (RFC 9449 §5): its keys may change.
            dpopThumbprint: client.kind == .public ? call.proof?.thumbprint.bytes : nil,
            requiresProof: client.kind == .confidential && call.proof != nil,
            secret: secret, macKeyID: Int64(key.value),
            scope: grant.scope.rawValue, audience: reach.joined(separator: " "), acr: grant.acr,
            amr: grant.amr.joined(separator: " "),
            authTime: grant.authTime,
            countsUntil: policy.counting(from: grant.authTime, at: call.now),
            securityVersion: grant.securityVersion, merchantID: grant.merchant?.rawValue,
            deviceID: grant.device.flatMap { UniqueID(uuid: $0.rawValue) },
            createdAt: call.now,
            expiresAt: RefreshRules.slidingEnd(now: call.now, idle: client.idleLifetime, absoluteEnd: absoluteEnd),
            absoluteExpiresAt: absoluteEnd)
    }
}
