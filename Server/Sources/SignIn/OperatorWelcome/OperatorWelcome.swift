internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The page of an operator's one-time link: the person chooses a password, then sets up an authenticator app, and then has the role.
///
/// This folder owns what the link does. The link is made in `Operations/Operators`, and its row is in `Kernel/Operators`. The password spends
/// it; after that, the person signs in through the gate like any other, and ``PendingRole`` waits for the authenticator app.
package struct OperatorWelcome: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let newPasswords: NewPasswords

    /// A link whose secret was right, as a page keeps it.
    package struct Link: Codable, Sendable, Hashable {
        let account: [UInt8]
        let digest: [UInt8]

        init(_ secret: OperatorLinkSecret) {
            account = secret.account.bytes
            digest = secret.digest
        }
    }

    /// The person that a link is for.
    struct Guest: Sendable {
        let account: AccountRecord
        let names: [String]
        fileprivate let invitation: OperatorInvitation
    }

    enum Outcome: Sendable {
        /// The account has the password, which now signs in.
        case accepted
        case unacceptable(PasswordRuleViolation)
        /// No capacity to hash; in seconds.
        case busy(retryAfter: Int64)
        /// The link was used, or has expired.
        case over
    }

    /// - Parameter mark: of the form that arrived; the same form may arrive twice.
    /// - Returns: `nil` for a link that was used, has expired or never existed.
    func guest(of link: Link, mark: [UInt8]? = nil, now: Timestamp) async throws -> Guest? {
        guard let id = UniqueID(bytes: link.account) else { return nil }
        return try await database.read { connection in
            guard let invitation = try OperatorInvitations.find(id, now: now, on: connection),
                ConstantTime.equal(invitation.digest, link.digest),
                invitation.acceptedBy == nil || invitation.acceptedBy == mark,
                let account = try Accounts.find(id, on: connection), account.state == .active,
                account.securityVersion == invitation.securityVersion
            else { return nil }
            return Guest(
                account: account, names: try Accounts.names(of: id, on: connection), invitation: invitation)
        }
    }

    /// Sets the password and spends the link, in one write. A form that arrives twice succeeds twice.
    /// - Parameter mark: of the form.
    func accept(
        _ password: Password, for guest: Guest, by mark: [UInt8], origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        // The sign-in that follows says whether this is still the same password.
        guard guest.invitation.acceptedBy == nil else { return .accepted }
        let (account, invitation) = (guest.account, guest.invitation)
        let sealed: [UInt8]
        switch try await newPasswords.seal(
            password, of: account, names: guest.names, for: .known(to: account.id, from: origin), now: now)
        {
        case .sealed(let bytes): sealed = bytes
        case .unacceptable(let violation): return .unacceptable(violation)
        case .busy(let seconds): return .busy(retryAfter: seconds)
        }
        let entry = try auditLog.entry(
            AccountEvent.passwordChanged, account: account.id, client: AccountPageClient.id, origin: origin, now: now,
            details: .ofPassword(replacing: account.password), message: AccountMessage.passwordChanged,
            email: AccountVault(auditLog.sealing).email(of: account))
        let pinRemoval = try AccountPINRemoval(of: account, in: auditLog, origin: origin, now: now)
        let isAccepted = try await database.write { connection in
            let changedAt = clock.writeTime(since: now)
            guard try OperatorInvitations.accept(invitation, by: mark, now: changedAt, on: connection),
                try Accounts.changePassword(
                    of: account.id, to: sealed, expecting: account.securityVersion, now: changedAt, on: connection)
                    != nil
            else { return false }
            try Sessions.endAll(of: account.id, because: .passwordChanged, now: changedAt, on: connection)
            try BrowserSessions.endAll(of: account.id, on: connection)
            try OpenFactors.endAll(of: account.id, on: connection)
            try Recoveries.endAll(of: account.id, on: connection)
            try entry.write(on: connection)
            try pinRemoval.run(on: connection)
            return true
        }
        if isAccepted { return .accepted }
        // A second press of the same button may have been the first to write.
        let link = try await database.read { try OperatorInvitations.find(account.id, now: now, on: $0) }
        return link?.digest == invitation.digest && link?.acceptedBy == mark ? .accepted : .over
    }
}

/// The role of a person who came by a one-time link and has set a password. It is granted in the write that takes the authenticator app into
/// use.
struct PendingRole: Sendable {
    private let invitation: OperatorInvitation
    private let entry: AuditLog.Entry

    /// - Returns: `nil` if no role waits for the caller's account.
    init?(of call: any FactorCaller, in database: any Database, _ auditLog: AuditLog) async throws {
        let (account, now) = (call.account, call.now)
        guard
            let found = try await database.read({ try OperatorInvitations.find(account.id, now: now, on: $0) }),
            found.acceptedBy != nil, found.securityVersion == account.securityVersion
        else { return nil }
        invitation = found
        entry = try auditLog.entry(
            OperatorEvent.granted, account: account.id, client: call.clientID, origin: call.origin, now: now,
            details: found.grant.json)
    }

    func grant(now: Timestamp, on connection: any SQLConnection) throws {
        guard try OperatorInvitations.fulfill(invitation, now: now, on: connection) else { return }
        try Operators.set(
            OperatorRecord(invitation.account, invitation.grant, grantedAt: now), on: connection)
        try entry.write(on: connection)
    }
}
