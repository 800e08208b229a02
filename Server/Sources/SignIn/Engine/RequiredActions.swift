internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The effects of required actions, such as a new password or a confirmed address.
struct RequiredActions: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let passwords: PasswordHasher
    let newPasswords: NewPasswords
    let emailAfterProvider: EmailAfterProvider
    let coolingPeriod: Duration

    /// The account and device of a sign-in whose installation needs confirmation; `nil` if either changed.
    func device(of pending: PendingSignIn) async throws -> (AccountRecord, DeviceRecord)? {
        guard let account = try await account(of: pending, need: .instanceCode), let id = pending.deviceID,
            let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == account.id, device.state == .active, device.instance == .unverified
        else { return nil }
        return (account, device)
    }

    enum PasswordOutcome: Sendable {
        /// The sign-in continues with these factors.
        case changed(SignInPolicy.Factors)
        /// It breaks a password rule.
        case unacceptable(PasswordRuleViolation)
        /// The account changed in the meantime.
        case over
        /// No capacity to hash; in seconds.
        case busy(retryAfter: Int64)
    }

    /// The account of a sign-in; `nil` if it changed, or if the sign-in waits for something else.
    /// - Parameter need: the action about to be completed. A proof for one action must not pass for another.
    func account(of pending: PendingSignIn, need: PendingSignIn.Need) async throws -> AccountRecord? {
        guard pending.need == need, let id = pending.accountID else { return nil }
        let account = try await database.read { try Accounts.find(id, on: $0) }
        guard let account, account.securityVersion == pending.securityVersion,
            account.state == .active || (pending.recovery != nil && account.deactivatedBy == .failures)
        else { return nil }
        return account
    }

    /// The factors after the code for the address was correct. It proves access to the mailbox, which is all that a second factor by
    /// e-mail would prove, and no more than that after a provider sign-in.
    func factors(
        of pending: PendingSignIn, afterEmailOf account: AccountRecord
    ) async throws -> SignInPolicy.Factors {
        var factors = pending.factors
        if FirstFactor(provedBy: factors.amr) == .provider {
            let counts = try await database.read { connection in
                try emailAfterProvider.counts(for: account, on: connection)
            }
            guard counts else { return factors }
        }
        factors.amr = factors.amr.adding(FactorKind.email.authenticationMethod)
        return factors
    }

    /// Sets a new password for a person who has just proved the old one or completed a recovery. Ends every other session.
    /// - Parameter repeated: recognizes the same form; `nil` for an app's call.
    func setPassword(
        _ password: Password, for pending: PendingSignIn, origin: RequestOrigin, now: Timestamp,
        repeated: RepeatedAnswer? = nil
    ) async throws -> PasswordOutcome {
        let outcome = try await setPasswordOnce(
            password, for: pending, origin: origin, now: now, repeated: repeated)
        guard case .over = outcome, let repeated else { return outcome }
        return try await factors(of: pending, afterRepeating: password, repeated, origin: origin).map { .changed($0) }
            ?? .over
    }

    /// The factors of a sign-in whose first, equal form has just set this password.
    private func factors(
        of pending: PendingSignIn, afterRepeating password: Password, _ repeated: RepeatedAnswer,
        origin: RequestOrigin
    ) async throws -> SignInPolicy.Factors? {
        guard pending.need == .newPassword, let id = pending.accountID else { return nil }
        let found = try await database.read { connection -> AccountRecord? in
            guard let account = try Accounts.find(id, on: connection),
                try repeated.isRemembered(.password(version: account.securityVersion), on: connection)
            else { return nil }
            return account
        }
        guard let account = found, let hash = AccountVault(auditLog.sealing).open(account.password, .password, of: id),
            let slot = passwords.slot(for: .untrusted(name: id.uuid, networks: origin.networks)),
            try await passwords.verify(password, against: hash, in: slot)
        else { return nil }
        return pending.factors(after: account.securityVersion)
    }

    private func setPasswordOnce(
        _ password: Password, for pending: PendingSignIn, origin: RequestOrigin, now: Timestamp,
        repeated: RepeatedAnswer?
    ) async throws -> PasswordOutcome {
        guard pending.need == .newPassword, let id = pending.accountID else { return .over }
        let (found, names) = try await database.read { connection in
            (try Accounts.find(id, on: connection), try Accounts.names(of: id, on: connection))
        }
        guard let account = found, account.securityVersion == pending.securityVersion else { return .over }
        let sealed: [UInt8]
        // The sign-in may be a thief's, on a device that the account does not know.
        let claimant = PasswordSlots.Claimant.untrusted(name: id.uuid, networks: origin.networks)
        switch try await newPasswords.seal(password, of: account, names: names, for: claimant, now: now) {
        case .sealed(let bytes): sealed = bytes
        case .unacceptable(let violation): return .unacceptable(violation)
        case .busy(let seconds): return .busy(retryAfter: seconds)
        }
        let recovery = try await AccountRecovery(pending, coolingPeriod: coolingPeriod, now: now, in: database)
        // The device whose key took part in the recovery was closed or removed since.
        if pending.recovery != nil, recovery == nil { return .over }
        let entries =
            try recovery?.entries(for: account, origin: origin, in: auditLog) ?? [
                auditLog.entry(
                    AccountEvent.passwordChanged, account: id, origin: origin, now: now,
                    details: .ofPassword(replacing: account.password), message: AccountMessage.passwordChanged,
                    email: AccountVault(auditLog.sealing).email(of: account))
            ]
        let pinRemoval = try AccountPINRemoval(of: account, in: auditLog, origin: origin, now: now)
        let version = try await database.write { connection -> Int64? in
            let expected = pending.securityVersion
            let changedAt = clock.writeTime(since: now)
            let version =
                if let recovery {
                    try recovery.setPassword(sealed, of: id, expecting: expected, at: changedAt, on: connection)
                } else {
                    try Accounts.changePassword(of: id, to: sealed, expecting: expected, now: changedAt, on: connection)
                }
            guard let version else { return nil }
            try Sessions.endAll(of: id, because: .passwordChanged, now: changedAt, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
            try OpenFactors.endAll(of: id, on: connection)
            try Recoveries.endAll(of: id, on: connection)
            for entry in entries { try entry.write(on: connection) }
            try pinRemoval.run(on: connection)
            try repeated?.remember(.password(version: version), on: connection)
            return version
        }
        return version.map { .changed(pending.factors(after: $0)) } ?? .over
    }
}

extension PendingSignIn {
    /// The factors after a new password.
    fileprivate func factors(after version: Int64) -> SignInPolicy.Factors {
        var factors = factors
        factors.securityVersion = version
        factors.recovery = nil
        return factors
    }
}
