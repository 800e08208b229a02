package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Passwords that are publicly known: the most common ones, and those found in breaches. None is accepted as a new password, and
/// one in use must be changed.
package struct CompromisedPasswords: Sendable {
    let database: any Database
    let clock: any Clock
    let vault: AccountVault
    let auditLog: AuditLog
    let breaches: BreachSearch

    /// How long a negative result counts. The lists grow monthly, so a check at every sign-in would only slow it down.
    private static let checkLifetime = Duration.days(1)

    /// The rule that a new password breaks; `nil` if it is acceptable. If the lists cannot be reached, only the rules and the common
    /// passwords apply.
    /// - Parameter names: the person's user name and e-mail address.
    package func fault(in password: Password, names: [String], now: Timestamp) async throws -> PasswordRuleViolation? {
        if let fault = PasswordRules.fault(in: password.reveal(), names: names) { return fault }
        return try await breaches.look(for: password, now: now) == .found ? .breached : nil
    }

    /// Checks a correct password against the lists. If it is known, it expires, all earlier sign-ins are voided, and the holder is
    /// notified. This happens only after the comparison, so a guesser learns nothing from its timing, and no guesses leave the
    /// server.
    /// - Parameter account: as read for the comparison.
    /// - Returns: the account as it is afterwards.
    func examined(
        _ account: AccountRecord, password: Password, origin: RequestOrigin, now: Timestamp
    ) async throws -> AccountRecord {
        guard account.passwordState == .current else { return account }
        if PasswordRules.isCommon(password.reveal()) {
            return try await expired(account, because: "common", origin: origin, now: now)
        }
        guard breaches.hasLists, isDue(account, now: now) else { return account }
        switch try await breaches.look(for: password, now: now) {
        case .found: return try await expired(account, because: "breached", origin: origin, now: now)
        case .absent:
            try await database.write { connection in
                try Accounts.recordPasswordCheck(
                    of: account.id, expecting: account.securityVersion, now: now, on: connection)
            }
            return account
        // The next sign-in checks again.
        case .unknown: return account
        }
    }

    private func isDue(_ account: AccountRecord, now: Timestamp) -> Bool {
        guard let checkedAt = account.passwordCheckedAt else { return true }
        return now - checkedAt >= Self.checkLifetime
    }

    /// Expires only the password that was compared: setting another one in the meantime raised the security version.
    private func expired(
        _ account: AccountRecord, because reason: String, origin: RequestOrigin, now: Timestamp
    ) async throws -> AccountRecord {
        var details = JSONObject()
        details.set("reason", reason)
        let entry = try auditLog.entry(
            AccountEvent.passwordExpired, account: account.id, origin: origin, now: now, details: details,
            message: AccountMessage.passwordExpired,
            email: vault.email(of: account))
        let found = try await database.write { connection in
            if try Accounts.expirePassword(of: account.id, expecting: account.securityVersion, on: connection) {
                let expiredAt = clock.writeTime(since: now)
                try Sessions.endAll(of: account.id, because: .passwordExpired, now: expiredAt, on: connection)
                try BrowserSessions.endAll(of: account.id, on: connection)
                try entry.write(on: connection)
            }
            return try Accounts.find(account.id, on: connection)
        }
        // This sign-in or a concurrent one expired it, and nothing else happened except perhaps a rehash. After any other change, the
        // gate refuses factors that were proved under the previous version.
        guard let found, found.passwordState == .expired, found.securityVersion == account.securityVersion + 1 else {
            return account
        }
        return found
    }
}

extension PasswordVerification {
    /// Like `verify`, for a sign-in: if the password is correct but publicly known, the returned account's password is expired.
    package func verifyToSignIn(
        _ password: Password, username: Username, brand: BrandID, device: Device, origin: RequestOrigin, now: Timestamp,
        ifReached isReached: (UniqueID?) async throws -> Bool = { _ in true }
    ) async throws -> Outcome {
        let outcome = try await verify(
            password, username: username, brand: brand, device: device, origin: origin, now: now,
            ifReached: isReached)
        guard case .verified(let account) = outcome else { return outcome }
        return .verified(
            try await compromised.examined(account, password: password, origin: origin, now: now))
    }
}
