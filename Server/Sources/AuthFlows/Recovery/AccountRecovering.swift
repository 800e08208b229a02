internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The end of a recovery: the new password, what it opens again, and what the holder is told by every way there is.
struct AccountRecovering: Sendable {
    let context: ServerContext
    let recovery: SignInPolicy.Recovery
    /// What was shown, as `amr` says it.
    let methods: [String]
    let now: Timestamp

    /// Sets the password and opens what failures had closed. Where the mailbox was shown alone, or with a number for SMS that
    /// lies in the same unlocked phone, the account cools: whoever took them over must not enroll a device, set a PIN or take
    /// factors away before the holder has read the other message.
    func setPassword(
        _ sealed: [UInt8], of id: UniqueID, expecting version: Int64, on connection: any SQLConnection
    ) throws -> Int64? {
        let isWeak = recovery == .mailbox || methods.contains(FactorKind.sms.authenticationMethod)
        let cooling = isWeak ? now + context.settings.devices.coolingPeriod : nil
        return try Accounts.recover(
            id, to: sealed, expecting: version, coolingUntil: cooling, now: now, on: connection)
    }

    /// What is recorded, and the messages: by e-mail, and by SMS where there is a number, since the mailbox may be what was
    /// taken over.
    func entries(for account: AccountRecord, origin: RequestOrigin) throws -> [Journal.Entry] {
        let journal = Journal(context: context)
        let vault = AccountVault(context: context)
        var details = JSONObject()
        details.set("proved", recovery == .mailbox ? "mailbox" : "mailbox and factor")
        if account.closedBy == .failures { details["reopened"] = .bool(true) }
        var entries = [
            try journal.entry(
                .recovered, account: account.id, origin: origin, now: now, details: details,
                message: .recovered(.email), email: vault.open(account.email, .email, of: account.id))
        ]
        if account.closedBy == .failures {
            entries.append(try journal.entry(.reactivated, account: account.id, origin: origin, now: now))
        }
        if let phone = vault.open(account.phone, .phone, of: account.id) {
            entries.append(try journal.entry(.recovered(.sms), account: account.id, email: phone, now: now))
        }
        return entries
    }
}

extension AccountRecord {
    /// Until when nothing that the account is signed in with may be changed; `nil` where it may be now. Seconds.
    func cooling(at now: Timestamp) -> Int64? {
        coolingUntil.flatMap { now < $0 ? max(1, ($0 - now).wholeSeconds) : nil }
    }
}
