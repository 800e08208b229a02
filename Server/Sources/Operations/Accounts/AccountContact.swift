internal import Consent
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// An operator's change of an account's e-mail address or phone number.
///
/// No session ends, because neither is presented to sign in. Whatever was sent to the old one stops counting in the same write.
extension AccountAdministration {
    func setEmail(of reference: AccountReference, to value: String?, isVerified: Bool) async throws
        -> AdministrationAnswer
    {
        let new = try value.map { try EmailAddress($0).rawValue }
        let (account, names) = try await changeableAccount(reference)
        try requireChange(
            from: account.email, .email, to: new, of: account,
            confirmation: account.emailState == .unverified && isVerified
                ? command("verify-email", account, names) : nil)
        var changed = account
        changed.email = try new.map { try vault.seal($0, .email, of: account.id) }
        changed.emailState = new == nil ? .none : isVerified ? .verified : .unverified
        let entries = try entries(
            new == nil ? .emailRemoved : .emailChanged, new == nil ? .emailRemoved : .emailChanged, isVerified,
            from: account, to: changed)
        let isChanged = try await database.write { [changed] connection in
            guard
                try Accounts.setEmail(
                    of: account.id, from: account.email, to: changed.email, state: changed.emailState, on: connection)
            else { return false }
            if changed.email != nil {
                try FederatedIdentities.presumeAddressAsserted(of: account.id, on: connection)
            }
            for rows in dependents { try rows.emailChanged(of: account.id, on: connection) }
            try Self.voidSentCodes(of: account.id, by: .email, on: connection)
            for entry in entries { try entry.write(on: connection) }
            return true
        }
        guard isChanged else { throw Self.changedMeanwhile }
        let id = account.id.uuid
        var lines: [String]
        switch changed.emailState {
        case .none: lines = ["Account \(id) no longer has an e-mail address; sessions continue."]
        case .verified: lines = ["Account \(id) has a new e-mail address, which is confirmed; sessions continue."]
        case .unverified:
            lines = [
                "Account \(id) has a new e-mail address; sessions continue.",
                "It is not confirmed, so it recovers nothing yet: the person enters a code sent to it at the next sign-in, or "
                    + "you run `\(command("verify-email", account, names))`.",
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
                ? command("update", account, names) + " --phone-verified" : nil)
        profile.isPhoneVerified = isVerified
        var changed = account
        changed.phone = try new.map { try vault.seal($0, .phone, of: account.id) }
        changed.profile = try vault.seal(profile, of: account.id)
        let digest = try new.map { try PhoneDigest.make($0, brand: account.brandID, under: keyRing) }
        let digests = new.map {
            PhoneDigest.all($0, brand: account.brandID, now: clock.now(), under: keyRing)
        }
        let entries = try entries(
            new == nil ? .phoneRemoved : .phoneChanged, new == nil ? .phoneRemoved : .phoneChanged, isVerified,
            from: account, to: changed)
        let (auditLog, now) = (auditLog, clock.now())
        let isChanged = try await database.write { [changed] connection in
            guard
                try Accounts.setPhone(
                    from: account, to: changed.phone, profile: changed.profile, on: connection)
            else { return false }
            // One-time passwords for guests lead to the account that the operator means: no other is found by the number.
            for rows in dependents {
                let others = try rows.phoneChanged(
                    of: account.id, to: digest, found: digests ?? [], on: connection)
                for other in others {
                    try auditLog.entry(AccountEvent.phoneReleased, account: other, now: now).write(on: connection)
                }
            }
            try Self.voidSentCodes(of: account.id, by: .sms, on: connection)
            for entry in entries { try entry.write(on: connection) }
            return true
        }
        guard isChanged else { throw Self.changedMeanwhile }
        let said =
            new == nil
            ? "no longer has a phone number and receives no codes by SMS"
            : "has a new phone number, which receives codes from now on"
        return .done("Account \(account.id.uuid) \(said); sessions continue.", vault.json(changed, names: names))
    }

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

    private func command(_ verb: String, _ account: AccountRecord, _ names: [String]) -> String {
        guard let name = names.first else { return "walletauth account \(verb) --account \(account.id.uuid)" }
        return CommandLineSyntax.account(verb, name: name, brand: account.brandID)
    }

    // MARK: - Effects

    /// Ends what a code sent to the old address or number may still prove: recoveries, second factors, consents, and by the security
    /// version every sign-in in progress. What one has proved for a consent in its few minutes stays.
    private static func voidSentCodes(
        of account: UniqueID, by channel: SCAChannel, on connection: any SQLConnection
    ) throws {
        try Recoveries.endAll(of: account, on: connection)
        try OpenFactors.endAll(of: account, on: connection)
        try WalletOperations.voidCodes(of: account, sentBy: channel, on: connection)
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
    }

    /// The audit entry, which holds no address, and a message to each address and number that the account had or has.
    private func entries(
        _ event: AccountEvent, _ message: ContactMessage.Kind, _ isVerified: Bool, from old: AccountRecord,
        to new: AccountRecord
    ) throws -> [AuditLog.Entry] {
        let (auditLog, now, id) = (auditLog, clock.now(), old.id)
        var details = JSONObject()
        if message != .emailRemoved, message != .phoneRemoved { details["verified"] = .bool(isVerified) }
        var entries = [try auditLog.entry(event, account: id, now: now, details: details)]
        let channels: [(OutboxChannel, [String])] = [
            (.email, [old, new].compactMap { vault.open($0.email, .email, of: id) }),
            (.sms, [old, new].compactMap { vault.open($0.phone, .phone, of: id) }),
        ]
        for (channel, addresses) in channels {
            if channel == .sms, undeliverable.contains(.sms) { continue }
            for (index, address) in addresses.enumerated() where !addresses[..<index].contains(address) {
                entries.append(
                    try auditLog.entry(ContactMessage(message, over: channel), account: id, email: address, now: now))
            }
        }
        return entries
    }
}
