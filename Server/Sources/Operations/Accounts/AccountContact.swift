internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// An operator's change of an account's e-mail address or phone number.
///
/// It has the effects of a change by the holder (``ContactUpdate``), without a code to the new one.
extension AccountAdministration {
    var contactUpdate: ContactUpdate {
        ContactUpdate(auditLog: auditLog, keyRing: keyRing, dependents: dependents, undeliverable: undeliverable)
    }

    func setEmail(of reference: AccountReference, to value: String?, isVerified: Bool) async throws
        -> AdministrationAnswer
    {
        let new = try value.map { try EmailAddress($0).rawValue }
        let (account, names) = try await changeableAccount(reference)
        try requireChange(
            from: account.email, .email, to: new, of: account,
            confirmation: account.emailState == .unverified && isVerified
                ? CommandLineSyntax.account("verify-email", account, names: names) : nil)
        var changed = account
        changed.email = try new.map { try vault.seal($0, .email, of: account.id) }
        changed.emailState = new == nil ? .none : isVerified ? .verified : .unverified
        let (update, now) = (contactUpdate, clock.now())
        let entries = try update.entries(of: .email, isVerified, from: account, to: changed, now: now)
        let isChanged = try await database.write { [changed] connection in
            guard try update.writeEmail(from: account, to: changed, now: now, on: connection) else { return false }
            for entry in entries { try entry.write(on: connection) }
            return true
        }
        guard isChanged else { throw Self.changedMeanwhile }
        let id = account.id.uuid
        var lines: [String]
        switch changed.emailState {
        case .none: lines = ["Account \(id) no longer has an e-mail address; \(Self.sessions)."]
        case .verified:
            lines = ["Account \(id) has a new e-mail address, which is confirmed; \(Self.sessions)."]
        case .unverified:
            lines = [
                "Account \(id) has a new e-mail address; \(Self.sessions).",
                "It is not confirmed, so it recovers nothing yet: the person enters a code sent to it at the next sign-in, or "
                    + "you run `\(CommandLineSyntax.account("verify-email", account, names: names))`.",
            ]
        }
        if account.isRecoverable, !changed.isRecoverable {
            lines.append(
                "The person can no longer recover the account by e-mail: it has no confirmed address. If they forget "
                    + "the password, they need your help.")
        }
        return .done(lines, vault.json(changed, names: names))
    }

    func setPhone(of reference: AccountReference, to value: String?, isVerified: Bool) async throws
        -> AdministrationAnswer
    {
        let new = try value.map { try ContactDetails.phone($0) }
        let (account, names) = try await changeableAccount(reference)
        var profile = vault.profile(of: account)
        try requireChange(
            from: account.phone, .phone, to: new, of: account,
            confirmation: !profile.isPhoneVerified && isVerified
                ? CommandLineSyntax.account("update", account, names: names) + " --phone-verified" : nil)
        profile.isPhoneVerified = isVerified
        var changed = account
        changed.phone = try new.map { try vault.seal($0, .phone, of: account.id) }
        changed.profile = try vault.seal(profile, of: account.id)
        let (update, now) = (contactUpdate, clock.now())
        let entries = try update.entries(of: .sms, isVerified, from: account, to: changed, now: now)
        let isChanged = try await database.write { [changed] connection in
            guard try update.writePhone(from: account, to: changed, now: now, on: connection) else { return false }
            for entry in entries { try entry.write(on: connection) }
            return true
        }
        guard isChanged else { throw Self.changedMeanwhile }
        let said =
            new == nil
            ? "no longer has a phone number and receives no codes by SMS"
            : "has a new phone number, which receives codes from now on"
        return .done("Account \(account.id.uuid) \(said); \(Self.sessions).", vault.json(changed, names: names))
    }

    /// What becomes of the person's sessions.
    private static let sessions = "apps stay signed in, and browsers sign in again"

    // MARK: - Checks

    /// - Parameter confirmation: the command that confirms the present one, if that was the wish.
    private func requireChange(
        from sealed: [UInt8]?, _ field: AccountField, to new: String?, of account: AccountRecord, confirmation: String?
    ) throws {
        let what = field == .email ? "e-mail address" : "phone number"
        guard let new else {
            guard sealed == nil else { return }
            throw AdministrationRefusal("There is nothing to change: the account has no \(what).", code: "no_change")
        }
        // Byte by byte: strings that Unicode treats as equal may be two mailboxes.
        let old = vault.open(sealed, field, of: account.id)
        guard let old, Array(old.utf8) == Array(new.utf8) else { return }
        let remedy = confirmation.map { " To confirm it, run `\($0)`." } ?? ""
        throw AdministrationRefusal(
            "There is nothing to change: this is the account's \(what).\(remedy)", code: "no_change")
    }
}
