internal import Core
internal import Crypto
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

/// Renews a session: one body in the database (``SessionRenewal``), then the tokens.
struct RefreshGrant: Sendable {
    let keyRing: KeyRing
    let database: any Database
    let clients: ClientDirectory
    /// The idle time after which the factors of a sign-in no longer count for payments.
    let idleLimit: Duration
    let mint: TokenMint
    let stolen: StolenSessions
    let vault: SessionVault
    let logger: Logger

    /// The new tokens, and the session's account.
    func renew(
        _ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCaller
    ) async throws -> Result<(tokens: TokenResponse, account: UniqueID), OAuthRefusal> {
        // A malformed token, or one that names an unknown key, does not reach the database's writer. The MAC covers a secret of the row,
        // so it can only be verified together with it.
        guard let presented = PresentedRefreshToken(token.reveal()),
            let key = try await keyRing.findKey(.refresh, presented.keyID, now: call.now)
        else { return .failure(.invalidGrant) }
        let renewal = SessionRenewal(
            presented: presented, key: key, client: call.client, thumbprint: call.proof?.thumbprint, scope: call.scope,
            resources: call.resources, attemptHash: attempt.map { Array(SHA256.hash(data: Array($0.reveal().utf8))) },
            issuer: mint.issuer, idleLimit: idleLimit, now: call.now, origin: call.isOfPerson ? call.origin : nil,
            vault: vault)
        switch try await database.write(isolation: .guardedStatement, { try renewal.run(on: $0) }) {
        case .renewed(let session, let generation, let scope, let audience):
            let wanted = TokenMint.SessionTokens(
                session: session, generation: generation, audience: audience, scope: scope)
            return .success((try await mint.tokens(wanted, call: call), session.accountID))
        case .reused(let session):
            try await revokeOnReuse(of: session, call: call)
            return .failure(.invalidGrant)
        case .leftMerchant(let session):
            // That says nothing about the person's identity, so the account's other keys and browsers stay trusted.
            _ = try await database.write {
                try Sessions.end(
                    session.id, because: .administrator, distrusting: .session, now: call.now, on: $0)
            }
            return .failure(.invalidGrant)
        case .ahead:
            logger.notice("a refresh token is ahead of its session: was the database restored?")
            return .failure(.invalidGrant)
        case .refused(let refusal):
            return .failure(refusal)
        }
    }

    /// Ends the session after an old token came back with a valid proof of everything its owner has: someone has a copy of the app's
    /// storage.
    private func revokeOnReuse(of session: NewSession, call: TokenCaller) async throws {
        let scope = try await clients.revocationScope(
            ofSessionWith: call.client, grantedTo: session.grantedTo.map { try ClientID($0) }, now: call.now)
        try await stolen.end(
            session.id, of: session.accountID, at: session.signedInTo, by: .refreshToken, distrusting: scope, call: call
        )
    }
}

/// The database part of a refresh, in one body: find the session, check the token against it, decide, and rotate.
///
/// The body is a ``Store/WriteIsolation/guardedStatement``: reads, and then one of ``Sessions``' `rotate` and
/// `extend`, which repeat in their condition what may change after the read: the session's generation, end and expiry, the
/// account's state and security version, and whether the client still exists. A session's client, secret, key, scope, resources,
/// methods and merchant never change. Whether the merchant admits the person is as of the read. If that changes before the
/// statement, the outcome is that of a refresh a moment earlier, and the next refresh sees the change.
///
/// One body means one hop to the database's writer and one wait for its commit. A separate read and write would take two hops each,
/// and a third of the request's processor time. The single body costs nothing: one that writes nothing does not wait for the disk,
/// and every refusal before the decision returns without a write.
///
/// The body may run more than once and has no clock, so this value contains all inputs. Only the network is sealed in it, once a day.
struct SessionRenewal: Sendable {
    let presented: PresentedRefreshToken
    /// The data key that the token names.
    let key: DataKey
    let client: RegisteredClient
    /// The thumbprint of the key that the request proved.
    let thumbprint: JWKThumbprint?
    let scope: Scope?
    let resources: [String]
    /// SHA-256 of the request's `attempt`.
    let attemptHash: [UInt8]?
    let issuer: Issuer
    /// The idle time after which the factors of a sign-in no longer count for payments.
    let idleLimit: Duration
    let now: Timestamp
    /// From where the person's own program calls; `nil` if a backend does.
    let origin: RequestOrigin?
    let vault: SessionVault

    /// Refusals are values: some of them end the session, in a write of its own.
    enum Outcome: Sendable {
        /// Issue tokens of this generation.
        case renewed(NewSession, generation: UInt32, scope: Scope, audience: [String])
        /// An old token came back with a valid proof of everything its owner has. The session is still unchanged.
        case reused(NewSession)
        /// The merchant of the session no longer employs the person, or has the client installed. The session is still unchanged.
        case leftMerchant(NewSession)
        /// The token is ahead of its session, for instance after a restore.
        case ahead
        case refused(OAuthRefusal)
    }

    func run(on connection: any SQLConnection) throws -> Outcome {
        guard let id = UniqueID(bytes: presented.session.bytes),
            var record = try Sessions.find(id, on: connection), isGenuine(for: record)
        else { return .refused(.invalidGrant) }
        let session = record.facts
        // Token and client are genuine. Nothing may change before the key is proved too, or a thief without the key could end the
        // holder's session.
        if let bound = session.dpopThumbprint {
            guard let thumbprint else { return .refused(.invalidDPoPProof("The session is bound to a key.")) }
            guard ConstantTime.equal(thumbprint.bytes, bound) else { return .refused(.invalidGrant) }
        } else if session.requiresProof, thumbprint == nil {
            // Its keys may change (RFC 9449 §5). Without any, the bound session would continue with bearer tokens.
            return .refused(.invalidDPoPProof("The session was opened with a proof, so every renewal needs one."))
        } else if client.kind == .public, client.requiresDPoP {
            // The client used no DPoP when the session was opened, so a key that comes now may be a thief's.
            return .refused(.invalidGrant)
        }
        let granted = try Scope(session.scope)
        // Clients repeat the scope they requested, even if less was granted. The scope never widens.
        let asked = scope
        let scope = asked?.intersection(granted) ?? granted
        guard !scope.isEmpty || granted.isEmpty else { return .refused(.invalidScope(asked?.tokens ?? [])) }
        guard let audience = audience(of: session) else { return .refused(.invalidTarget) }
        // With several writers, the statement may have waited for another change of the session, and then matched no row. A further
        // pass reads what is there now.
        for _ in 0..<Self.passes {
            let decision = RefreshRules.decide(
                RefreshFacts(record), presented: presented.generation, attemptHash: attemptHash, now: now)
            // A caller that gets tokens, new or repeated, must still be admitted to the merchant.
            if decision == .rotate || decision == .repeatAnswer, try !admitsMerchant(session, on: connection) {
                return .leftMerchant(session)
            }
            switch decision {
            case .rotate:
                if try advance(record, on: connection) {
                    let generation = presented.generation + (client.rotatesRefreshTokens ? 1 : 0)
                    return .renewed(session, generation: generation, scope: scope, audience: audience)
                }
            case .repeatAnswer:
                // This branch writes nothing whose guard would check the account, so the session is checked here.
                guard try Sessions.living(session.id, now: now, on: connection) != nil else {
                    return .refused(.invalidGrant)
                }
                return .renewed(session, generation: presented.generation + 1, scope: scope, audience: audience)
            case .reuse: return .reused(session)
            case .refuse(.ahead): return .ahead
            case .refuse(.ended): return .refused(.invalidGrant)
            }
            guard let current = try Sessions.find(session.id, on: connection), hasMoved(current, since: record) else {
                return .refused(.invalidGrant)
            }
            record = current
        }
        // A refusal would make the app sign out.
        throw StoreError(.unavailable, "other writes kept changing the same session")
    }

    /// Enough for another refresh and changes of the account at the same time.
    private static let passes = 4

    /// Whether the statement may have matched no row only because of a write at the same time: another refresh of the session, or a
    /// change that voids everything in progress for the account and keeps its sessions. The latter gives account and session a new
    /// security version, and a statement that waited for it sees the new one in the session and the old one in the account.
    private func hasMoved(_ current: SessionRecord, since record: SessionRecord) -> Bool {
        current.generation != record.generation || current.facts.securityVersion != record.facts.securityVersion
    }

    private func isGenuine(for record: SessionRecord) -> Bool {
        record.facts.clientID == client.id.rawValue && record.facts.macKeyID == Int64(presented.keyID.value)
            && presented.isGenuine(
                under: key, client: client.id, account: record.facts.accountID.bytes, rowSecret: record.facts.secret)
    }

    /// The single-use guard: of all callers with the same generation, one gets `true`.
    private func advance(_ record: SessionRecord, on connection: any SQLConnection) throws -> Bool {
        let session = record.facts
        let generation = Int64(presented.generation)
        let expiresAt = RefreshRules.slidingEnd(
            now: now, idle: client.idleLifetime, absoluteEnd: session.absoluteExpiresAt)
        return client.rotatesRefreshTokens
            ? try Sessions.rotate(
                session.id, from: generation, attemptHash: attemptHash, now: now, expiresAt: expiresAt,
                countingUntil: now + idleLimit, network: network(after: record), on: connection)
            : try Sessions.extend(
                session.id, at: generation, now: now, expiresAt: expiresAt, countingUntil: now + idleLimit,
                on: connection)
    }

    /// The network to store: that of the first refresh of a day. The row that was read for the decision says which that is, so no other
    /// column is read or opened, and most refreshes neither seal nor send anything more.
    private func network(after record: SessionRecord) throws -> [UInt8]? {
        guard let origin, now.seconds / 86_400 != record.rotatedAt.seconds / 86_400 else { return nil }
        return try vault.seal(networkOf: origin, .app, of: record.id)
    }

    /// The audience of the new access token: the request's resources, within what the sign-in granted and the client still has
    /// (RFC 8707 §2.2). `nil` if the request asks for more, or if nothing is left.
    private func audience(of session: NewSession) -> [String]? {
        let granted = session.audience.split(separator: " ").map(String.init)
        guard resources.isEmpty else {
            guard resources.allSatisfy(granted.contains) else { return nil }
            return client.audience(for: resources, issuer: issuer)
        }
        let left = granted.filter { client.audience(for: [$0], issuer: issuer) != nil }
        return left.isEmpty ? nil : left
    }

    /// Whether the session's merchant still employs the person and still has the client installed.
    private func admitsMerchant(_ session: NewSession, on connection: any SQLConnection) throws -> Bool {
        guard let merchant = session.merchantID else { return true }
        return try Merchants.admission(
            of: session.accountID, client: session.signedInTo, merchant: merchant, on: connection
        ) == .admitted
    }
}

extension RefreshFacts {
    fileprivate init(_ record: SessionRecord) {
        self.init(
            generation: UInt32(clamping: record.generation), rotatedAt: record.rotatedAt,
            attemptHash: record.attemptHash, expiresAt: record.facts.expiresAt,
            absoluteExpiresAt: record.facts.absoluteExpiresAt, isRevoked: record.ended != nil)
    }
}
