package import AuthCore

/// What an account may do.
package enum AccountState: String, Sendable, Codable, CaseIterable {
    /// It may sign in.
    case active
    /// Closed by its failures or an operator, and may be opened again.
    case deactivated
    /// Its personal data is gone; the row stands so that what refers to it stays whole.
    case erased
}

/// Who closed an account, or one of its devices: what the holder can open again, and what only an operator can.
package enum DeactivationCause: String, Sendable, Codable, CaseIterable {
    /// Too many failures: on a known device, which closes that, or on known devices, which closes the account. Its holder opens
    /// it by a recovery.
    case failures
    /// An operator, who alone opens it.
    case `operator`
}

/// Whether an account has a password that opens it.
package enum PasswordState: String, Sendable, Codable, CaseIterable {
    /// It has none.
    case none
    /// It has one.
    case current
    /// It has one that only lets the person choose another.
    case expired
}

/// Whether an account's e-mail address is known to be its holder's.
package enum EmailState: String, Sendable, Codable, CaseIterable {
    /// It has none.
    case none
    /// Nobody has shown that they receive its mail.
    case unverified
    /// Its holder has.
    case verified
}

/// An account as it stands in its row. Personal data and the password hash are sealed; the store never opens them.
package struct AccountRecord: Sendable, Hashable {
    /// The account's id; `sub` of its tokens.
    package var id: UniqueID
    /// The brand it belongs to.
    package var brandID: String
    /// What it may do.
    package var state: AccountState
    /// Raised by every change that voids earlier sign-ins; named in the guard of every write that opens a session.
    package var securityVersion: Int64
    /// The sealed password hash.
    package var password: [UInt8]?
    /// Whether the password opens it.
    package var passwordState: PasswordState
    /// When the password was last chosen.
    package var passwordChangedAt: Timestamp?
    /// When it was last looked for, and not found, in lists of stolen passwords; `nil` where it never was.
    package var passwordCheckedAt: Timestamp?
    /// The sealed e-mail address.
    package var email: [UInt8]?
    /// Whether the e-mail address is its holder's.
    package var emailState: EmailState
    /// The sealed phone number.
    package var phone: [UInt8]?
    /// Further sealed personal data.
    package var profile: [UInt8]?
    /// The preferred language (BCP 47), if known.
    package var locale: String?
    /// When it was made.
    package var createdAt: Timestamp
    /// When it last signed in.
    package var lastLoginAt: Timestamp?
    /// Who closed it; `nil` while it is open, and of those that were closed before this was kept.
    package var closedBy: DeactivationCause?
    /// Until when nothing that it is signed in with may be added or taken away: it was recovered by its mailbox alone.
    package var coolingUntil: Timestamp?
    /// When something was last taken away from it: a device, a passkey, its PIN, a session that somebody else had. Browsers and
    /// ended sessions from before make nobody known. `nil` where nothing ever was, or before this was kept.
    package var devicesDistrustedAt: Timestamp?

    /// Each parameter is the property of its name.
    package init(
        id: UniqueID, brandID: String, state: AccountState = .active, securityVersion: Int64 = 1,
        password: [UInt8]? = nil, passwordState: PasswordState = .none, passwordChangedAt: Timestamp? = nil,
        passwordCheckedAt: Timestamp? = nil, email: [UInt8]? = nil, emailState: EmailState = .none,
        phone: [UInt8]? = nil, profile: [UInt8]? = nil,
        locale: String? = nil, createdAt: Timestamp, lastLoginAt: Timestamp? = nil, closedBy: DeactivationCause? = nil,
        coolingUntil: Timestamp? = nil, devicesDistrustedAt: Timestamp? = nil
    ) {
        self.id = id
        self.brandID = brandID
        self.state = state
        self.securityVersion = securityVersion
        self.password = password
        self.passwordState = passwordState
        self.passwordChangedAt = passwordChangedAt
        self.passwordCheckedAt = passwordCheckedAt
        self.email = email
        self.emailState = emailState
        self.phone = phone
        self.profile = profile
        self.locale = locale
        self.createdAt = createdAt
        self.lastLoginAt = lastLoginAt
        self.closedBy = closedBy
        self.coolingUntil = coolingUntil
        self.devicesDistrustedAt = devicesDistrustedAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, brand_id, state, security_version, password, password_state, password_changed_at, email, email_state, \
        phone, profile, locale, created_at, last_login_at, closed_by, cooling_until, password_checked_at, \
        strangers_since
        """

    /// How many they are: what a query adds stands after them.
    static let columnCount = 18

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), brandID: try row.text(1), state: try row.name(2), securityVersion: try row.integer(3),
            password: try row.optionalBlob(4), passwordState: try row.name(5),
            passwordChangedAt: try row.optionalTime(6), passwordCheckedAt: try row.optionalTime(16),
            email: try row.optionalBlob(7), emailState: try row.name(8),
            phone: try row.optionalBlob(9), profile: try row.optionalBlob(10), locale: try row.optionalText(11),
            createdAt: try row.time(12), lastLoginAt: try row.optionalTime(13),
            closedBy: try row.optionalText(14).flatMap(DeactivationCause.init), coolingUntil: try row.optionalTime(15),
            devicesDistrustedAt: try row.optionalTime(17))
    }
}
