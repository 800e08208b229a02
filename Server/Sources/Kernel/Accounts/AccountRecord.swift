package import Core
package import Store

package enum AccountState: String, Sendable, Codable, CaseIterable {
    case active
    /// Closed by failures or an operator; it can be reopened.
    case deactivated
    /// The personal data is deleted, or another account's since a merge. The row stays because others refer to it.
    case erased
}

/// Why an account or one of its devices was closed, which decides who can reopen it.
package enum DeactivationCause: String, Sendable, Codable, CaseIterable {
    /// Too many failures: on one known device, which closes the device, or on all known devices, which closes the
    /// account. The holder's recovery reopens it.
    case failures
    /// The holder closed the account. It is erased at a time, unless the holder takes that back or an operator does.
    case holder
    /// Only an operator reopens it.
    case `operator`
    /// A client that provisions accounts closed it. Such a client reopens it, and an operator does.
    case directory
    /// It came as disabled from another system. Only an operator opens it.
    case imported
}

package enum PasswordState: String, Sendable, Codable, CaseIterable {
    case none
    case current
    /// It only lets the person choose another.
    case expired
}

package enum EmailState: String, Sendable, Codable, CaseIterable {
    case none
    /// The holder has not shown that they receive mail there.
    case unverified
    case verified
}

/// A row of an account. Personal data and the password hash are sealed; the store never opens them.
package struct AccountRecord: Sendable, Hashable {
    /// The `sub` of its tokens.
    package var id: UniqueID
    package var brandID: String
    package var state: AccountState
    /// Raised by every change that voids earlier sign-ins. Every write that opens a session has it in its guard.
    package var securityVersion: Int64
    /// The sealed hash.
    package var password: [UInt8]?
    package var passwordState: PasswordState
    package var passwordChangedAt: Timestamp?
    /// When it was last not found in lists of stolen passwords; `nil` if it was never looked for.
    package var passwordCheckedAt: Timestamp?
    /// Sealed.
    package var email: [UInt8]?
    package var emailState: EmailState
    /// Sealed.
    package var phone: [UInt8]?
    /// Further personal data, sealed.
    package var profile: [UInt8]?
    /// The preferred language (BCP 47), if known.
    package var locale: String?
    package var createdAt: Timestamp
    package var lastLoginAt: Timestamp?
    /// `nil` for an open account.
    package var deactivatedBy: DeactivationCause?
    /// Until then no credential may be added or removed, because the account was recovered through its mailbox alone.
    package var coolingUntil: Timestamp?
    /// When a device, passkey, PIN or another party's session was last revoked. Browsers and ended sessions from before
    /// this no longer make a device known. `nil` if nothing was revoked.
    package var devicesDistrustedAt: Timestamp?
    /// The account that has what this one had, since an operator merged it. It is erased then.
    package var mergedInto: UniqueID?
    /// Names the counters of wrong passwords, which start over when it is raised: by a new password, by a lock, and by an operator who
    /// closes or opens the account. No other change is a reason for more guesses.
    package var attemptsVersion: Int64
    /// What had closed the account before a directory or an operator did, and closes it again when the directory opens it; only ever
    /// `failures`.
    package var closedOver: DeactivationCause?

    package init(
        id: UniqueID, brandID: String, state: AccountState = .active, securityVersion: Int64 = 1,
        password: [UInt8]? = nil, passwordState: PasswordState = .none, passwordChangedAt: Timestamp? = nil,
        passwordCheckedAt: Timestamp? = nil, email: [UInt8]? = nil, emailState: EmailState = .none,
        phone: [UInt8]? = nil, profile: [UInt8]? = nil,
        locale: String? = nil, createdAt: Timestamp, lastLoginAt: Timestamp? = nil,
        deactivatedBy: DeactivationCause? = nil, coolingUntil: Timestamp? = nil, devicesDistrustedAt: Timestamp? = nil,
        mergedInto: UniqueID? = nil, attemptsVersion: Int64 = 1, closedOver: DeactivationCause? = nil
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
        self.deactivatedBy = deactivatedBy
        self.coolingUntil = coolingUntil
        self.devicesDistrustedAt = devicesDistrustedAt
        self.mergedInto = mergedInto
        self.attemptsVersion = attemptsVersion
        self.closedOver = closedOver
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, brandID, state, securityVersion, password, passwordState, passwordChangedAt, email, emailState
        case phone, profile, locale, createdAt, lastLoginAt, deactivatedBy, coolingUntil, passwordCheckedAt
        case devicesDistrustedAt, mergedInto, attemptsVersion, closedOver
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), brandID: try row.text(.brandID), state: try row.name(.state),
            securityVersion: try row.integer(.securityVersion), password: try row.optionalBlob(.password),
            passwordState: try row.name(.passwordState), passwordChangedAt: try row.optionalTime(.passwordChangedAt),
            passwordCheckedAt: try row.optionalTime(.passwordCheckedAt), email: try row.optionalBlob(.email),
            emailState: try row.name(.emailState), phone: try row.optionalBlob(.phone),
            profile: try row.optionalBlob(.profile), locale: try row.optionalText(.locale),
            createdAt: try row.time(.createdAt), lastLoginAt: try row.optionalTime(.lastLoginAt),
            deactivatedBy: try row.optionalText(.deactivatedBy).flatMap(DeactivationCause.init),
            coolingUntil: try row.optionalTime(.coolingUntil),
            devicesDistrustedAt: try row.optionalTime(.devicesDistrustedAt),
            mergedInto: try row.optionalID(.mergedInto), attemptsVersion: try row.integer(.attemptsVersion),
            closedOver: try row.optionalText(.closedOver).flatMap(DeactivationCause.init))
    }
}

extension AccountRecord {
    /// Whether the person can recover it, which needs a confirmed address.
    package var isRecoverable: Bool { email != nil && emailState == .verified }

    /// The seconds until the account's factors may be changed; `nil` if they may be changed now.
    package func cooling(at now: Timestamp) -> Int64? {
        coolingUntil.flatMap { now < $0 ? max(1, ($0 - now).wholeSeconds) : nil }
    }
}
