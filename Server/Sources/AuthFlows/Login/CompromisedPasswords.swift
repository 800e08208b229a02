internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Passwords that others know: the most common ones, and those that were stolen somewhere and published. None is taken as
/// a new one, and one that is in use has to be changed.
struct CompromisedPasswords: Sendable {
    let context: ServerContext

    /// How long it counts that a password was not found in the lists. They grow by the month; to ask them at every sign-in
    /// would only make signing in slow.
    private static let checkLifetime = Duration.days(1)

    /// What is wrong with a new password; `nil` when it may be used. Where the lists of stolen ones cannot be asked, the
    /// rules and the common ones hold alone.
    /// - Parameters:
    ///   - password: as typed.
    ///   - names: what the person is called here: user name and e-mail address.
    ///   - now: the present moment.
    func fault(in password: Password, names: [String], now: Timestamp) async throws -> PasswordRuleViolation? {
        if let fault = PasswordRules.fault(in: password.reveal(), names: names) { return fault }
        return try await context.breaches.look(for: password, now: now) == .found ? .breached : nil
    }

    /// The account after a sign-in whose password was right: where others know the password too, it has expired, every
    /// earlier sign-in is void, and the holder is told. Only here, after the comparison, is anybody asked: who guesses
    /// learns nothing by how long it takes, and nothing of guesses goes out.
    /// - Parameters:
    ///   - account: as it stood when the password was compared.
    ///   - password: the right one.
    ///   - origin: where the request came from.
    ///   - now: the present moment.
    func examined(
        _ account: AccountRecord, password: Password, origin: RequestOrigin, now: Timestamp
    ) async throws -> AccountRecord {
        guard account.passwordState == .current else { return account }
        if PasswordRules.isCommon(password.reveal()) {
            return try await expired(account, because: "common", origin: origin, now: now)
        }
        guard context.breaches.hasLists, isDue(account, now: now) else { return account }
        switch try await context.breaches.look(for: password, now: now) {
        case .found: return try await expired(account, because: "breached", origin: origin, now: now)
        case .absent:
            try await context.database.write { connection in
                try Accounts.recordPasswordCheck(
                    of: account.id, expecting: account.securityVersion, now: now, on: connection)
            }
            return account
        // Looked for again at the next sign-in.
        case .unknown: return account
        }
    }

    private func isDue(_ account: AccountRecord, now: Timestamp) -> Bool {
        guard let checkedAt = account.passwordCheckedAt else { return true }
        return now - checkedAt >= Self.checkLifetime
    }

    /// Expires the password that was compared, and no other: one that was set meanwhile raised the security version.
    private func expired(
        _ account: AccountRecord, because reason: String, origin: RequestOrigin, now: Timestamp
    ) async throws -> AccountRecord {
        var details = JSONObject()
        details.set("reason", reason)
        let entry = try AuditLog(context: context).entry(
            .passwordExpired, account: account.id, origin: origin, now: now, details: details,
            message: .passwordExpired,
            email: AccountVault(context: context).open(account.email, .email, of: account.id))
        let found = try await context.database.write { connection in
            if try Accounts.expirePassword(of: account.id, expecting: account.securityVersion, on: connection) {
                try Sessions.endAll(of: account.id, because: .passwordExpired, now: now, on: connection)
                try BrowserSessions.endAll(of: account.id, on: connection)
                try entry.write(on: connection)
            }
            return try Accounts.find(account.id, on: connection)
        }
        // Expired by this sign-in or by one beside it, nothing but that has happened; its hash may have been made anew. Whatever
        // else changed, the gate refuses what was proved under the version before.
        guard let found, found.passwordState == .expired, found.securityVersion == account.securityVersion + 1 else {
            return account
        }
        return found
    }
}

extension PasswordVerification {
    /// Checks the password of a sign-in; where it is right and others know it, the account comes back with the password
    /// expired. Its parameters are those of `verify`.
    func verifyToSignIn(
        _ password: Password, username: Username, brand: BrandID, device: Device, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let outcome = try await verify(
            password, username: username, brand: brand, device: device, origin: origin, now: now)
        guard case .verified(let account) = outcome else { return outcome }
        return .verified(
            try await CompromisedPasswords(context: context).examined(
                account, password: password, origin: origin, now: now))
    }
}
