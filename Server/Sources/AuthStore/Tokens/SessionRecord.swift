package import AuthCore

/// Why a session ended before its time.
package enum SessionEnd: String, Sendable, Codable, CaseIterable {
    /// The person signed out, or the app revoked its token (RFC 7009).
    case signedOut = "signed_out"
    /// A spent refresh token came again.
    case refreshReuse = "refresh_reuse"
    /// The authorization code that opened it came again.
    case codeReuse = "code_reuse"
    /// The password was changed or reset.
    case passwordChanged = "password_changed"
    /// The password was found to be known to others.
    case passwordExpired = "password_expired"
    /// The account was deactivated or erased.
    case accountClosed = "account_closed"
    /// The device that it was opened on was removed.
    case deviceRemoved = "device_removed"
    /// The device that it was opened on was suspended or deactivated.
    case deviceClosed = "device_closed"
    /// A passkey had opened it, and one of the account's was removed.
    case passkeyRemoved = "passkey_removed"
    /// A provider's word had opened it, and one of the account's identities was unlinked.
    case identityUnlinked = "identity_unlinked"
    /// A provider's word had opened it, and the person's consent at that provider ended.
    case identitySuspended = "identity_suspended"
    /// The account's PIN had opened it, and was changed, taken away or turned off.
    case accountPINChanged = "account_pin_changed"
    /// The account no longer allows the client anything.
    case consentWithdrawn = "consent_withdrawn"
    /// An operator ended it.
    case administrator
}

extension SessionEnd {
    /// The ends that say nothing against whoever holds the session's key: the holder's own. By every other end a session was
    /// taken away from somebody, and its key is untrusted from then on.
    static let sparingKeys: [SessionEnd] = [.signedOut, .passwordChanged]

    /// The ends that leave a key a known one: a holder who opens a closed account again finds
    /// their own phone trusted.
    static let sparingKnownKeys: [SessionEnd] = sparingKeys + [.accountClosed]

    /// Whether something was taken away by it, so that the account looks at its other keys and browsers anew.
    var takesAway: Bool { !Self.sparingKnownKeys.contains(self) }

    /// What else the early end of one session takes trust from.
    package enum RevocationScope: Sendable, Hashable {
        /// Every key of the account: any device signed out by then may be the attacker's.
        case account
        /// That session's key alone: it was another party's, or what ended was no sign-in.
        case session
    }

    /// Ends as SQL lists them; they are names of this program's own.
    static func list(_ ends: [SessionEnd]) -> String { ends.map { "'\($0.rawValue)'" }.joined(separator: ", ") }
}

/// What a new session is made of; everything about it that is not yet history.
package struct NewSession: Sendable, Hashable {
    /// The session's id, time-ordered (``UniqueID/timeOrdered(_:_:)``): new sessions lie side by side on disk.
    package var id: UniqueID
    /// Whose session it is.
    package var accountID: UniqueID
    /// The client that may refresh it.
    package var clientID: String
    /// The client that the person signed in to, where a redeemer came in its place; else `nil`.
    package var grantedTo: String?
    /// The 32 bytes of the DPoP key's thumbprint (RFC 9449 §6.1), or `nil` for a bearer session.
    package var dpopThumbprint: [UInt8]?
    /// Whether every renewal has to bring a proof of some key: a confidential client, whose session is bound to no key of its own,
    /// redeemed the code with one.
    package var requiresProof: Bool
    /// The row's 16 random bytes that enter the refresh token's MAC.
    package var secret: [UInt8]
    /// The data key that MACs this session's refresh tokens for its whole life.
    package var macKeyID: Int64
    /// The granted scope, space separated (RFC 6749 §3.3).
    package var scope: String
    /// The granted resources, space separated (RFC 8707): no token of the session is meant for another.
    package var audience: String
    /// The authentication context class reached, if any was named.
    package var acr: String?
    /// The authentication methods used, space separated (RFC 8176): ``methods``.
    package var amr: String
    /// When the person authenticated.
    package var authTime: Timestamp
    /// Until when what the sign-in proved counts for a payment: moved on by what its holder does before that.
    package var countsUntil: Timestamp
    /// The account's security version that the sign-in was judged by; the session lives as long as it stands.
    package var securityVersion: Int64
    /// The merchant that the person signed in for, if any.
    package var merchantID: String?
    /// The enrolled device that it was opened on, if any.
    package var deviceID: UniqueID?
    /// When it is opened.
    package var createdAt: Timestamp
    /// When it ends unless it is refreshed before; not after ``absoluteExpiresAt``.
    package var expiresAt: Timestamp
    /// When it ends in any case.
    package var absoluteExpiresAt: Timestamp

    /// The authentication methods used (RFC 8176).
    package var methods: [String] { amr.split(separator: " ").map(String.init) }

    /// Each parameter is the property of its name.
    package init(
        id: UniqueID, accountID: UniqueID, clientID: String, grantedTo: String?, dpopThumbprint: [UInt8]?,
        requiresProof: Bool = false, secret: [UInt8], macKeyID: Int64, scope: String, audience: String, acr: String?,
        amr: String,
        authTime: Timestamp, countsUntil: Timestamp, securityVersion: Int64,
        merchantID: String?, deviceID: UniqueID? = nil, createdAt: Timestamp, expiresAt: Timestamp,
        absoluteExpiresAt: Timestamp
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
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
    }
}

/// A session as it stands in its row.
package struct SessionRecord: Sendable, Hashable {
    /// What it was opened with. Its ``NewSession/expiresAt`` is the present one, moved by each refresh, and so is its
    /// ``NewSession/countsUntil``.
    package let facts: NewSession
    /// How often it was refreshed. A refresh token names one; the living token is the one that names this.
    package let generation: Int64
    /// When it came to this generation.
    package let rotatedAt: Timestamp
    /// SHA-256 of the `attempt` that brought it to this generation, when the client sent one.
    package let attemptHash: [UInt8]?
    /// When and why it was ended early, or `nil`.
    package let ended: (at: Timestamp, why: SessionEnd)?

    /// The session's id.
    package var id: UniqueID { facts.id }

    /// Compares every column.
    package static func == (left: SessionRecord, right: SessionRecord) -> Bool {
        left.facts == right.facts && left.generation == right.generation && left.rotatedAt == right.rotatedAt
            && left.attemptHash == right.attemptHash && left.ended?.at == right.ended?.at
            && left.ended?.why == right.ended?.why
    }

    /// Hashes what distinguishes one state of one session.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(facts.id)
        hasher.combine(generation)
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, account_id, client_id, dpop_jkt, secret, mac_key_id, scope, acr, amr, auth_time, security_version, \
        merchant_id, created_at, expires_at, absolute_expires_at, generation, rotated_at, attempt_hash, revoked_at, \
        revoked_reason, granted_to, audience, device_id, counts_until, requires_proof
        """

    init(_ row: SQLRow) throws {
        facts = NewSession(
            id: try row.id(0), accountID: try row.id(1), clientID: try row.text(2),
            grantedTo: try row.optionalText(20),
            dpopThumbprint: try row.optionalBlob(3), requiresProof: try row.integer(24) != 0, secret: try row.blob(4),
            macKeyID: try row.integer(5),
            scope: try row.text(6), audience: try row.text(21), acr: try row.optionalText(7), amr: try row.text(8),
            authTime: try row.time(9), countsUntil: try row.time(23),
            securityVersion: try row.integer(10), merchantID: try row.optionalText(11),
            deviceID: try row.optionalID(22), createdAt: try row.time(12), expiresAt: try row.time(13),
            absoluteExpiresAt: try row.time(14))
        generation = try row.integer(15)
        rotatedAt = try row.time(16)
        attemptHash = try row.optionalBlob(17)
        ended = try row.optionalTime(18).map { (at: $0, why: try row.name(19)) }
    }
}
