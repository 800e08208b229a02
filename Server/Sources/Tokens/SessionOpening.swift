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
    let auditLog: AuditLog
    let vault: SessionVault

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
                if let scan = ScanSignInRecord.id(ofGrant: grant.id, amr: grant.amr) {
                    try scanned(scan, session, service: signedInTo ?? call.client, call: call).write(on: connection)
                }
                if let details = grant.authorizationDetails {
                    try granted(details, session, by: grant, call: call).write(on: connection)
                }
                try room.make(now: clock.writeTime(since: call.now), on: connection)
            }
            return outcome
        }
        switch outcome {
        case .accountChanged, .otherCodeRedeemed: return .refused(.invalidGrant)
        case .replayed(let session): return .replayed(session)
        case .opened:
            let person = try await self.person(of: session, grant)
            let wanted = TokenMint.SessionTokens(
                session: session, generation: 0, audience: audience, scope: scope,
                idToken: grant.scope.contains("openid")
                    ? TokenMint.IDTokenRequest(nonce: grant.nonce, claims: person) : nil)
            return .opened(try await mint.tokens(wanted, call: call))
        }
    }

    /// The claims that the ID token is to have, of those that userinfo has by the scope.
    private func person(of session: NewSession, _ grant: AuthorizationGrant) async throws -> JSONObject {
        guard !grant.idTokenClaims.isEmpty else { return JSONObject() }
        let (record, names) = try await database.read { connection in
            (
                try Accounts.find(session.accountID, on: connection),
                try Accounts.names(of: session.accountID, on: connection)
            )
        }
        guard let record else { return JSONObject() }
        let all = AccountVault(vault.sealing).claims(of: record, names: names, scope: grant.scope)
        var claims = JSONObject()
        for member in all.members where grant.idTokenClaims.contains(member.name) { claims[member.name] = member.value }
        return claims
    }

    /// The entry of the audit log that links a scan to its session, with the message to the holder. No earlier step of the sign-in sends it:
    /// the gate may still refuse what the phone approved.
    private func scanned(
        _ scan: UniqueID, _ session: NewSession, service: RegisteredClient, call: TokenCaller
    ) throws -> AuditLog.Entry {
        var details = JSONObject.naming(session: session.id)
        details.set("scan", scan.uuid)
        return try auditLog.entry(
            ScanSignInEvent.opened, account: session.accountID, client: session.signedInTo, origin: call.origin,
            now: call.now, details: details, message: ScanSignInMessage.signedIn(service: service.name))
    }

    /// The entry of the audit log that binds a session to the details that it is for. The log has neither amount nor payee, so it has their
    /// hash, which the token confirms.
    private func granted(
        _ details: AuthorizationDetails, _ session: NewSession, by grant: AuthorizationGrant, call: TokenCaller
    ) throws -> AuditLog.Entry {
        var members = JSONObject.naming(session: session.id)
        members.set(AuthorizationDetails.field, details.types.sorted())
        members.set(
            "authorization_details_sha256",
            Base64URL.encode(Digests.of("authorization-details", Array(details.rawValue.utf8))))
        members.set("amr", grant.amr)
        members.set("auth_time", grant.authTime.seconds)
        return try auditLog.entry(
            SessionEvent.detailsGranted, account: session.accountID, client: grant.client.rawValue, origin: call.origin,
            now: call.now, details: members)
    }

    /// How long the tokens of a payment are renewed: it is carried out once, and a backend that forgot it must not be asked again.
    private static let paymentLifetime = Duration.minutes(15)

    private func newSession(for admitted: AdmittedGrant, reach: [String], call: TokenCaller) throws -> NewSession {
        let (grant, client) = (admitted.grant, call.client)
        let lifetime = client.absoluteLifetime
        let absoluteEnd =
            call.now + (grant.authorizationDetails?.payment == nil ? lifetime : min(lifetime, Self.paymentLifetime))
        guard let account = UniqueID(bytes: grant.account.bytes) else { throw InvariantViolation() }
        let (secret, key) = try mint.refreshSecret()
        // The `sid` of such a session's tokens leads to the proof of what the person signed for it.
        let signed = BackchannelApproval.transaction(ofGrant: grant.id, amr: grant.amr)
        let id = try signed ?? random.timeOrderedID(call.now)
        return NewSession(
            id: id, accountID: account, clientID: client.id.rawValue,
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
            authorizationDetails: try vault.seal(grant.authorizationDetails, of: id),
            network: try call.isOfPerson ? vault.seal(networkOf: call.origin, .app, of: id) : nil,
            createdAt: call.now,
            expiresAt: RefreshRules.slidingEnd(now: call.now, idle: client.idleLifetime, absoluteEnd: absoluteEnd),
            absoluteExpiresAt: absoluteEnd)
    }
}

/// Makes room for a session that an account opens at a client where it has as many as it may have: the one that was idle longest ends,
/// in the write that opens the new one.
///
/// It bounds the open sessions of an account, and with them what a revocation of all of them writes.
struct SessionLimit: Sendable {
    let limit: Int
    let keyRing: KeyRing
    let database: any Database
    let auditLog: AuditLog

    /// Ended sessions say which keys are known, so a low limit must not take them away.
    private static let leastKept = 100

    /// How many more may accumulate before those beyond are forgotten, at once.
    private static let step = 32

    /// The person hears of it once a day: with an app that never signs out, it happens at each sign-in.
    private static let policy = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(24), longest: .hours(24)), forgottenAfter: .hours(24))

    /// Reads what makes room. Call it before the write.
    func room(for session: NewSession, call: TokenCaller) async throws -> Room {
        let (account, client) = (session.accountID, session.signedInTo)
        let notices = AttemptLimit(
            Digests.keyed("session-limit", [account.uuid, client], key: try keyRing.active(.attempts)),
            under: Self.policy)
        return try await database.read { [limit, auditLog] connection in
            let surplus = try Sessions.surplus(
                of: account, at: client, limit: limit, keeping: max(limit, Self.leastKept), inStepsOf: Self.step,
                now: call.now, on: connection)
            let held =
                surplus.open.isEmpty ? nil : try Attempts.heldUntil([notices], now: call.now, on: connection)
            return Room(
                auditLog: auditLog, call: call, account: account, client: client, surplus: surplus, notices: notices,
                wasNotified: held != nil)
        }
    }

    /// The sessions that make room for one.
    struct Room: Sendable {
        fileprivate let auditLog: AuditLog
        fileprivate let call: TokenCaller
        fileprivate let account: UniqueID
        fileprivate let client: String
        fileprivate let surplus: Sessions.Surplus
        fileprivate let notices: AttemptLimit
        /// The person heard of it today. It is read before the write, so that an app that never signs out does not count at each
        /// sign-in what changes nothing.
        fileprivate let wasNotified: Bool

        /// Ends what makes room. Call it in the write that opened the session.
        func make(now: Timestamp, on connection: any SQLConnection) throws {
            // Some may have ended since they were read.
            var ended: Int64 = 0
            for session in surplus.open {
                if try Sessions.end(session, because: .limitReached, now: now, on: connection) { ended += 1 }
            }
            for session in surplus.ended + surplus.revoked { try Sessions.forget(session, on: connection) }
            guard ended > 0 else { return }
            var details = JSONObject()
            details.set("sessions", ended)
            try auditLog.entry(
                SessionEvent.limitReached, account: account, client: client, origin: call.origin, now: call.now,
                details: details
            ).write(on: connection)
            if wasNotified { return }
            if case .compare = try Attempts.count(notices.subject, under: notices.policy, now: now, on: connection) {
                try auditLog.entry(SessionMessage.limitReached, account: account, email: nil, now: call.now)
                    .write(on: connection)
            }
        }
    }
}
