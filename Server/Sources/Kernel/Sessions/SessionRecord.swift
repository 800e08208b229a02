package import Core
package import Store
package import WalletAuthWire

/// Why a session ended early.
package enum SessionEnd: String, Sendable, Codable, CaseIterable {
    /// The person signed out, or the app revoked its token (RFC 7009).
    case signedOut = "signed_out"
    /// A spent refresh token was presented again.
    case refreshReuse = "refresh_reuse"
    /// The authorization code that opened it was presented again.
    case codeReuse = "code_reuse"
    case passwordChanged = "password_changed"
    /// The password was found to be known to others.
    case passwordExpired = "password_expired"
    /// The account was deactivated or erased.
    case accountClosed = "account_closed"
    /// The device it was opened on was removed.
    case deviceRemoved = "device_removed"
    /// The device it was opened on was suspended or deactivated.
    case deviceClosed = "device_closed"
    /// It was opened with a passkey, and one of the account's passkeys was removed.
    case passkeyRemoved = "passkey_removed"
    /// It was opened through a provider, and one of the account's identities was unlinked.
    case identityUnlinked = "identity_unlinked"
    /// It was opened through a provider, and the person's consent at that provider ended.
    case identitySuspended = "identity_suspended"
    /// It was opened with the account PIN, which was changed, removed or turned off.
    case accountPINChanged = "account_pin_changed"
    /// The account withdrew its consent to the client.
    case consentWithdrawn = "consent_withdrawn"
    /// Its client was deleted.
    case clientDeleted = "client_deleted"
    /// The holder ended it on the account's page.
    case endedByHolder = "ended_by_holder"
    /// The account had as many sessions at its client as it may have, and this one would have ended first.
    case limitReached = "limit_reached"
    case administrator
}

extension SessionEnd {
    /// End reasons that are the holder's own and keep the session's key trusted. Any other is a revocation, after which
    /// the key is untrusted.
    static let sparingKeys: [SessionEnd] = [.signedOut, .passwordChanged, .limitReached]

    /// End reasons after which a session still links its key. Their rows may be deleted early, since they revoke nothing.
    static let linkingKeys: [SessionEnd] = [.signedOut, .limitReached]

    /// End reasons that keep the key trusted as one of a known device. A holder who reopens a closed account finds
    /// their own phone trusted, and an app that the operator gave up takes nothing from its people.
    static let sparingKnownKeys: [SessionEnd] = sparingKeys + [.accountClosed, .clientDeleted]

    /// Whether the reason is a revocation, after which the account's other keys and browsers have to prove themselves
    /// again.
    var takesAway: Bool { !Self.sparingKnownKeys.contains(self) }

    /// The keys that lose trust when one session is revoked.
    package enum RevocationScope: Sendable, Hashable {
        /// Every key of the account: any device signed out by then may be the attacker's.
        case account
        /// Only that session's key: it was another party's, or the session was no sign-in.
        case session
    }

    /// The reasons as an SQL list. The names are constants of this program, so they need no quoting.
    static func list(_ ends: [SessionEnd]) -> String { ends.map { "'\($0.rawValue)'" }.joined(separator: ", ") }
}

/// The contents of a new session.
package struct NewSession: Sendable, Hashable {
    /// Time-ordered (``UniqueID/timeOrdered(_:_:)``), so that new sessions are adjacent on disk.
    package var id: UniqueID
    package var accountID: UniqueID
    package var clientID: String
    /// The client that the person signed in to, if a redeemer redeemed the code; else `nil`.
    package var grantedTo: String?
    /// The thumbprint of the DPoP key (RFC 9449 §6.1), 32 bytes; `nil` for a bearer session.
    package var dpopThumbprint: [UInt8]?
    /// Whether every renewal needs a proof of some key: a confidential client, whose session is not bound to a key,
    /// redeemed the code with one.
    package var requiresProof: Bool
    /// 16 random bytes that enter the refresh token's MAC.
    package var secret: [UInt8]
    /// The data key for the MACs of this session's refresh tokens, for its whole life.
    package var macKeyID: Int64
    /// Space-separated (RFC 6749 §3.3).
    package var scope: String
    /// The granted resources, space-separated (RFC 8707). The session's tokens are for no others.
    package var audience: String
    /// The authentication context class reached, if any was named.
    package var acr: String?
    /// Space-separated (RFC 8176): ``methods``.
    package var amr: String
    package var authTime: Timestamp
    /// The end of the time in which the sign-in's factors count for payments. Activity before that end extends it.
    package var countsUntil: Timestamp
    /// The account's security version at the sign-in. The session is void once the account's has changed.
    package var securityVersion: Int64
    package var merchantID: String?
    package var deviceID: UniqueID?
    /// What the person granted besides scopes, sealed (``SessionVault``). Its tokens are for nothing else.
    package var authorizationDetails: [UInt8]?
    /// From where it was opened, sealed (``SessionVault``). A record that is read has none: only lists need it
    /// (``Sessions/networks(of:on:)``).
    package var network: [UInt8]?
    package var createdAt: Timestamp
    /// The end unless it is refreshed before; not after ``absoluteExpiresAt``.
    package var expiresAt: Timestamp
    package var absoluteExpiresAt: Timestamp

    /// The client that the person signed in to. A redeemer holds the tokens of such a session, but it is the other's.
    package var signedInTo: String { grantedTo ?? clientID }

    package var methods: [String] { amr.split(separator: " ").map(String.init) }

    package init(
        id: UniqueID, accountID: UniqueID, clientID: String, grantedTo: String?, dpopThumbprint: [UInt8]?,
        requiresProof: Bool = false, secret: [UInt8], macKeyID: Int64, scope: String, audience: String, acr: String?,
        amr: String,
        authTime: Timestamp, countsUntil: Timestamp, securityVersion: Int64,
        merchantID: String?, deviceID: UniqueID? = nil, authorizationDetails: [UInt8]? = nil, network: [UInt8]? = nil,
        createdAt: Timestamp,
        expiresAt: Timestamp, absoluteExpiresAt: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.clientID = clientID
        self.grantedTo = grantedTo
        self.dpopThumbprint = dpopThumbprint
        self.requiresProof = requiresProof
        self.secret = secret
        self.macKeyID = macKeyID
        self.scope = scope
        self.audience = audience
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
        self.countsUntil = countsUntil
        self.securityVersion = securityVersion
        self.merchantID = merchantID
        self.deviceID = deviceID
        self.authorizationDetails = authorizationDetails
        self.network = network
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
    }
}

package struct SessionRecord: Sendable, Hashable {
    /// The early end of a session.
    package struct End: Sendable, Hashable {
        package let at: Timestamp
        package let why: SessionEnd
    }

    /// The values it was opened with, except that ``NewSession/expiresAt`` and ``NewSession/countsUntil`` are the
    /// present ones.
    package let facts: NewSession
    /// The number of refreshes. A refresh token names a generation; the current token names this one.
    package let generation: Int64
    /// When it reached this generation.
    package let rotatedAt: Timestamp
    /// SHA-256 of the `attempt` that led to this generation, if the client sent one.
    package let attemptHash: [UInt8]?
    /// `nil` unless it ended early.
    package let ended: End?

    package var id: UniqueID { facts.id }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, accountID, clientID, dpopJKT, secret, macKeyID, scope, acr, amr, authTime, securityVersion
        case merchantID, createdAt, expiresAt, absoluteExpiresAt, generation, rotatedAt, attemptHash, revokedAt
        case revokedReason, grantedTo, audience, deviceID, countsUntil, requiresProof, authorizationDetails
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        facts = NewSession(
            id: try row.id(.id), accountID: try row.id(.accountID), clientID: try row.text(.clientID),
            grantedTo: try row.optionalText(.grantedTo), dpopThumbprint: try row.optionalBlob(.dpopJKT),
            requiresProof: try row.integer(.requiresProof) != 0, secret: try row.blob(.secret),
            macKeyID: try row.integer(.macKeyID), scope: try row.text(.scope), audience: try row.text(.audience),
            acr: try row.optionalText(.acr), amr: try row.text(.amr), authTime: try row.time(.authTime),
            countsUntil: try row.time(.countsUntil), securityVersion: try row.integer(.securityVersion),
            merchantID: try row.optionalText(.merchantID), deviceID: try row.optionalID(.deviceID),
            authorizationDetails: try row.optionalBlob(.authorizationDetails), createdAt: try row.time(.createdAt),
            expiresAt: try row.time(.expiresAt),
            absoluteExpiresAt: try row.time(.absoluteExpiresAt))
        generation = try row.integer(.generation)
        rotatedAt = try row.time(.rotatedAt)
        attemptHash = try row.optionalBlob(.attemptHash)
        ended = try row.optionalTime(.revokedAt).map { End(at: $0, why: try row.name(.revokedReason)) }
    }
}

extension JSONObject {
    /// The details of an event about a session: which one.
    package static func naming(session: UniqueID) -> JSONObject {
        var details = JSONObject()
        details.set("session_id", session.uuid)
        return details
    }
}
